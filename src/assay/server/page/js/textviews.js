// Documents that are no pages: text with line numbers, tables, and HTML that the server has cleaned.

import { h, tableFrame, tableRow } from "./dom.js";
import { CodePoints } from "./text.js";

/** Text as nodes, with `marks` ([start, end] in code points) highlighted. */
export function textWithMarks(text, marks) {
	const points = new CodePoints(text);
	const nodes = [];
	let at = 0;
	for (const [start, end] of [...marks].sort((one, other) => one[0] - other[0])) {
		const from = Math.max(at, points.unit(Math.max(0, start)));
		const to = points.unit(Math.max(0, end));
		if (to <= from) continue;
		nodes.push(text.slice(at, from), h("mark.found", text.slice(from, to)));
		at = to;
	}
	return [...nodes, text.slice(at)];
}

/** Lines with their numbers. */
export function drawText(body, view) {
	const rows = view.lines.map((line) => tableRow(line.number, [textWithMarks(line.text, line.marks)], { class: line.marks.length ? "marked" : "" }));
	body.append(h("table.lines", h("caption.hidden-text", "Text with line numbers"), h("tbody", rows)), rest(view, "line"));
	reveal(body);
}

export function drawTable(body, view) {
	const head = h("tr", h("th", { scope: "col" }, "Row"), view.columns.map((name) => h("th", { scope: "col" }, name)));
	const rows = view.rows.map((row) => tableRow(row.number, row.cells, { class: row.marked ? "marked" : "" }));
	body.append(tableFrame(h("table.cells", h("thead", head), h("tbody", rows)), "Rows of the document"), rest(view, "row"));
	reveal(body);
}

function rest({ first, earlier, later, total }, one) {
	if (earlier === null && later === null) return "";
	return h("p.fine", `${one}s ${first} to ${later === null ? total : later.split(":")[1] - 1} of ${total}`);
}

// What a document may consist of; anything else is shown as the text in it.
const TAGS = new Set("a abbr b blockquote br caption cite code dd del dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q s samp section small span strong sub sup table tbody td tfoot th thead tr u ul var".split(" "));
const DROPPED = new Set(["script", "style", "template", "iframe", "object", "embed", "svg", "math", "link", "meta", "base", "title", "noscript"]);
const NUMBERS = ["colspan", "rowspan", "start"];

/**
 * HTML that the server has cleaned, cleaned once more: it is parsed apart from the page, where nothing of it runs or
 * loads, and only known tags are built anew, without attributes.
 */
export function drawHtml(body, html) {
	const inert = new DOMParser().parseFromString(html, "text/html");
	const article = h("div.prose.rendered");
	for (const node of inert.body.childNodes) copyInto(article, node, 0);
	body.append(article);
	reveal(body);
}

// Deeper nesting is flattened: a page of thousands of levels must not exhaust the stack. Chosen.
const DEEPEST = 100;

function copyInto(parent, node, depth) {
	if (node.nodeType === Node.TEXT_NODE) parent.append(node.data);
	if (node.nodeType !== Node.ELEMENT_NODE) return;
	const tag = node.localName;
	if (DROPPED.has(tag)) return;
	if (depth > DEEPEST) return void parent.append(node.textContent);
	const known = TAGS.has(tag);
	const element = known ? h(shownTag(tag), tag === "mark" ? { class: "found" } : {}) : parent;
	if (known) for (const name of NUMBERS) if (/^\d{1,3}$/.test(node.getAttribute(name) || "")) element.setAttribute(name, node.getAttribute(name));
	for (const child of node.childNodes) copyInto(element, child, depth + 1);
	if (known) parent.append(element);
}

/** Links are shown as their text; headings stand below those of the page. */
function shownTag(tag) {
	if (tag === "a") return "span";
	const heading = /^h([1-6])$/.exec(tag);
	return heading ? `h${Math.min(6, Number(heading[1]) + 2)}` : tag;
}

/** Bring the first marked place into view, without moving the page around the document. */
export function reveal(body) {
	const place = body.querySelector("mark.found, tr.marked");
	if (place) body.scrollTop += place.getBoundingClientRect().top - body.getBoundingClientRect().top - body.clientHeight / 3;
}
