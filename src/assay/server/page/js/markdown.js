// The Markdown of answers as DOM nodes. What is no markup of this subset is shown as it is; there are no links and no
// images. Every text node knows its place in the source, so that claims and citations are drawn over it.

import { h, tableFrame } from "./dom.js";

const HEADING = /^(#{1,6})[ \t]+(?=\S)/;
const ITEM = /^([ \t]*)([-*+•]|\d{1,3}[.)])[ \t]+/;
const FENCE = /^[ \t]*(```|~~~)/;
// Of lines without their outer space, and without any space.
const RULE = /^([-*_])\1{2,}$/;
const TABLE_RULE = /^\|?:?-+:?(\|:?-+:?)*\|?$/;
const QUOTE = /^[ \t]*>[ \t]?/;
// A row of a table file as it is stored: "City | People", "City: Ulm; People: 126000".
const STORED_ROW = /^(.* \| .*|[^:;]{1,80}: .+)$/;
const FIELDS = /^[^:;|]{1,80}: [^;]*(; [^:;]{1,80}: [^;]*)+$/;

/**
 * Draw a text into an element.
 *
 * `ink` draws what stands in a stretch of the source: `ink.text(parent, start, end)`, and `ink.blockEnd(parent, end)`
 * after each block; `ink.markAt(start)` gives {end, draw} where a citation stands. Offsets are UTF-16 units; what stands
 * before `from` is left out.
 */
export function drawMarkdown(parent, source, ink, from = 0) {
	new Drawing(source, ink).blocks(parent, linesOf(source, from, source.length));
	return parent;
}

function linesOf(source, start, end) {
	const lines = [];
	for (let at = start; at < end; ) {
		const next = source.indexOf("\n", at);
		const stop = next < 0 || next > end ? end : next;
		lines.push({ start: at, end: stop, text: source.slice(at, stop) });
		at = stop + 1;
	}
	return lines;
}

class Drawing {
	constructor(source, ink) {
		this.source = source;
		this.ink = ink;
	}

	blocks(parent, lines) {
		for (let at = 0; at < lines.length; ) {
			const { text } = lines[at];
			if (!text.trim()) at += 1;
			else if (FENCE.test(text)) at = this.code(parent, lines, at);
			else if (HEADING.test(text)) at = this.heading(parent, lines, at);
			else if (RULE.test(text.replace(/\s/g, ""))) at = this.rule(parent, at);
			else if (this.isTable(lines, at)) at = this.table(parent, lines, at);
			else if (QUOTE.test(text)) at = this.quote(parent, lines, at);
			else if (ITEM.test(text)) at = this.list(parent, lines, at);
			else at = this.paragraph(parent, lines, at);
		}
	}

	rule(parent, at) {
		parent.append(h("hr"));
		return at + 1;
	}

	heading(parent, lines, at) {
		const line = lines[at];
		const [all, signs] = HEADING.exec(line.text);
		const text = line.text.trimEnd().replace(/#+$/, "").trimEnd();
		// The page's own headings go down to the third level.
		const element = h(`h${Math.min(signs.length + 3, 6)}`);
		this.inline(element, line.start + all.length, line.start + Math.max(text.length, all.length));
		this.finish(parent, element, line.end);
		return at + 1;
	}

	code(parent, lines, at) {
		let last = at + 1;
		while (last < lines.length && !FENCE.test(lines[last].text)) last += 1;
		const element = h("code");
		if (last > at + 1) this.ink.text(element, lines[at + 1].start, lines[last - 1].end);
		this.finish(parent, h("pre", { tabindex: "0" }, element), lines[Math.min(last, lines.length - 1)].end);
		return last + 1;
	}

	quote(parent, lines, at) {
		const inner = [];
		for (; at < lines.length && QUOTE.test(lines[at].text); at += 1) inner.push(cut(lines[at], QUOTE.exec(lines[at].text)[0].length));
		const element = h("blockquote");
		parent.append(element);
		this.blocks(element, inner);
		return at;
	}

	list(parent, lines, at) {
		const first = ITEM.exec(lines[at].text);
		const depth = indent(first[1]);
		const ordered = /\d/.test(first[2]);
		const list = h(ordered ? "ol" : "ul", ordered ? { start: parseInt(first[2], 10) } : {});
		parent.append(list);
		while (at < lines.length) {
			const item = ITEM.exec(lines[at].text);
			if (!item || indent(item[1]) < depth || /\d/.test(item[2]) !== ordered) break;
			const inner = [cut(lines[at], item[0].length)];
			for (at += 1; at < lines.length && this.continues(lines, at, depth); at += 1) inner.push(cut(lines[at], leading(lines[at].text, depth + 2)));
			const element = h("li");
			list.append(element);
			this.items(element, inner);
		}
		return at;
	}

	/** Whether a line belongs to the item above: it is indented, or goes on with its sentence. */
	continues(lines, at, depth) {
		const { text } = lines[at];
		if (!text.trim()) return at + 1 < lines.length && leading(lines[at + 1].text, depth + 2) > depth;
		const item = ITEM.exec(text);
		if (item) return indent(item[1]) > depth;
		return lines[at - 1].text.trim() !== "" || leading(text, depth + 2) > depth;
	}

	/** What an item holds: its own line without a paragraph, then blocks. */
	items(element, lines) {
		let own = 1;
		while (own < lines.length && lines[own].text.trim() && !ITEM.test(lines[own].text)) own += 1;
		this.inline(element, lines[0].start, lines[own - 1].end);
		this.ink.blockEnd(element, lines[own - 1].end);
		this.blocks(element, lines.slice(own));
	}

	isTable(lines, at) {
		return at + 1 < lines.length && lines[at].text.includes("|") && TABLE_RULE.test(lines[at + 1].text.replace(/\s/g, ""));
	}

	table(parent, lines, at) {
		const body = h("tbody");
		const head = h("thead", this.row("th", lines[at]));
		for (at += 2; at < lines.length && lines[at].text.includes("|"); at += 1) body.append(this.row("td", lines[at]));
		this.finish(parent, tableFrame(h("table", head, body)), lines[at - 1].end);
		return at;
	}

	row(tag, line) {
		const row = h("tr");
		for (const { start, end } of cells(line)) {
			const cell = h(tag, tag === "th" ? { scope: "col" } : {});
			this.inline(cell, start, end);
			row.append(cell);
		}
		return row;
	}

	paragraph(parent, lines, at) {
		const first = at;
		while (at < lines.length && lines[at].text.trim() && (at === first || !this.startsBlock(lines, at))) at += 1;
		const own = lines.slice(first, at);
		if (own.length > 1 && own.every((line) => STORED_ROW.test(line.text))) this.storedRows(parent, own);
		else {
			const element = h("p");
			this.inline(element, own[0].start, own.at(-1).end);
			this.finish(parent, element, own.at(-1).end);
		}
		return at;
	}

	startsBlock(lines, at) {
		const { text } = lines[at];
		return FENCE.test(text) || HEADING.test(text) || QUOTE.test(text) || ITEM.test(text) || this.isTable(lines, at);
	}

	/** Rows of a table file: each as its fields, or as a line. */
	storedRows(parent, lines) {
		const element = h("div.rows");
		for (const line of lines) {
			const row = h("p", { class: FIELDS.test(line.text) ? "row" : "row head" });
			this.inline(row, line.start, line.end);
			element.append(row);
		}
		this.finish(parent, element, lines.at(-1).end);
	}

	finish(parent, element, end) {
		parent.append(element);
		this.ink.blockEnd(element.matches("p, h4, h5, h6") ? element : parent, end);
	}

	// Inline: strong, emphasis, code, links as their text, citation marks.

	inline(parent, start, end) {
		let from = start;
		for (let at = start; at < end; ) {
			const found = this.ink.markAt(at) || this.span(at, end);
			if (!found) {
				at += 1;
				continue;
			}
			if (at > from) this.ink.text(parent, from, at);
			found.draw(parent);
			at = from = found.end;
		}
		if (end > from) this.ink.text(parent, from, end);
	}

	span(at, end) {
		const char = this.source[at];
		if (char === "\\") return this.escaped(at, end);
		if (char === "`") return this.codeSpan(at, end);
		if (char === "*" || char === "_") return this.emphasis(at, end);
		if (char === "[" || (char === "!" && this.source[at + 1] === "[")) return this.link(at, end);
		return null;
	}

	escaped(at, end) {
		if (at + 1 >= end || !/[!-/:-@[-`{-~]/.test(this.source[at + 1])) return null;
		return { end: at + 2, draw: (parent) => this.ink.text(parent, at + 1, at + 2) };
	}

	codeSpan(at, end) {
		const signs = /^`+/.exec(this.source.slice(at, end))[0];
		const close = this.source.indexOf(signs, at + signs.length);
		if (close < 0 || close + signs.length > end) return null;
		return { end: close + signs.length, draw: (parent) => this.wrapped(parent, "code", at + signs.length, close, true) };
	}

	emphasis(at, end) {
		const char = this.source[at];
		if (char === "_" && /\w/.test(this.source[at - 1] || "")) return null;
		for (const signs of [char + char, char]) {
			if (!this.source.startsWith(signs, at) || /\s/.test(this.source[at + signs.length] || " ")) continue;
			const close = this.closing(signs, at + signs.length, end);
			if (close > at + signs.length) {
				const tag = signs.length === 2 ? "strong" : "em";
				return { end: close + signs.length, draw: (parent) => this.wrapped(parent, tag, at + signs.length, close) };
			}
		}
		return null;
	}

	closing(signs, from, end) {
		for (let at = this.source.indexOf(signs, from); at >= 0 && at + signs.length <= end; at = this.source.indexOf(signs, at + 1)) {
			const inWord = signs[0] === "_" && /\w/.test(this.source[at + signs.length] || "");
			const isDouble = signs.length === 1 && (this.source[at + 1] === signs || this.source[at - 1] === signs);
			if (!/\s/.test(this.source[at - 1]) && !inWord && !isDouble) return at;
		}
		return -1;
	}

	/** A link is its text: an answer leads nowhere but to its sources. */
	link(at, end) {
		const match = /^!?\[([^\][]{1,300})\]\([^()\s]{1,500}\)/.exec(this.source.slice(at, Math.min(end, at + 820)));
		if (!match) return null;
		const start = at + match[0].indexOf("[") + 1;
		return { end: at + match[0].length, draw: (parent) => this.inline(parent, start, start + match[1].length) };
	}

	wrapped(parent, tag, start, end, verbatim = false) {
		const element = h(tag);
		parent.append(element);
		if (verbatim) this.ink.text(element, start, end);
		else this.inline(element, start, end);
	}
}

const indent = (space) => space.replaceAll("\t", "    ").length;

const leading = (text, most) => Math.min(/^[ \t]*/.exec(text)[0].length, most);

const cut = (line, count) => ({ start: line.start + count, end: line.end, text: line.text.slice(count) });

/** The cells of a table's line, without the space around them. */
function cells(line) {
	const found = [];
	let at = 0;
	const text = line.text.trimEnd();
	if (text.trimStart().startsWith("|")) at = text.indexOf("|") + 1;
	const last = text.endsWith("|") && !text.endsWith("\\|") ? text.length - 1 : text.length;
	for (let from = at; from <= last; ) {
		let stop = from;
		while (stop < last && (text[stop] !== "|" || text[stop - 1] === "\\")) stop += 1;
		const inner = text.slice(from, stop);
		const start = line.start + from + (inner.length - inner.trimStart().length);
		found.push({ start, end: start + inner.trim().length });
		from = stop + 1;
	}
	return found;
}
