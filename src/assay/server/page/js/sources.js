// The sources of an answer, with the words that its claims quote.

import { button, h } from "./dom.js";
import { icon } from "./icons.js";
import { fileName, nameOf, placeOf, sourceDate } from "./text.js";

const SHOWN = 280;

/** The list of sources; `open(number)` opens one at its quoted place. */
export function sourceList(answer, open) {
	const list = h("ol.sources", answer.sources.map((source) => card(source, answer.claims, open)));
	return h("section.sources-box", { label: `Sources of the answer to: ${answer.question}` }, h("h3", "Sources"), list);
}

function card(source, claims, open) {
	const spans = claims.flatMap((claim) => claim.spans).filter((span) => span.passage_id === source.passage_id);
	const longest = [...new Set(spans.map((span) => span.quote))].filter((quote, _, all) => !all.some((other) => other !== quote && other.includes(quote)));
	const quotes = longest.length ? longest : [source.quote];
	const place = placeOf(source.location, source.line, source.title);
	return h(
		"li.source",
		{ data: { passage: source.passage_id, source: source.number } },
		h(
			"p.source-head",
			h("span.source-number", { aria: { hidden: true } }, String(source.number)),
			button(nameOf(source), () => open(source.number), { class: "text", label: `Source ${source.number}: ${nameOf(source)}, open at the quoted place` }),
		),
		quotes.slice(0, 3).map((quote) => h("blockquote", shortened(quote))),
		h("p.fine", facts(source, place).join(" · ")),
		webAddress(source),
	);
}

function facts(source, place) {
	const { origin = {} } = source;
	const trust = origin.trust === "open" ? "from the open web" : "";
	return [fileName(source.path), place, origin.date && sourceDate(origin.date), trust].filter(Boolean);
}

/** The address of an outside source, the only link that an answer has. */
function webAddress(source) {
	const address = source.origin?.link;
	if (!address || !/^https?:\/\//.test(address)) return null;
	const link = h("a.fine", { rel: "noopener noreferrer nofollow", target: "_blank" }, icon("link"), address);
	link.href = address;
	return h("p", link);
}

const shortened = (text) => {
	const line = text.replace(/\s+/g, " ").trim();
	return line.length > SHOWN ? `${line.slice(0, SHOWN).trimEnd()}…` : line;
};
