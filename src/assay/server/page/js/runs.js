// Runs: what was asked, what waits for a decision, one run in full, two side by side.

import { get, path, post } from "./api.js";
import { answerText } from "./answertext.js";
import { append, button, dataTable, empty, failure, h, load, pageHead, replace, searchField, selectOf, tabs, toast } from "./dom.js";
import { collection } from "./collections.js";
import { comparison } from "./difference.js";
import { OUTCOME_NAMES, badge, outcomeBadge, withKinds } from "./marks.js";
import { answerOf, runView } from "./run.js";
import { moment } from "./text.js";

const PAGE = 50;

/** The view: the history, `review`, `compare/A/B`, or the run of that id. */
export function view(main, { rest }) {
	if (rest[0] === "review") return reviewView(main);
	if (rest[0] === "compare" && rest.length === 3) return compareView(main, rest[1], rest[2]);
	if (rest[0]) return runView(main, rest[0]);
	return new HistoryView(main).begin();
}

const head = (title, text, current) => pageHead(title, text, tabs("Runs", [["#/runs", "History"], ["#/runs/review", "Review queue"]], current));

class HistoryView {
	constructor(main) {
		this.main = main;
		this.chosen = [];
		this.filter = { q: "", outcome: "" };
		this.list = h("div");
		this.compare = button("Compare the two", () => (location.hash = `#/runs/compare/${this.chosen.join("/")}`), "primary");
	}

	begin() {
		const input = searchField("Find a question");
		let timer = 0;
		input.addEventListener("input", () => {
			clearTimeout(timer);
			timer = setTimeout(() => this.set({ q: input.value.trim() }), 200);
		});
		const outcomes = selectOf([["", "Every outcome"], ...Object.entries(OUTCOME_NAMES)], "", { label: "Outcome" });
		outcomes.addEventListener("change", () => this.set({ outcome: outcomes.value }));
		this.bar = h("div.chosen-bar", { role: "status" });
		replace(this.main, h("div.page", head("Runs", "Each question, with all that led to its answer.", "History"), h("div.search-bar", { role: "search", label: "Filter the runs" }, input, outcomes), this.bar, this.list));
		this.drawBar();
		this.load(8);
		return { keys: { "/": () => input.focus() } };
	}

	set(change) {
		Object.assign(this.filter, change);
		this.load();
	}

	load(bars) {
		const draw = async () => {
			const { runs, next } = await this.page();
			if (!runs.length) return this.nothing();
			const table = dataTable("Runs", ["", "Question", "Outcome", "When"], runs.map((run) => this.row(run)), "list.cards");
			const more = button("Show older", async () => {
				const page = await this.page(more.dataset.next);
				append(table.querySelector("tbody"), page.runs.map((run) => this.row(run)));
				setNext(more, page.next);
			});
			setNext(more, next);
			return [table, more];
		};
		load(this.list, draw, bars);
	}

	page(before) {
		return get("/runs", { collection: collection(), limit: PAGE, before, ...this.filter });
	}

	nothing() {
		if (this.filter.q || this.filter.outcome) return empty("No run fits", "Change the words or the outcome.");
		return empty("No question was asked yet", "Each question that is asked here, on the command line or through the API is kept as a run.", h("a.button.primary", { href: "#/" }, "Ask a question"));
	}

	row(run) {
		const box = h("input", { type: "checkbox", label: `Choose to compare: ${run.question}`, checked: this.chosen.includes(run.run_id), on: { change: () => this.choose(run.run_id, box.checked) } });
		return h("tr", h("td.pick", box), h("td.main-cell", h("a", { href: `#/runs/${run.run_id}` }, run.question || "(a draft without a question)")), h("td", outcomeBadge(run.outcome)), h("td.fine.nowrap", moment(run.started)));
	}

	choose(id, is) {
		this.chosen = is ? [...this.chosen, id].slice(-2) : this.chosen.filter((one) => one !== id);
		for (const row of this.list.querySelectorAll("tbody tr")) row.querySelector("input").checked = this.chosen.some((one) => row.querySelector("a").hash === `#/runs/${one}`);
		this.drawBar();
	}

	drawBar() {
		const { length } = this.chosen;
		replace(this.bar, length === 0 ? h("span.fine", "Choose two runs to see them side by side.") : length === 1 ? h("span.fine", "Choose one more to compare.") : this.compare);
	}
}

function setNext(control, next) {
	control.hidden = !next;
	control.dataset.next = next || "";
}

async function compareView(main, one, other) {
	const place = h("div");
	replace(main, h("div.page", h("a.back", { href: "#/runs" }, "‹ All runs"), h("h1", "Two runs side by side"), place));
	await load(place, () => compared(one, other), 8);
}

async function compared(one, other) {
	const [first, second] = await Promise.all([get(path`/runs/${one}`), get(path`/runs/${other}`)]);
	const [before, after] = [answerOf(first), answerOf(second)];
	if (!before || !after) return empty("These cannot be compared", "One of the runs ended with an error, so it has no answer.", h("a.button", { href: `#/runs/${before ? other : one}` }, "Look at it"));
	const names = [first, second].map(({ run }) => moment(run.started));
	const questions = first.run.question === second.run.question ? h("h2.question.small", first.run.question) : h("div.two", [first, second].map(({ run }) => h("h2.question.small", h("a", { href: `#/runs/${run.run_id}` }, run.question))));
	return [questions, comparison(before, after, names)];
}

// The answers that were given with findings left, for a person's decision.

async function reviewView(main) {
	const list = h("ol.passages");
	replace(main, h("div.page", head("Review queue", "Answers that were shown although something in them stayed open. Your decision is kept as a label.", "Review queue"), list));
	const nothing = () => h("li", empty("Nothing waits for a decision", "Answers with findings that no repair fixed appear here."));
	const leave = (item) => {
		const next = item.nextElementSibling || item.previousElementSibling;
		item.remove();
		if (next) next.querySelector("button").focus();
		else replace(list, nothing());
	};
	await load(list, async () => {
		const { waiting } = await get("/review");
		return waiting.length ? waiting.map((queued) => queuedItem(queued, leave)) : nothing();
	}, 5);
}

function queuedItem({ run, findings }, leave) {
	const note = h("input", { type: "text", placeholder: "A note, if you like", label: `Note on: ${run.question}` });
	const place = h("div");
	const decide = async (accepted) => {
		try {
			await post(path`/review/${run.run_id}`, { accepted, note: note.value.trim() });
			toast(accepted ? "Accepted" : "Rejected");
			leave(item);
		} catch (error) {
			replace(place, failure(error));
		}
	};
	const show = async () => {
		const answer = answerOf(await get(path`/runs/${run.run_id}`));
		return answerText(answer.text, withKinds(answer.claims), answer.citations, { open: () => (location.hash = `#/runs/${run.run_id}`) });
	};
	const item = h(
		"li.card",
		h("header.card-head", h("h2", h("a", { href: `#/runs/${run.run_id}` }, run.question || "(a draft without a question)")), h("span.fine", moment(run.started))),
		h("ul.checks", findings.map((finding) => h("li", badge("unknown", finding.split(":")[0]), h("span.why", finding.slice(finding.indexOf(":") + 1).trim())))),
		place,
		h("div.actions", button("Show the answer", () => load(place, show, 3), "quiet"), note, button("Accept", () => decide(true), "primary"), button("Reject", () => decide(false))),
	);
	return item;
}
