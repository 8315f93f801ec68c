// What is known of one claim: its mark, the words that bear it out, its checks and its history.

import { button, fold, h } from "./dom.js";
import { iconButton } from "./icons.js";
import { badge, claimKind, mark } from "./marks.js";
import { nameOf, placeOf, plural, score } from "./text.js";

export function claimInspector(answer, claim, { open, close, label }) {
	const place = answer.claims.indexOf(claim) + 1;
	return h(
		"section.inspector",
		{ label: `Claim ${place} of ${answer.claims.length}` },
		h("header", h("p.fine", `Claim ${place} of ${answer.claims.length}`), iconButton("close", "Close", close)),
		h("p", badge(claimKind(claim)), h("span.fine", ` ${mark(claimKind(claim)).meaning} · support ${score(claim.support)}`)),
		claim.spans.length ? claim.spans.map((span) => quoteOf(answer, claim, span, open)) : h("p.fine", "No words of a source bear it out."),
		checksOf(answer, claim),
		fold("How it was judged", historyOf(claim)),
		label && h("footer", h("span.fine", "Is this claim right?"), label),
	);
}

function quoteOf(answer, claim, span, open) {
	const source = answer.sources.find((one) => one.passage_id === span.passage_id);
	const place = source ? placeOf(span.location, span.line, source.title) : "";
	return h(
		"blockquote",
		h("p", span.quote),
		source && button([`[${source.number}] ${nameOf(source)}`, place && `, ${place}`], () => open(source.number, claim.n), "text"),
	);
}

function checksOf(answer, claim) {
	const own = answer.checks.filter((check) => check.claim === claim.n);
	const open = own.filter((check) => check.status === "failed" || check.status === "unknown");
	const passed = own.filter((check) => check.status === "passed");
	return h(
		"ul.checks",
		open.map((check) => h("li", badge(check.status, check.name), check.cause && h("span.why", check.cause))),
		passed.length ? h("li", badge("passed", `${plural(passed.length, "check")} passed`), h("span.why", [...new Set(passed.map((check) => check.name))].join(", "))) : null,
	);
}

function historyOf(claim) {
	return h("ol.history", claim.history.map((event) => h("li", h("strong", event.state), ` by ${event.by}`, event.reason && `: ${event.reason}`)));
}
