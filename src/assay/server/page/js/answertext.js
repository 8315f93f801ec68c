// The text of an answer with its claims marked and its citations as buttons.

import { append, button, glyph, h, hidden } from "./dom.js";
import { drawMarkdown } from "./markdown.js";
import { mark } from "./marks.js";
import { CodePoints } from "./text.js";

// A short answer that stands before the block it is from.
const LEAD = /^\*\*([^*\n]{1,300})\*\*( — )/;

/**
 * The text as an element. `claims` are {n, start, end, kind}, `citations` {start, end, numbers}; offsets count code
 * points. `choose(n)` is called for a claim, `open(number, n)` for a citation of a source.
 */
export function answerText(text, claims, citations, { choose, open }) {
	const body = h("div.prose");
	const ink = new Ink(text, claims, citations, { choose, open });
	const lead = LEAD.exec(text);
	if (lead) {
		const first = h("p.lead");
		body.append(first);
		ink.text(first, 2, 2 + lead[1].length);
		ink.blockEnd(first, 2 + lead[1].length);
	}
	drawMarkdown(body, text, ink, lead ? lead[0].length : 0);
	for (const paragraph of body.querySelectorAll("p")) paragraph.classList.toggle("cites", !/\S/.test(ownText(paragraph)));
	return body;
}

/** The text of a paragraph without its marks and citations. */
const ownText = (paragraph) => [...paragraph.childNodes].filter((node) => !node.matches?.(".cite, .mark")).map((node) => node.textContent).join("");

/** Walking the claims of a text: `show(claim)` is told which is chosen, or undefined. */
export class ClaimWalk {
	constructor(prose, claims, show) {
		Object.assign(this, { prose, claims, show });
	}

	/** Choose a claim by its number; one that is chosen already is let go. */
	choose(n, focus = false) {
		const claim = this.chosen?.n === n && !focus ? undefined : this.claims.find((one) => one.n === n);
		this.chosen = claim;
		for (const element of this.prose.querySelectorAll("[data-claim], [data-mark]")) {
			const sign = element.dataset.mark;
			const is = Number(sign ?? element.dataset.claim) === claim?.n;
			element.classList.toggle("chosen", is);
			if (sign) element.setAttribute("aria-pressed", String(is));
			if (is && sign && focus) element.focus();
		}
		this.show(claim);
	}

	step(by) {
		const { claims } = this;
		const at = claims.indexOf(this.chosen);
		if (claims.length) this.choose(claims[at < 0 && by < 0 ? claims.length - 1 : (at + by + claims.length) % claims.length].n, true);
	}
}

class Ink {
	constructor(text, claims, citations, { choose, open }) {
		const points = new CodePoints(text);
		const place = (item) => ({ ...item, start: points.unit(item.start), end: points.unit(item.end) });
		this.source = text;
		this.claims = claims.map(place).sort((one, other) => one.start - other.start);
		this.citations = new Map(citations.map(place).map((citation) => [citation.start, citation]));
		this.choose = choose;
		this.open = open;
		this.signed = new Set();
	}

	text(parent, start, end) {
		for (let at = start; at < end; ) {
			this.sign(parent, at);
			const claim = this.claims.find((one) => one.start <= at && at < one.end);
			const next = this.claims.find((one) => one.start > at);
			const stop = Math.min(end, claim ? claim.end : end, next ? next.start : end);
			const piece = this.source.slice(at, stop);
			parent.append(claim ? this.marked(claim, piece) : piece);
			if (claim?.end === stop) this.sign(parent, stop);
			at = stop;
		}
	}

	marked(claim, piece) {
		const chosen = this.choose ? { on: { click: () => this.choose(claim.n) } } : {};
		return h("span", { class: `claim ${mark(claim.kind).tone} ${claim.kind}`, data: { claim: claim.n }, ...chosen }, piece);
	}

	/** Put the sign of each claim that ended by here behind it, once. */
	sign(parent, at) {
		for (const claim of this.claims) {
			if (claim.end > at || this.signed.has(claim.n)) continue;
			this.signed.add(claim.n);
			parent.append(this.signOf(claim));
		}
	}

	signOf(claim) {
		const { sign, word, tone, meaning } = mark(claim.kind);
		if (!sign) return "";
		const shown = tone === "good" ? hidden(word) : h("span.word", ` ${word}`);
		const content = [glyph(sign), shown];
		const title = `${word}: ${meaning}`;
		if (!this.choose) return h("span", { class: `mark ${tone} ${claim.kind}`, title }, content);
		const name = `Claim ${claim.n}: ${word}`;
		return button(content, () => this.choose(claim.n), { class: `mark ${tone} ${claim.kind}`, title, data: { mark: claim.n }, label: name });
	}

	markAt(at) {
		const citation = this.citations.get(at);
		if (!citation) return null;
		return { end: citation.end, draw: (parent) => this.cite(parent, citation) };
	}

	/** The buttons of a citation, behind the sign of the claim that it is for. */
	cite(parent, { start, numbers }) {
		this.sign(parent, start);
		const claim = this.claims.find((one) => one.start <= start && start < one.end) || this.claims.filter((one) => one.end <= start).pop();
		const properties = (number) => ({ class: "cite", label: `Source ${number}`, data: { cite: number } });
		append(parent, numbers.map((number) => button(String(number), () => this.open(number, claim?.n), properties(number))));
	}

	blockEnd(parent, end) {
		this.sign(parent.matches("p, li, h4, h5, h6") ? parent : parent.lastElementChild, end);
	}
}
