// The document itself, opened at the quoted place, beside the view or over it.

import { get, path } from "./api.js";
import { announce, button, failure, glyph, h, hidden, load, replace, searchField, skeleton } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { drawPages } from "./pdfview.js";
import { drawHtml, drawTable, drawText, reveal, textWithMarks } from "./textviews.js";
import { fileName, nameOf, placeOf, plural, sourceDate } from "./text.js";

const panel = document.getElementById("viewer");
const stage = document.getElementById("stage");
let opener = null;
let pending = null;

/** Open a document where `span` stands: {start, end, quote}; `source` is a source or passage of it. */
export async function openDocument({ source, span, collection }) {
	const place = span ? placeOf(span.location || source.location, span.line ?? source.line, source.title) : "";
	const about = [fileName(source.path), place, source.origin?.date && sourceDate(source.origin.date)].filter(Boolean).join(" · ");
	const bar = h("div.viewer-bar");
	const body = frame(nameOf(source), about, bar);
	await show({ source, collection, body, bar }, span);
}

/** Open the document of a passage where it stands. */
export const openPassage = (passage, collection) => openDocument({ source: { ...passage, path: passage.source }, span: passage, collection });

/** Open a text that is no document, with spans of it ({start, end}) marked. */
export function openText(title, text, spans) {
	pending?.abort();
	const body = frame(title, "");
	replace(body, h("p.pre.stored-text", textWithMarks(text, spans.map((span) => [span.start, span.end]))));
	reveal(body);
}

/** The panel with a head and an empty body, which is returned. */
function frame(title, about, bar = null) {
	if (panel.hidden || !panel.contains(document.activeElement)) opener = document.activeElement;
	const body = h("div.viewer-body", { tabindex: "0", role: "region", label: "Text of the document" }, skeleton(6));
	const heading = h("h2", { tabindex: "-1" }, title);
	const close = iconButton("close", "Close the document", closeDocument, "Close (Esc)");
	replace(panel, h("header.viewer-head", h("div", heading, h("p.fine", about)), close), bar || h("div.viewer-bar"), body);
	panel.hidden = false;
	stage.classList.add("with-viewer");
	heading.focus({ preventScroll: true });
	return body;
}

/** Close the document and go back to where it was opened. */
export function closeDocument() {
	if (panel.hidden) return;
	pending?.abort();
	panel.hidden = true;
	panel.replaceChildren();
	stage.classList.remove("with-viewer");
	if (opener?.isConnected) opener.focus({ preventScroll: true });
}

export const isDocumentOpen = () => !panel.hidden;

async function show(state, span, position) {
	pending?.abort();
	pending = new AbortController();
	const { signal } = pending;
	const { source, collection, body } = state;
	try {
		const query = { collection, start: span?.start, end: span?.end, position };
		const view = await get(path`/documents/${source.document_id}/view`, query, signal);
		body.replaceChildren();
		drawBar(state, view);
		draw(state, view, signal);
		drawParts(state, view, span);
		announce(position !== undefined ? "Another part of the document is shown" : span ? "The document is open at the quoted place" : "The document is open");
	} catch (error) {
		if (!signal.aborted) replace(body, stored(source, span), failure(error, () => show(state, span, position)));
	}
}

/** Buttons for the parts before and after, of a document that is shown in parts. */
function drawParts(state, { earlier, later }, span) {
	const { body } = state;
	const part = (label, position) => {
		if (position == null) return "";
		const turn = async () => {
			await show(state, span, position);
			body.scrollTop = position === later ? 0 : body.scrollHeight;
			body.focus({ preventScroll: true });
		};
		return button(label, turn, "quiet");
	};
	body.prepend(part("↑ Earlier", earlier));
	body.append(part("Later ↓", later));
}

function draw(state, view, signal) {
	const { source, collection, body } = state;
	if (view.kind === "pdf") drawPages(body, view, { path: path`/documents/${source.document_id}/pages`, collection, signal });
	else if (view.kind === "html") drawHtml(body, view.html);
	else if (view.kind === "table") drawTable(body, view);
	else drawText(body, view);
}

/** What was stored of a source whose document cannot be shown. */
function stored(source, span) {
	const text = source.quote ?? source.text;
	if (!text) return null;
	const from = span ? span.start - source.start : 0;
	const marks = span ? [[from, from + (span.end - span.start)]] : [];
	return h("div.stored", h("p.fine", "These are the stored words that the answer was tested against."), h("p.pre", textWithMarks(text, marks)));
}

function drawBar(state, view) {
	const results = h("div.find-results", { aria: { live: "polite" } });
	const input = searchField("Find in this document");
	const find = () => {
		const query = { collection: state.collection, q: input.value.trim() };
		load(results, async () => query.q && foundPlaces((await get(path`/documents/${state.source.document_id}/find`, query)).matches, state));
	};
	const form = h("form.find", { role: "search", label: "This document", on: { submit: find } }, input, h("button", { type: "submit", class: "quiet icon-button" }, icon("search"), hidden("Find")));
	const changed = view.exact === false ? h("p.fine.changed", glyph("⚠"), "The file is no longer the one that was read: add it again to be sure.") : null;
	replace(state.bar, form, changed, results);
}

function foundPlaces(matches, state) {
	if (!matches.length) return h("p.fine", "Nothing found.");
	const items = matches.slice(0, 50).map((match) => h("li", button([h("span.fine", match.line ? `line ${match.line} ` : ""), match.context], () => show(state, match), "text")));
	return [h("p.fine", plural(matches.length, "place")), h("ol.plain-list", items)];
}
