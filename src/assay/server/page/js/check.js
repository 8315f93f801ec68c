// Check: any draft against sources; each claim's verdict in place, each repair to accept or reject.

import { copy } from "./answer.js";
import { ClaimWalk, answerText } from "./answertext.js";
import { post } from "./api.js";
import { announce, button, fileInput, glyph, h, load, pageHead, replace, submitButton } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { claimInspector } from "./inspector.js";
import { badge, claimSummary, mark, repairName, withKinds } from "./marks.js";
import { plural } from "./text.js";
import { openText } from "./viewer.js";

// What was written outlives the view.
const kept = { text: "", sources: [{ title: "", text: "" }] };

/** The view. */
export function view(main) {
	const made = new CheckView(main);
	made.write();
	return { keys: { j: () => made.walk?.step(1), k: () => made.walk?.step(-1) } };
}

class CheckView {
	constructor(main) {
		this.place = h("div.check");
		const head = pageHead("Check", "Test every claim of a text, whoever wrote it, against sources that you trust.");
		replace(main, h("div.page", head, this.place));
	}

	// Writing: the draft, and the sources.

	write() {
		this.walk = null;
		const draft = h("textarea", { rows: "12", placeholder: "Paste the text to check. Citations such as [1] name the sources by their number.", on: { input: () => (kept.text = draft.value) } });
		draft.value = kept.text;
		const sources = h("div.source-forms", kept.sources.map((source, at) => this.sourceForm(source, at)));
		const add = () => {
			kept.sources.push({ title: "", text: "" });
			this.write();
			this.place.querySelector(".source-form:last-child input").focus();
		};
		const files = fileInput(() => this.read([...files.files]), { accept: ".txt,.md,.markdown,.csv,text/*" });
		const result = h("div");
		replace(
			this.place,
			h(
				"form.two.wide",
				{ on: { submit: () => this.check(result) } },
				h("div.stack", h("label", "Draft", draft), h("div.actions", submitButton("Check the draft"), kept.text ? button("Clear", () => this.clear(), "quiet") : null), result),
				h("section.stack", { label: "Sources" }, h("h2", "Sources"), sources, h("div.actions", button([icon("plus"), "Another source"], add), button("Read text files", () => files.click(), "quiet"), files)),
			),
		);
	}

	sourceForm(source, at) {
		const title = h("input", { placeholder: "Title, if you like", label: `Title of source ${at + 1}`, on: { input: () => (source.title = title.value) } });
		const text = h("textarea", { rows: "5", placeholder: "The source's text", label: `Text of source ${at + 1}`, on: { input: () => (source.text = text.value) } });
		title.value = source.title;
		text.value = source.text;
		const drop = () => {
			kept.sources.splice(at, 1);
			if (!kept.sources.length) kept.sources.push({ title: "", text: "" });
			this.write();
		};
		return h("div.source-form.card", h("div.card-head", h("span.source-number", String(at + 1)), title, iconButton("close", `Remove source ${at + 1}`, drop)), text);
	}

	async read(files) {
		const texts = await Promise.all(files.map(async (file) => ({ title: titleOf(file.name), text: await file.text() })));
		kept.sources = [...kept.sources.filter((source) => source.text.trim()), ...texts];
		this.write();
	}

	clear() {
		kept.text = "";
		this.write();
	}

	check(result) {
		const sources = kept.sources.filter((source) => source.text.trim());
		const need = !kept.text.trim() ? "Paste a text to check." : !sources.length ? "Give at least one source to check it against." : "";
		if (need) return void replace(result, h("p.note.open", { role: "alert" }, need));
		const body = { text: kept.text, sources: sources.map(({ title, text }) => ({ title, text })) };
		const test = async () => this.show(kept.text, sources, ...(await Promise.all([post("/check", body), post("/fix", body)])));
		return load(result, test, 4);
	}

	// The result: the text with its marks, the repairs beside it.

	show(text, sources, review, fixed) {
		this.review = review;
		this.sources = sources.map((source, at) => ({ ...source, number: at + 1, passage_id: String(at + 1), document_id: `source ${at + 1}` }));
		const open = (number, n) => this.open(number, n);
		const prose = answerText(text, withKinds(review.claims), review.citations, { choose: (n) => this.walk.choose(n), open });
		const inspector = h("div.inspector-place");
		const inspect = (claim) => replace(inspector, claim && claimInspector({ ...review, sources: this.sources }, claim, { open, close: () => this.walk.choose(claim.n) }));
		this.walk = new ClaimWalk(prose, review.claims, inspect);
		const worst = { supported: "passed", unknown: "unknown", unsupported: "failed", contradicted: "failed" }[review.verdict];
		const title = { passed: "Every claim holds", unknown: "Not every claim could be tested", failed: "Some claims do not hold" }[worst];
		const note = h("div", { class: `verdict ${mark(worst).tone}` }, h("p", glyph(mark(worst).sign), h("strong", title), ` · ${claimSummary(review.claims)}`));
		const unnamed = review.invalid_citations.length ? h("p.note.open", `These marks name no source: ${review.invalid_citations.join(", ")}.`) : null;
		replace(
			this.place,
			h(
				"div.two.wide",
				h("section.stack", { label: "The checked text" }, note, prose, unnamed, inspector, h("div.actions", button("Edit the text", () => this.write()))),
				this.repairs(fixed),
			),
		);
		announce(`${title}, ${claimSummary(review.claims)}`);
	}

	open(number, n) {
		const source = this.sources[number - 1];
		if (!source) return;
		const spans = this.review.claims.filter((claim) => n === undefined || claim.n === n).flatMap((claim) => claim.spans);
		openText(source.title || `Source ${number}`, source.text, spans.filter((span) => span.passage_id === source.passage_id));
	}

	repairs(fixed) {
		const accepted = new Set(fixed.repairs.keys().filter((at) => fixed.repairs[at].kind !== "hedged"));
		const cards = h("ol.passages");
		const output = h("div.prose.small.pre", { aria: { live: "polite" } });
		let text = "";
		const draw = () => {
			const made = applied(fixed, accepted);
			text = made.text;
			replace(cards, fixed.repairs.map((repair, at) => this.repair(repair, accepted.has(at), made.blocked.has(at), (is) => {
				if (is) accepted.add(at);
				else accepted.delete(at);
				draw();
				cards.children[at].querySelector(is ? ".reject" : ".accept")?.focus();
			})));
			replace(output, text);
		};
		draw();
		const again = () => {
			kept.text = text;
			this.write();
			this.place.querySelector("form").requestSubmit();
		};
		return h(
			"section.stack",
			{ label: "Repairs" },
			h("h2", fixed.repairs.length ? plural(fixed.repairs.length, "repair") : "Nothing to repair"),
			fixed.warnings.map((warning) => h("p.fine", warning)),
			cards,
			h("h2", "The text now"),
			h("div.card", output, h("div.actions", button([icon("copy"), "Copy"], () => copy(text, "The text was copied"), "primary"), fixed.repairs.length ? button("Check it again", again) : null)),
		);
	}

	repair(repair, isAccepted, isBlocked, set) {
		const state = isBlocked ? h("span.fine", "It changes what another repair made: accept that one first.") : badge(isAccepted ? "passed" : "skipped", isAccepted ? "accepted" : "not accepted");
		return h(
			"li",
			{ class: `card repair ${isAccepted ? "accepted" : ""}` },
			h("p", h("strong", repairName(repair.kind)), h("span.why", repair.reason)),
			h("div.change", repair.before && h("p", h("del", repair.before)), h("p", repair.after ? h("ins", repair.after) : h("em", "left out"))),
			h("div.actions", isAccepted ? button("Reject", () => set(false), "reject") : button("Accept", () => set(true), { class: "accept", disabled: isBlocked }), state),
		);
	}
}

// As a document's: checkers take the ending of a file's name for a statement.
const titleOf = (name) => name.replace(/(?<=.)\.\w{1,5}$/, "").replace(/[_\s]+|(?<=\w)-(?=\w)/g, " ").trim();

/** The draft with the accepted repairs, in their order; `blocked` are those whose text is not there without another. */
function applied(fixed, accepted) {
	let text = fixed.before;
	const blocked = new Set();
	fixed.repairs.forEach((repair, at) => {
		const place = repair.before ? text.indexOf(repair.before) : text.length;
		if (place < 0) blocked.add(at);
		else if (accepted.has(at)) text = text.slice(0, place) + repair.after + text.slice(place + repair.before.length);
	});
	return { text: text.replace(/[ \t]+(?=\n|$)/g, ""), blocked };
}
