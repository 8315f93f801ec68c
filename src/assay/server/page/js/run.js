// One run in full: its answer, what people said of it, and what another setting would have made of it.

import { AnswerView, copy } from "./answer.js";
import { asApiError, get, path, post, remove, text as getText } from "./api.js";
import { button, confirm, dataTable, empty, failure, fold, h, load, orSay, replace, skeleton, submitButton, tableRow, toast } from "./dom.js";
import { showComparison } from "./difference.js";
import { badge, outcomeBadge } from "./marks.js";
import { moment, plural, words } from "./text.js";
import { timeline } from "./timeline.js";

/** The answer of a recorded run, null after an error. */
export function answerOf(record) {
	const last = record.events.at(-1);
	return last?.kind === "done" ? last.body.answer : null;
}

const eventsOf = (record) => record.events.map((event) => ({ ...event.body, kind: event.kind, at: event.at, seq: event.seq }));

export async function runView(main, id) {
	replace(main, h("div.page", skeleton(8)));
	const record = await get(path`/runs/${id}`);
	const { run } = record;
	const answer = answerOf(record);
	const events = eventsOf(record);
	const view = answer && new AnswerView(answer, { events, collection: run.collection });
	const about = h("p.about", outcomeBadge(run.outcome), h("span.fine", ` ${moment(run.started)} · collection ${run.collection || "none"}`));
	const page = h(
		"div.page.turn",
		h("a.back.no-print", { href: "#/runs" }, "‹ All runs"),
		h("header", h("h1.question", run.question || "A draft without a question"), about),
		view ? [h("h2.hidden-text", "Answer"), view.element] : [ended(events), timeline(events, null)],
		answer?.sources.length ? withoutSources(run) : null,
		answer && whatIf(run, answer),
		said(record),
		h("footer.actions.no-print", button("Download the report", () => orSay("The report could not be made", () => download(run))), button("Copy as JSON", () => copy(JSON.stringify(record, null, 2), "The run was copied as JSON"), "quiet"), button("Delete this run", () => forget(run), "quiet")),
	);
	replace(main, page);
	return view;
}

function ended(events) {
	const last = events.at(-1);
	if (last?.kind === "error") return failure({ title: last.message, hint: last.hint });
	return empty("This run has no answer", "It was not recorded to its end.");
}

function said({ decisions, labels }) {
	const items = [
		...decisions.map((decision) => ({ at: decision.at, by: decision.by, note: decision.note, mark: badge(decision.accepted ? "passed" : "failed", decision.accepted ? "accepted" : "rejected") })),
		...(labels || []).map((label) => ({ at: label.at, by: label.by, note: label.note, mark: badge(label.good ? "passed" : "failed", `${label.claim ? `claim ${label.claim}` : "the answer"} is ${label.good ? "right" : "wrong"}`) })),
	].sort((one, other) => other.at - one.at);
	if (!items.length) return null;
	return h("section", h("h2", "What people said"), h("ul.checks", items.map((item) => h("li", item.mark, h("span.fine", ` ${item.by}, ${moment(item.at)}`), item.note && h("span.why", item.note)))));
}

/** What falls without each source, tested when it is opened. */
function withoutSources(run) {
	const result = h("div");
	const test = async () => {
		const { citations, sources } = await get(`/runs/${run.run_id}/sources`);
		const rolesOf = (n) => citations.filter((one) => one.source === n).map((one) => h("li", { title: one.reason }, `claim ${one.claims}: ${one.role}`));
		const rows = sources.map(({ number: n, title, falls }) => tableRow(`[${n}] ${title}`, [falls.join(", ") || "none", h("ul.plain-list", rolesOf(n))]));
		return dataTable("Without each source", ["Source", "Claims that fall", "Citations"], rows);
	};
	const part = fold("What falls without each source?", result, ".no-print");
	part.addEventListener("toggle", () => result.firstChild || load(result, test, 3));
	return part;
}

async function download(run) {
	const page = await getText(`/runs/${run.run_id}/report?sources=true`);
	const link = h("a", { href: URL.createObjectURL(new Blob([page], { type: "text/html" })), download: `assay-${run.run_id}.html` });
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function forget(run) {
	if (!(await confirm("Delete this run?", "Its question, answer, events and labels are deleted for good. Figures will no longer count it.", "Delete"))) return;
	await orSay("It was not deleted", async () => {
		await remove(`/runs/${run.run_id}`);
		toast("The run was deleted");
		location.hash = "#/runs";
	});
}

// The settings that a run can be decided again with, and what they do.
const CHANGEABLE = {
	correct: "evidence that scores at least this suffices, 0 to 1",
	incorrect: "evidence that scores below this is irrelevant, 0 to 1",
	least_passages: "how many passages evidence must have",
	judging: "decide, log or off",
	checker: "the network that tests claims: bundled or none",
	reader: "the network that reads passages: bundled or none",
	repairs: "the most repairs",
	rounds: "the most rounds of searching",
	k: "how many passages to find",
	profile: "fast, balanced, thorough or auto",
	ask_back: "whether to ask back: true or false",
	quality: "the quality that an answer should reach, 0 to 1",
	floor: "what it should reach in each criterion, 0 to 1",
};

function whatIf(run, answer) {
	const names = h("datalist", { id: "setting-names" }, Object.entries(CHANGEABLE).map(([value, label]) => h("option", { value, label })));
	const rows = h("div.setting-rows");
	const result = h("div.what-if-result", { aria: { live: "polite" } });
	const add = () => rows.append(settingRow(rows));
	add();
	const go = async (live) => {
		const settings = readRows(rows);
		replace(result, skeleton(4));
		try {
			const found = await post(`/runs/${run.run_id}/replay`, live ? { settings, live } : { settings });
			showReplay(result, answer, found);
		} catch (error) {
			showRefusal(result, asApiError(error), () => go(true));
		}
	};
	return fold(
		"What if a setting had been another?",
		[
			h("p.fine", "The run is decided again from its tape: offline, at no cost, and without changing what is recorded."),
			h("form", { on: { submit: () => go() } }, names, rows, h("div.actions", button("Another setting", add, "quiet"), submitButton("Decide again"))),
			result,
		],
		".what-if.no-print",
	);
}

function settingRow(rows) {
	const row = h(
		"div.setting-row",
		h("label", "Setting", h("input", { name: "name", list: "setting-names", autocomplete: "off", spellcheck: "false" })),
		h("label", "Value", h("input", { name: "value", autocomplete: "off", spellcheck: "false" })),
		button("Remove", () => (rows.childElementCount > 1 ? row.remove() : row.querySelectorAll("input").forEach((input) => (input.value = ""))), "quiet"),
	);
	return row;
}

/** The settings written, values read as JSON where they are. */
function readRows(rows) {
	const settings = {};
	for (const row of rows.children) {
		const [name, value] = [...row.querySelectorAll("input")].map((input) => input.value.trim());
		if (name) settings[name] = jsonOrText(value);
	}
	return settings;
}

function jsonOrText(value) {
	try {
		return JSON.parse(value);
	} catch {
		return value;
	}
}

function showReplay(result, before, found) {
	const told = found.settings.map((change) => `${words(change.path)} ${change.after} instead of ${change.before}`).join(", ") || "the same settings";
	const { changed, claims, checks } = found.difference;
	const count = changed.length + claims.length + checks.length;
	const title = count ? `With ${told}, ${plural(count, "part")} differ` : `With ${told}, the answer is the same`;
	showComparison(result, title, before, found.answer, ["As it was", "As it would be"], changed);
	const notes = [
		found.drifted && "This version of assay answers the run otherwise even under its own settings: not all that differs is due to the change.",
		found.calls.length && `${plural(found.calls.length, "call")} that the tape does not hold were made: ${[...new Set(found.calls)].join(", ")}.`,
	];
	for (const note of notes.filter(Boolean)) result.firstElementChild.after(h("p.note.open", note));
}

function showRefusal(result, error, makeCalls) {
	const call = error.status === 409 || !error.status;
	replace(result, h("div.note.open", { role: "alert" }, h("h3", error.title), error.detail && h("p", error.detail), error.hint && h("p", error.hint), call ? h("div.actions", button("Make the calls", makeCalls), h("span.fine", "They may cost money, and a real answer may differ.")) : null));
}
