// Two answers side by side, with what differs.

import { dataTable, h, replace, tableRow } from "./dom.js";
import { badge, claimKind, claimSummary, mark, outcomeBadge, verdictOf } from "./marks.js";
import { cost, duration, nameOf, percent, placeOf, score, words } from "./text.js";

// Longer texts are shown without marking their words: comparing takes the product of their lengths. Chosen.
const MOST_WORDS = 1500;

/**
 * Two answers compared: their texts, their facts, their sources. `names` are the heads of the columns; `changed` are
 * the parts that differ ({path, before, after}), where they are known.
 */
export function comparison(before, after, names, changed = null) {
	return h("div.comparison", texts(before, after, names), changed ? changeTable(changed, names) : factTable(before, after, names), claimTable(before, after, names), sourceTable(before, after, names));
}

function texts(before, after, names) {
	const [one, other] = markedTexts(plain(before.text), plain(after.text));
	const column = (answer, content, name) =>
		h("section.card", { label: name }, h("header", h("h3", name), h("p", { class: mark(verdictOf(answer).kind).tone }, badge(verdictOf(answer).kind, verdictOf(answer).text))), h("div.prose.pre.small", content));
	return h("div.two", column(before, one, names[0]), column(after, other, names[1]));
}

const plain = (text) => text.replaceAll("**", "");

/** Both texts, the words that only one of them has marked. */
function markedTexts(before, after) {
	const [one, other] = [before, after].map((text) => text.match(/\s+|[^\s]+/g) || []);
	if (before === after || one.length > MOST_WORDS || other.length > MOST_WORDS) return [before, after];
	const kept = commonPlaces(one, other);
	return [marked(one, new Set(kept.map(([at]) => at)), "del"), marked(other, new Set(kept.map(([, at]) => at)), "ins")];
}

function marked(words, kept, tag) {
	const nodes = [];
	for (let at = 0; at < words.length; ) {
		const is = kept.has(at);
		let end = at + 1;
		while (end < words.length && (kept.has(end) === is || (!is && !words[end].trim() && end + 1 < words.length && !kept.has(end + 1)))) end += 1;
		const text = words.slice(at, end).join("");
		nodes.push(is || !text.trim() ? text : h(tag, {}, text));
		at = end;
	}
	return nodes;
}

/** The places of a longest common subsequence, as pairs. */
function commonPlaces(one, other) {
	const width = other.length + 1;
	const lengths = new Uint16Array((one.length + 1) * width);
	for (let i = one.length - 1; i >= 0; i -= 1) {
		for (let j = other.length - 1; j >= 0; j -= 1) {
			const down = lengths[(i + 1) * width + j];
			const right = lengths[i * width + j + 1];
			lengths[i * width + j] = one[i] === other[j] ? lengths[(i + 1) * width + j + 1] + 1 : Math.max(down, right);
		}
	}
	const pairs = [];
	for (let i = 0, j = 0; i < one.length && j < other.length; ) {
		if (one[i] === other[j]) pairs.push([i++, j++]);
		else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i += 1;
		else j += 1;
	}
	return pairs;
}

const FACTS = [
	["Outcome", (answer) => answer.outcome, (answer) => outcomeBadge(answer.outcome)],
	["Claims", (answer) => claimSummary(answer.claims)],
	["Likely right", (answer) => percent(answer.confidence.value)],
	["Evidence suffices", (answer) => score(answer.judgement.sufficiency)],
	["Missing", (answer) => answer.judgement.missing.join("; ") || "nothing"],
	["Quality", (answer) => score(answer.assessment?.overall)],
	["Repairs", (answer) => String(answer.repairs.length)],
	["Searches", (answer) => String(answer.searches)],
	["Model calls", (answer) => String(answer.usage.calls)],
	["Cost", (answer) => cost(answer.usage.cost)],
	["Time", (answer) => duration(answer.ms)],
	["Depth", (answer) => `${answer.profile}, ${answer.mode_used}`],
	["Written by", (answer) => answer.models.writer],
	["Judged by", (answer) => answer.models.judge],
	["Verified by", (answer) => answer.models.verifier],
];

function factTable(before, after, names) {
	const rows = FACTS.map(([name, value, drawn = value]) => row(name, drawn(before), drawn(after), value(before) !== value(after)));
	return table("What differs", names, rows);
}

function changeTable(changed, names) {
	const shown = (value) => (Array.isArray(value) ? value.join(", ") : value === null || value === "" ? h("span.fine", "none") : typeof value === "number" ? score(value) : String(value));
	const rows = changed.filter((change) => change.path !== "text" && change.path !== "sources").map((change) => row(words(change.path.replaceAll(".", ": ")), shown(change.before), shown(change.after), true));
	return table("What differs", names, rows);
}

const row = (name, before, after, is) => tableRow(name, [before, after, is && h("span.fine", "differs")], { class: is ? "differs" : "" });

function table(title, names, rows) {
	if (!rows.length) return null;
	return h("section", h("h3", title), dataTable(title, ["Part", ...names, "Difference"], rows));
}

function claimTable(before, after, names) {
	const key = (claim) => claim.text.replace(/\s+/g, " ").trim();
	const of = (answer) => new Map(answer.claims.map((claim) => [key(claim), claim]));
	const [one, other] = [of(before), of(after)];
	const shown = (claim) => (claim ? badge(claimKind(claim)) : h("span.fine", "not there"));
	const kind = (claim) => claim && claimKind(claim);
	const rows = [...new Set([...one.keys(), ...other.keys()])].map((text) => row(text, shown(one.get(text)), shown(other.get(text)), kind(one.get(text)) !== kind(other.get(text))));
	return table("Claims", names, rows);
}

function sourceTable(before, after, names) {
	const of = (answer) => new Map(answer.sources.map((source) => [source.passage_id, source]));
	const [one, other] = [of(before), of(after)];
	const shown = (source) => (source ? `[${source.number}]` : h("span.fine", "not cited"));
	const rows = [...new Map([...one, ...other])].map(([id, source]) => row(`${nameOf(source)} ${placeOf(source.location, source.line, source.title)}`, shown(one.get(id)), shown(other.get(id)), one.has(id) !== other.has(id)));
	return table("Sources", names, rows);
}

export function showComparison(place, title, before, after, names, changed) {
	replace(place, h("h2", { tabindex: "-1" }, title), comparison(before, after, names, changed));
	place.querySelector("h2").focus({ preventScroll: true });
	place.scrollIntoView({ block: "start", behavior: "smooth" });
}
