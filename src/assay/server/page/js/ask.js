// Ask: the dialogue. Answers stream sentence by sentence.

import { get, streamQuestion } from "./api.js";
import { answerText } from "./answertext.js";
import { AnswerView } from "./answer.js";
import { announce, button, empty, failure, h, hidden, replace, selectOf } from "./dom.js";
import { icon } from "./icons.js";
import { badge, isDeclined, mark } from "./marks.js";
import { collection, documents } from "./collections.js";
import { nameOf, plural } from "./text.js";
import { timeline } from "./timeline.js";
import { openPassage } from "./viewer.js";

const DEPTHS = [
	["", "Depth as set"],
	["fast", "Fast: no model"],
	["balanced", "Balanced"],
	["thorough", "Thorough"],
	["auto", "Auto"],
];

// The dialogue outlives the view, so that one can look something up and come back.
const turns = [];
let running = null;
let depth = "";

/** The view. */
export function view(main) {
	const thread = h("div.thread", h("h1.hidden-text", "Ask"), turns.map((turn) => turn.element));
	const box = composer((text) => ask(text, thread, box));
	const page = h("div.ask", thread, h("div.dock.no-print", box.element));
	replace(main, page);
	refresh(page, thread, box);
	for (const turn of turns) turn.ask = (text) => ask(text, thread, box);
	// On a touch screen the keyboard would hide half of the view.
	if (matchMedia("(pointer: fine)").matches) box.input.focus({ preventScroll: true });
	if (turns.length) turns.at(-1).element.scrollIntoView({ block: "start" });
	return { keys: { ...Object.fromEntries([..."jko"].map((key) => [key, () => current()?.keys[key]()])), "/": () => box.input.focus(), n: startAnew } };
}

const current = () => [...turns].reverse().find((turn) => turn.view)?.view;

function startAnew() {
	running?.abort();
	turns.length = 0;
	dispatchEvent(new HashChangeEvent("hashchange"));
}

function refresh(page, thread, box) {
	page.classList.toggle("fresh", !turns.length);
	box.element.querySelector(".anew").hidden = !turns.length;
	if (!turns.length) welcome(thread, (text) => ask(text, thread, box));
}

async function welcome(thread, start) {
	const place = h("div.welcome", h("h1", "Ask your documents"), h("p.subtitle", "Every sentence is tested against its source before you see it."));
	replace(thread, place);
	try {
		const [{ total }, { runs }] = await Promise.all([documents({ collection: collection(), limit: 1 }), get("/runs", { collection: collection(), outcome: "answered", limit: 20 })]);
		if (turns.length) return;
		if (!total) return void place.append(empty("There are no documents yet", "assay answers from your documents alone.", h("a.button.primary", { href: "#/documents" }, "Add documents")));
		const asked = [...new Set(runs.map((run) => run.question))].slice(0, 4);
		if (asked.length) place.append(h("div.earlier", h("h2", "Asked before"), asked.map((text) => button(text, () => start(text), "choice"))));
		place.append(h("p.fine", `${plural(total, "document")} in this collection`));
	} catch (error) {
		if (!turns.length) place.append(failure(error, () => welcome(thread, start)));
	}
}

function composer(send) {
	const input = h("textarea", { rows: "1", id: "question", placeholder: "Ask a question", label: "Question", on: { keydown: onKey, input: grow } });
	const select = selectOf(DEPTHS, depth, { label: "Depth", on: { change: () => (depth = select.value) } });
	const submit = h("button", { type: "submit", class: "primary icon-button round" }, icon("send"), hidden("Ask"));
	const stop = button([icon("stop"), "Stop"], () => running?.abort(), { class: "stop", hidden: true });
	const anew = button([icon("plus"), h("span", "New dialogue")], startAnew, { class: "quiet anew", title: "New dialogue", label: "New dialogue", hidden: !turns.length });
	const element = h("form.composer", { on: { submit: go } }, input, h("div.composer-row", select, anew, h("span.space"), stop, submit));
	function grow() {
		input.style.height = "auto";
		input.style.height = `${Math.min(input.scrollHeight, 200)}px`;
	}
	function onKey(event) {
		if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
			event.preventDefault();
			go();
		}
	}
	function go() {
		const text = input.value.trim();
		if (!text || running) return;
		input.value = "";
		grow();
		send(text);
	}
	const busy = (is) => {
		stop.hidden = !is;
		submit.hidden = is;
	};
	busy(Boolean(running));
	return { element, input, busy };
}

/** Earlier questions with their answers, for the question that follows. */
function history() {
	return turns
		.filter((turn) => turn.answer)
		.flatMap((turn) => [{ role: "user", text: turn.question }, { role: "assistant", text: turn.answer.text }]);
}

async function ask(question, thread, box) {
	if (running) return;
	if (!turns.length) replace(thread, h("h1.hidden-text", "Ask"));
	const before = history();
	const turn = new Turn(question, (text) => ask(text, thread, box));
	turns.push(turn);
	thread.append(turn.element);
	refresh(thread.parentElement, thread, box);
	turn.element.scrollIntoView({ block: "start", behavior: "smooth" });
	const control = (running = new AbortController());
	box.busy(true);
	const body = { question, history: before, collection: collection(), options: depth ? { profile: depth } : {} };
	try {
		for await (const event of streamQuestion("/ask", body, { signal: control.signal, reconnecting: () => turn.say("The connection broke; taking it up again") })) turn.receive(event);
	} catch (error) {
		if (control.signal.aborted) turn.stopped();
		else turn.failed(error);
	} finally {
		running = null;
		document.querySelector(".composer .stop")?.setAttribute("hidden", "");
		document.querySelector(".composer [type=submit]")?.removeAttribute("hidden");
	}
}

class Turn {
	constructor(question, askMore) {
		this.question = question;
		this.ask = askMore;
		this.collection = collection();
		this.events = [];
		this.sentences = new Map();
		this.numbers = new Map();
		this.passages = new Map();
		this.answer = null;
		this.view = null;
		this.status = h("p.status", { role: "status" }, h("span.pulse", { aria: { hidden: true } }), "Reading the question");
		this.body = h("div.turn-body", this.status);
		this.element = h("section.turn", { label: `Question: ${question}` }, h("h2.question", question), this.body);
	}

	receive(event) {
		this.events.push(event);
		const { kind } = event;
		if (kind === "done") return this.finish(event.answer);
		if (kind === "error") return this.failed({ title: event.message, hint: event.hint });
		if (kind === "status" && event.stage === "write") this.sentences.clear();
		if (kind === "evidence") for (const { passage } of event.evidence.hits) this.passages.set(passage.passage_id, passage);
		if (kind.startsWith("sentence.")) this.hear(event);
		this.say(this.doing(event));
		this.draw();
		return null;
	}

	/** Take in what was said of a sentence. */
	hear({ kind, sentence, reason = "", claims = 1 }) {
		const state = kind.slice("sentence.".length);
		for (const id of sentence.passage_ids) if (!this.numbers.has(id)) this.numbers.set(id, this.numbers.size + 1);
		const shown = state === "verified" && !claims ? "plain" : state === "withdrawn" && sentence.hedged ? "hedged" : state;
		this.sentences.set(sentence.number, { sentence, reason, kind: shown });
		if (state !== "provisional") announce(`Sentence ${sentence.number} ${mark(shown).word}`);
	}

	doing(event) {
		if (event.kind === "evidence") return `Found ${plural(event.evidence.hits.length, "passage")}; judging them`;
		if (event.kind === "acted") return { ANSWER: "Writing", REFINE: "Searching again in other words", EXTERNAL: "Searching outside" }[event.step.action] || "Finishing";
		if (event.kind === "status") return { understand: "Reading the question", retrieve: "Searching the documents", write: "Writing and checking" }[event.stage] || event.stage;
		if (event.kind.startsWith("sentence.")) return "Writing and checking";
		return this.doingNow;
	}

	say(text) {
		if (text === this.doingNow) return;
		this.doingNow = text;
		replace(this.status, h("span.pulse", { aria: { hidden: true } }), text);
	}

	draw() {
		if (!this.sentences.size) return;
		let text = "";
		const claims = [];
		const citations = [];
		const length = () => [...text].length;
		for (const [n, { sentence, kind }] of this.sentences) {
			const own = sentence.text.trimStart();
			if (text) text += /^\s*/.exec(sentence.text)[0] || " ";
			text += own;
			const end = length();
			const lead = /^\*\*[^*\n]+\*\* — /.exec(own);
			claims.push({ n, start: end - [...own].length + (lead ? [...lead[0]].length : 0), end, kind });
			for (const id of sentence.passage_ids) {
				const start = length() + 1;
				text += ` [${this.numbers.get(id)}]`;
				citations.push({ start, end: length(), numbers: [this.numbers.get(id)] });
			}
		}
		const reasons = [...this.sentences.values()].filter((one) => one.reason).map((one) => h("li", badge(one.kind, `sentence ${one.sentence.number}`), h("span.why", one.reason)));
		const prose = answerText(text, claims, citations, { open: (number) => this.open(number) });
		replace(this.body, h("div.answer", h("div.answer-main", prose, reasons.length ? h("ul.checks", reasons) : null, this.status), this.cited()));
	}

	/** The passages cited so far, in the order of their numbers. */
	cited() {
		const items = [...this.numbers].map(([id, number]) => {
			return h("li.source", h("p.source-head", h("span.source-number", { aria: { hidden: true } }, String(number)), button(nameOf(this.passages.get(id) || { document_id: id }), () => this.open(number), "text")));
		});
		return items.length ? h("div.answer-side", h("section.sources-box", { label: "Sources so far" }, h("h3", "Sources"), h("ol.sources", items))) : null;
	}

	open(number) {
		const [id] = [...this.numbers].find((one) => one[1] === number);
		const passage = this.passages.get(id);
		if (passage) openPassage(passage, this.collection);
	}

	finish(answer) {
		this.answer = answer;
		this.view = new AnswerView(answer, { collection: this.collection, events: this.events, ask: (text) => this.ask(text) });
		replace(this.body, this.view.element);
		announce(isDeclined(answer) ? answer.text : `The answer is complete, with ${plural(answer.claims.length, "claim")} and ${plural(answer.sources.length, "source")}`);
	}

	failed(error) {
		replace(this.body, failure(error, () => this.ask(this.question)), timeline(this.events, null));
	}

	stopped() {
		this.status.remove();
		this.body.append(h("p.note", "Stopped. What stands here was not finished, and what is not marked as verified was not tested."), button("Ask again", () => this.ask(this.question), "choice"));
		announce("Stopped");
	}
}
