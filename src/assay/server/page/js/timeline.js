// What assay did for an answer: each step with its time, and what it cost.

import { fold, glyph, h } from "./dom.js";
import { mark } from "./marks.js";
import { cost, duration, nameOf, number, percent, placeOf, plural, sentence } from "./text.js";

const STAGES = {
	understand: "Understood the question",
	retrieve: "Searched the documents",
	external: "Searched outside",
	judge: "Judged the evidence",
	write: "Began to write",
	repair: "Repaired the draft",
	review: "Reviewed the answer",
};

const DECISIONS = { ANSWER: "Decided to answer", REFINE: "Decided to search again", EXTERNAL: "Decided to search outside", CLARIFY: "Decided to ask back", ABSTAIN: "Found no sure answer" };

/** The timeline of a run, folded; `answer` is null while there is none. */
export function timeline(events, answer) {
	if (!events?.length) return null;
	const first = events[0].at;
	const rows = events.map((event) => row(event, first)).filter(Boolean);
	const summary = answer ? ["How this answer came to be", h("span.fine", ` ${spent(answer)}`)] : "What assay does";
	return fold(summary, [h("ol.steps", rows), answer && usage(answer)], ".timeline");
}

function spent(answer) {
	const parts = [duration(answer.ms), plural(answer.searches, "search", "searches")];
	parts.push(answer.usage.calls ? plural(answer.usage.calls, "model call") : "no model call");
	if (answer.usage.calls) parts.push(cost(answer.usage.cost));
	return parts.join(" · ");
}

function usage(answer) {
	const { usage: used } = answer;
	const tokens = used.total_tokens ?? (used.prompt_tokens !== null && used.completion_tokens !== null ? used.prompt_tokens + used.completion_tokens : null);
	const facts = [
		["Time", duration(answer.ms)],
		["First verified sentence", answer.first_verified_ms === null ? "none" : `after ${duration(answer.first_verified_ms)}`],
		["Model calls", number(used.calls)],
		["Tokens", tokens === null ? "not reported" : `${number(tokens)}${used.cached_tokens ? `, ${number(used.cached_tokens)} of them cached` : ""}`],
		["Cost", cost(used.cost)],
		["Written by", answer.models.writer],
		["Judged by", `${answer.models.judge} (${answer.mode_used})`],
		["Verified by", answer.models.verifier],
		["Depth", [answer.profile, answer.profile_reason].filter(Boolean).join(": ")],
		["Run", answer.run_id],
	];
	return h("dl.facts", facts.map(([name, value]) => h("div", h("dt", name), h("dd", value))));
}

function row(event, first) {
	const told = tell(event);
	if (!told) return null;
	return h(
		"li",
		{ class: `step ${told.tone || ""}` },
		h("time", `+${duration(1000 * (event.at - first))}`),
		h("div", h("p", told.sign && glyph(told.sign), told.text), told.more && h("p.fine", told.more), told.inner),
	);
}

/** What an event says: {text, more, inner, sign, tone}; null for one that says nothing of its own. */
function tell(event) {
	switch (event.kind) {
		case "status":
			return { text: STAGES[event.stage] || sentence(event.stage) };
		case "evidence":
			return { text: `Found ${plural(event.evidence.hits.length, "passage")}`, more: `for “${event.queries.join("”, “")}”`, inner: passages(event.evidence) };
		case "judged":
			return judged(event.judgement);
		case "acted":
			return { text: DECISIONS[event.step.action] || event.step.action, more: event.reason };
		case "finding":
			return { text: `${event.finding.check}: ${event.finding.message}`, more: event.finding.advice, sign: "✗", tone: "bad" };
		case "done":
			return { text: `Finished: ${event.answer.outcome}` };
		case "error":
			return { text: event.message, more: event.hint, sign: "✗", tone: "bad" };
		default:
			return event.kind.startsWith("sentence.") ? sentenceStep(event) : null;
	}
}

function sentenceStep(event) {
	const kind = event.kind.slice("sentence.".length);
	if (kind === "provisional") return { text: `Wrote sentence ${event.sentence.number}`, more: event.sentence.text.trim().replaceAll("**", "") };
	const { sign, word, tone } = mark(kind === "withdrawn" && event.sentence.hedged ? "hedged" : kind);
	return { text: `Sentence ${event.sentence.number}: ${word}`, more: event.reason || "", sign, tone };
}

function judged(judgement) {
	const known = judgement.sufficiency === null ? "could not be measured" : `suffices with a likelihood of ${percent(judgement.sufficiency)}`;
	const missing = judgement.missing.length ? ` · missing: ${judgement.missing.join("; ")}` : "";
	return { text: `The evidence ${known}`, more: judgement.reason + missing };
}

function passages(evidence) {
	const items = evidence.hits.map((hit) => h("li", h("span.hit-score", hit.score.toFixed(2)), ` ${nameOf(hit.passage)}`, h("span.fine", ` ${placeOf(hit.passage.location, hit.passage.line, hit.passage.title)}`)));
	return items.length ? fold("The passages", h("ol.hits", items)) : null;
}
