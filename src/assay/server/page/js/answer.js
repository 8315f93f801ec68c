// An answer in full: its text, what to make of it, its sources, and how it came to be.

import { ClaimWalk, answerText } from "./answertext.js";
import { append, button, fold, glyph, h, hidden, orSay, replace, toast } from "./dom.js";
import { icon } from "./icons.js";
import { claimInspector } from "./inspector.js";
import { badge, claimSummary, isDeclined, mark, repairName, verdictOf, withKinds } from "./marks.js";
import { post } from "./api.js";
import { sourceList } from "./sources.js";
import { nameOf, plural, sentence, sourceDate } from "./text.js";
import { timeline } from "./timeline.js";
import { trustLine } from "./trust.js";
import { openDocument, openPassage } from "./viewer.js";

/**
 * The view of one answer: `element`, and `keys` that walk its claims and open the source of the chosen one.
 *
 * `context` has the collection, the run's events, and `ask(text)` where the dialogue can go on.
 */
export class AnswerView {
	constructor(answer, context) {
		this.answer = answer;
		this.context = context;
		// Beside the text where there is room, else below it.
		this.inspectors = { beside: h("div.inspector-place"), below: h("div.inspector-place") };
		this.element = this.draw();
		this.keys = { j: () => this.walk.step(1), k: () => this.walk.step(-1), o: () => this.openChosen() };
	}

	draw() {
		const { answer } = this;
		const open = (number, n) => this.openSource(number, n);
		const claims = withKinds(answer.claims);
		this.prose = answerText(answer.text, claims, answer.citations, { choose: (n) => this.walk.choose(n), open });
		this.walk = new ClaimWalk(this.prose, answer.claims, (claim) => this.inspect(claim));
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

	/** Show what is known of the chosen claim. */
	inspect(claim) {
		const { beside, below } = this.inspectors;
		const isWide = beside.offsetParent && beside.getBoundingClientRect().left > this.prose.getBoundingClientRect().right;
		const known = claim && claimInspector(this.answer, claim, { open: (number, n) => this.openSource(number, n), close: () => this.walk.choose(claim.n), label: labelButtons(this.answer.run_id, claim.n, "claim") });
		replace(isWide ? below : beside);
		replace(isWide ? beside : below, known);
		for (const card of this.sources.querySelectorAll("[data-passage]")) card.classList.toggle("chosen", Boolean(claim?.citations.includes(card.dataset.passage)));
	}

	openChosen() {
		const claim = this.walk.chosen;
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
	const closest = answer.claims.length && withKinds(answer.claims).every((claim) => claim.kind === "quoted");
	const disputed = (answer.judgement.contradictions || []).length > 0;
	const note = doubtful ? (disputed ? "The sources disagree." : probable ? "This probably answers the question." : closest ? "These are the closest passages; they may not answer the question." : "This may not answer the question.") : "";
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
		half && ask ? h("div.actions.no-print", parts.slice(0, 3).map((part) => button(`Ask only: ${part}`, () => ask(`${sentence(part)}?`), "choice"))) : null,
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
				sources.map((source) => button(`[${source.number}] ${nameOf(source)}`, () => open(source.number), "text")),
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
	const items = passages.map((passage) => h("li", button(nameOf(passage), () => openPassage(passage, collection), "text")));
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
	return fold(badge("withdrawn", `${plural(dropped.length, "sentence")} left out`), h("ul.changes", items));
}

function repairs(answer) {
	const changed = answer.repairs.filter((repair) => repair.kind !== "dropped");
	if (!changed.length) return null;
	const items = changed.map((repair) => h("li", h("p", h("strong", repairName(repair.kind)), `: ${repair.reason}`), repair.before && h("p", h("del", repair.before)), repair.after && h("p", h("ins", repair.after))));
	return fold(`${plural(changed.length, "change")} after the checks`, h("ul.changes", items));
}

function warnings(answer) {
	if (!answer.warnings.length) return null;
	const items = answer.warnings.map((text) => h("li", text));
	return fold(plural(items.length, "remark"), h("ul", items));
}

/** Buttons that label an answer, or one of its claims, as right or wrong. */
export function labelButtons(runId, claim, what) {
	const row = h("span.labels", { role: "group", label: `Is this ${what} right?` });
	const make = (word) => {
		const label = async () => {
			await post("/feedback", { run_id: runId, claim, good: word === "right" });
			for (const one of row.children) one.setAttribute("aria-pressed", String(one === made));
			toast(`Labelled as ${word}. Labels improve the measured trust.`);
		};
		const made = button([icon(word), hidden(`This ${what} is ${word}`)], () => orSay("The label was not kept", label), { class: "quiet icon-button", title: sentence(word), aria: { pressed: false } });
		return made;
	};
	return append(row, [make("right"), make("wrong")]);
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
