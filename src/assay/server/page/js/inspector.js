// What is known of one claim: its mark, the words that bear it out, its checks and its history.

import { button, h, hidden } from "./dom.js";
import { icon } from "./icons.js";
import { badge, claimKind, mark } from "./marks.js";
import { placeOf, plural, score } from "./text.js";

/** The card of a claim. */
export function claimInspector(answer, claim, { open, close, label }) {
  const place = answer.claims.indexOf(claim) + 1;
  return h(
    "section",
    { class: "inspector", aria: { label: `Claim ${place} of ${answer.claims.length}` } },
    h(
      "header",
      {},
      h("p", { class: "fine" }, `Claim ${place} of ${answer.claims.length}`),
      button([icon("close"), hidden("Close")], close, { class: "quiet icon-button" }),
    ),
    h("p", {}, badge(claimKind(claim)), h("span", { class: "fine" }, ` ${mark(claimKind(claim)).meaning} · support ${score(claim.support)}`)),
    claim.spans.length ? claim.spans.map((span) => quoteOf(answer, claim, span, open)) : h("p", { class: "fine" }, "No words of a source bear it out."),
    checksOf(answer, claim),
    h("details", { class: "fold" }, h("summary", {}, "How it was judged"), historyOf(claim)),
    h("footer", {}, h("span", { class: "fine" }, "Is this claim right?"), label),
  );
}

function quoteOf(answer, claim, span, open) {
  const source = answer.sources.find((one) => one.passage_id === span.passage_id);
  const place = source ? placeOf(span.location, span.line, source.title) : "";
  return h(
    "blockquote",
    {},
    h("p", {}, span.quote),
    source && button([`[${source.number}] ${source.title || source.document_id}`, place && `, ${place}`], () => open(source.number, claim.n), { class: "text" }),
  );
}

function checksOf(answer, claim) {
  const own = answer.checks.filter((check) => check.claim === claim.n);
  const open = own.filter((check) => check.status === "failed" || check.status === "unknown");
  const passed = own.filter((check) => check.status === "passed");
  return h(
    "ul",
    { class: "checks" },
    open.map((check) => h("li", {}, badge(check.status, check.name), check.cause && h("span", { class: "why" }, check.cause))),
    passed.length ? h("li", {}, badge("passed", `${plural(passed.length, "check")} passed`), h("span", { class: "why" }, [...new Set(passed.map((check) => check.name))].join(", "))) : null,
  );
}

function historyOf(claim) {
  return h("ol", { class: "history" }, claim.history.map((event) => h("li", {}, h("strong", {}, event.state), ` by ${event.by}`, event.reason && `: ${event.reason}`)));
}
