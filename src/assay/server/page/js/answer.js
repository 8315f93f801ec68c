// An answer in full: its text, what to make of it, its sources, and how it came to be.

import { answerText } from "./answertext.js";
import { append, button, glyph, h, hidden, replace, toast } from "./dom.js";
import { icon } from "./icons.js";
import { claimInspector } from "./inspector.js";
import { badge, claimKind, claimSummary, isDeclined, mark, verdictOf } from "./marks.js";
import { post } from "./api.js";
import { sourceList } from "./sources.js";
import { plural, sourceDate } from "./text.js";
import { timeline } from "./timeline.js";
import { trustLine } from "./trust.js";
import { openDocument } from "./viewer.js";

/**
 * The view of one answer: `element`, `step(by)` walks its claims, `openChosen()` opens the source of the chosen one.
 *
 * `context` has the collection, the run's events, and `ask(text)` where the dialogue can go on.
 */
export function answerView(answer, context) {
	return new AnswerView(answer, context);
}

class AnswerView {
	constructor(answer, context) {
		this.answer = answer;
		this.context = context;
		this.chosen = null;
		// Beside the text where there is room, else below it.
		this.inspectors = { beside: h("div.inspector-place"), below: h("div.inspector-place") };
		this.element = this.draw();
	}

	draw() {
		const { answer } = this;
		const open = (number, n) => this.openSource(number, n);
		const claims = answer.claims.map((claim) => ({ ...claim, kind: claimKind(claim) }));
		this.prose = answerText(answer.text, claims, answer.citations, { choose: (n) => this.choose(n), open });
		this.sources = sourceList(answer, open);
		const text = h("div.answer-main", verdictNote(answer), this.prose, this.inspectors.below, legend(claims));
		append(text, [
			choices(answer, this.context.ask),
			missing(answer, this.context.ask),
			disagreements(answer, open),
			isDeclined(answer) ? nearest(answer, this.context) : trustLine(answer),
			folds(leftOut(answer), repairs(answer), warnings(answer)),
			this.actions(),
			timeline(this.context.events, answer),
		]);
		const side = answer.sources.length ? h("div.answer-side", this.inspectors.beside, this.sources) : null;
		return h("div.answer", text, side);
	}

	actions() {
		const { answer } = this;
		const link = `${location.origin}${location.pathname}#/runs/${answer.run_id}`;
		return h(
			"div.actions.tools-row.no-print",
			isDeclined(answer) ? null : button([icon("copy"), "Copy"], () => copy(withSources(answer), "Copied with its sources"), "quiet"),
			button([icon("link"), "Share"], () => copy(link, "The link to this run was copied"), "quiet"),
			button([icon("print"), "Print"], () => printOnly(this.element), "quiet"),
			isDeclined(answer) ? null : labelButtons(answer.run_id, 0, "answer"),
		);
	}

	/** Choose a claim: it is marked in the text, and what is known of it is shown beside. */
	choose(n, focus = false) {
		const again = this.chosen === n;
		this.chosen = again && !focus ? null : n;
		for (const element of this.prose.querySelectorAll("[data-claim], [data-mark]")) {
			const is = Number(element.dataset.claim ?? element.dataset.mark) === this.chosen;
			element.classList.toggle("chosen", is);
			if (element.dataset.mark) element.setAttribute("aria-pressed", String(is));
			if (is && element.dataset.mark && focus) element.focus({ preventScroll: false });
		}
		const claim = this.answer.claims.find((one) => one.n === this.chosen);
		const close = () => this.choose(this.chosen);
		const { beside, below } = this.inspectors;
		const isWide = beside.offsetParent && beside.getBoundingClientRect().left > this.prose.getBoundingClientRect().right;
		replace(isWide ? below : beside);
		replace(isWide ? beside : below, claim && claimInspector(this.answer, claim, { open: (number, at) => this.openSource(number, at), close, label: labelButtons(this.answer.run_id, claim.n, "claim") }));
		const cited = new Set(claim?.citations);
		for (const card of this.sources.querySelectorAll("[data-passage]")) card.classList.toggle("chosen", cited.has(card.dataset.passage));
	}

	step(by) {
		const numbers = this.answer.claims.map((claim) => claim.n);
		if (!numbers.length) return;
		const at = numbers.indexOf(this.chosen);
		const next = at < 0 ? (by > 0 ? 0 : numbers.length - 1) : (at + by + numbers.length) % numbers.length;
		this.choose(numbers[next], true);
	}

	openChosen() {
		const claim = this.answer.claims.find((one) => one.n === this.chosen);
		const source = this.answer.sources.find((one) => claim?.citations.includes(one.passage_id));
		if (source) this.openSource(source.number, claim.n);
	}

	/** Open the document of a source where the claim quotes it, else where the source begins. */
	openSource(number, n) {
		const source = this.answer.sources.find((one) => one.number === number);
		const claims = this.answer.claims.filter((claim) => n === undefined || claim.n === n);
		const of = (list) => list.flatMap((claim) => claim.spans).find((span) => span.passage_id === source.passage_id);
		openDocument({ source, span: of(claims) || of(this.answer.claims) || source, collection: this.context.collection });
	}
}

const folds = (...parts) => (parts.some(Boolean) ? h("div.folds", parts) : null);

function verdictNote(answer) {
	const { kind, text } = verdictOf(answer);
	const { answers, calibrated, level } = answer.confidence;
	const doubtful = ["unsure", "no"].includes(answers) && !isDeclined(answer);
	const probable = answers === "unsure" && calibrated && /high/.test(level);
	const closest = answer.claims.length && answer.claims.every((claim) => claimKind(claim) === "quoted");
	const note = doubtful ? (probable ? "This probably answers the question." : closest ? "These are the closest passages; they may not answer the question." : "This may not answer the question.") : "";
	const summary = isDeclined(answer) ? "" : ` · ${claimSummary(answer.claims)}`;
	return h(
		"div",
		{ class: `verdict ${mark(kind).tone}` },
		h("p", glyph(mark(kind).sign), h("strong", text), summary),
		note && h("p", note),
	);
}

function legend(claims) {
	const kinds = [...new Set(claims.map((claim) => claim.kind))];
	if (!kinds.length) return null;
	const items = kinds.map((kind) => h("li", badge(kind), h("span", ` ${mark(kind).meaning}`)));
	return h("ul.legend", { label: "What the marks mean" }, items);
}

/** What a question back offers, as buttons. */
function choices(answer, ask) {
	if (!answer.choices?.length || !ask) return null;
	const buttons = answer.choices.map((name) => button(name, () => ask(`${answer.question} – ${name}`), "choice"));
	return h("div.choices", { role: "group", label: "What do you mean?" }, buttons);
}

function missing(answer, ask) {
	const parts = answer.judgement.missing;
	if (!parts.length || isDeclined(answer)) return null;
	const half = answer.outcome === "partial";
	const aspects = answer.judgement.aspects.filter((aspect) => aspect.state === "covered" || aspect.state === "partial");
	return h(
		"section.note.open",
		h("h3", half ? "This is half an answer" : "Not found in the documents"),
		half && aspects.length ? h("p", `Answered: ${aspects.map((aspect) => aspect.text).join("; ")}.`) : null,
		h("p", half ? "Missing: " : "Nothing was found on: ", h("strong", parts.join("; ")), "."),
		half && ask ? h("div.actions.no-print", parts.slice(0, 3).map((part) => button(`Ask only: ${part}`, () => ask(`${part[0].toUpperCase()}${part.slice(1)}?`), "choice"))) : null,
	);
}

/** Sources that disagree, side by side, the latest first. */
function disagreements(answer, open) {
	const numbers = new Map(answer.sources.map((source) => [source.passage_id, source]));
	const found = answer.judgement.contradictions || [];
	return found.map((contradiction) => {
		const readings = [...contradiction.readings].sort((one, other) => (other.date || "").localeCompare(one.date || ""));
		const dated = readings.filter((reading) => reading.date);
		const cards = readings.map((reading) => {
			const sources = reading.passage_ids.map((id) => numbers.get(id)).filter(Boolean);
			const latest = dated.length > 1 && reading.date === dated[0].date;
			return h(
				"li.reading",
				h("p.reading-value", reading.value),
				h("p.fine", reading.date ? sourceDate(reading.date) : "no date known", latest ? " · the latest" : ""),
				sources.map((source) => button([`[${source.number}] `, source.title || source.document_id], () => open(source.number), "text")),
				sources.length < reading.passage_ids.length ? h("p.fine", `in ${plural(reading.passage_ids.length, "passage")}`) : null,
			);
		});
		return h("section.note.open", h("h3", glyph("⚠"), `The sources disagree: ${contradiction.aspect}`), h("ul.readings", cards));
	});
}

/** Where there is no answer: the passages that came nearest. */
function nearest(answer, { events, collection }) {
	const found = events.filter((event) => event.kind === "evidence").flatMap((event) => event.evidence.hits);
	const passages = [...new Map(found.map((hit) => [hit.passage.document_id, hit.passage])).values()].slice(0, 3);
	if (answer.outcome !== "abstained") return null;
	const items = passages.map((passage) =>
		h("li", button(passage.title || passage.document_id, () => openDocument({ source: { ...passage, path: passage.source }, span: passage, collection }), "text")),
	);
	return h(
		"section.note",
		h("h3", "What you can do"),
		h("ul.plain-list", h("li", "Ask in the words that the documents use."), h("li", h("a", { href: "#/documents" }, "Add documents"), " that hold the answer.")),
		items.length ? [h("h3", "Nearest documents"), h("ul.plain-list", items)] : null,
	);
}

/** Sentences that did not pass, with the reason. */
function leftOut(answer) {
	const dropped = answer.repairs.filter((repair) => repair.kind === "dropped");
	if (!dropped.length) return null;
	const items = dropped.map((repair) => h("li", h("del", repair.before), h("span.why", repair.reason)));
	return h("details.fold", h("summary", badge("withdrawn", `${plural(dropped.length, "sentence")} left out`)), h("ul.changes", items));
}

function repairs(answer) {
	const changed = answer.repairs.filter((repair) => repair.kind !== "dropped");
	if (!changed.length) return null;
	const items = changed.map((repair) => h("li", h("p", h("strong", repair.kind), `: ${repair.reason}`), repair.before && h("p", h("del", repair.before)), repair.after && h("p", h("ins", repair.after))));
	return h("details.fold", h("summary", `${plural(changed.length, "change")} after the checks`), h("ul.changes", items));
}

function warnings(answer) {
	if (!answer.warnings.length) return null;
	const items = answer.warnings.map((text) => h("li", text));
	return h("details.fold", h("summary", plural(items.length, "remark")), h("ul", items));
}

/** Buttons that label an answer, or one of its claims, as right or wrong. */
export function labelButtons(runId, claim, what) {
	const row = h("span.labels", { role: "group", label: `Is this ${what} right?` });
	const label = async (good, pressed) => {
		try {
			await post("/feedback", { run_id: runId, claim, good });
			for (const one of row.querySelectorAll("button")) one.setAttribute("aria-pressed", String(one === pressed));
			toast(`Labelled as ${good ? "right" : "wrong"}. Labels improve the measured trust.`);
		} catch (error) {
			toast(`The label was not kept: ${error.message}`);
		}
	};
	const make = (good) => button([icon(good ? "right" : "wrong"), hidden(`This ${what} is ${good ? "right" : "wrong"}`)], (event) => label(good, event.currentTarget), { class: "quiet icon-button", title: good ? "Right" : "Wrong", aria: { pressed: false } });
	return append(row, [make(true), make(false)]);
}

/** The answer as text, with its sources below. */
export function withSources(answer) {
	const lines = answer.sources.map((source) => `[${source.number}] ${[source.title, source.path, source.origin?.date].filter(Boolean).join(", ")}`);
	return [answer.text, ...(lines.length ? ["", "Sources", ...lines] : [])].join("\n");
}

export async function copy(text, said) {
	try {
		await navigator.clipboard.writeText(text);
		toast(said);
	} catch {
		toast("The browser did not allow copying");
	}
}

function printOnly(element) {
	const turn = element.closest(".turn") || element;
	turn.classList.add("to-print");
	document.body.classList.add("prints-one");
	print();
	turn.classList.remove("to-print");
	document.body.classList.remove("prints-one");
}
