// What the tests made of a claim, a check, a sentence or an answer: always a sign, a word and a colour.

import { glyph, h } from "./dom.js";

const MARKS = {
	quoted: { sign: "❞", word: "quoted exactly", tone: "good", meaning: "its words are those of the source" },
	supported: { sign: "✓", word: "supported", tone: "good", meaning: "its source says it in other words" },
	untested: { sign: "?", word: "untested", tone: "open", meaning: "it could not be tested" },
	unsupported: { sign: "✗", word: "not supported", tone: "bad", meaning: "no source says it" },
	contradicted: { sign: "✗", word: "contradicted", tone: "bad", meaning: "its source says otherwise" },
	provisional: { sign: "…", word: "being checked", tone: "pending", meaning: "it was written and is not tested yet" },
	verified: { sign: "✓", word: "verified", tone: "good", meaning: "it passed its checks" },
	revised: { sign: "↻", word: "corrected, being checked", tone: "pending", meaning: "it was corrected and is tested again" },
	withdrawn: { sign: "✗", word: "withdrawn", tone: "bad", meaning: "it did not pass and was left out" },
	hedged: { sign: "⚠", word: "not supported", tone: "open", meaning: "it is shown, but no source supports it" },
	plain: { sign: "", word: "no claim", tone: "plain", meaning: "it states nothing that could be tested" },
	passed: { sign: "✓", word: "passed", tone: "good", meaning: "" },
	half: { sign: "◐", word: "half an answer", tone: "open", meaning: "" },
	failed: { sign: "✗", word: "failed", tone: "bad", meaning: "" },
	unknown: { sign: "?", word: "could not be run", tone: "open", meaning: "" },
	skipped: { sign: "–", word: "not run", tone: "plain", meaning: "" },
};

export const mark = (kind) => MARKS[kind] || MARKS.unknown;

export function claimKind(claim) {
	if (claim.verdict === "supported") return claim.history.some((event) => event.by === "quote") ? "quoted" : "supported";
	return claim.verdict === "unknown" ? "untested" : claim.verdict;
}

/** Claims with the kind of mark of each. */
export const withKinds = (claims) => claims.map((claim) => ({ ...claim, kind: claimKind(claim) }));

export function badge(kind, word = mark(kind).word) {
	const { sign, tone } = mark(kind);
	return h("span", { class: `badge ${tone} ${kind}` }, glyph(sign), word);
}

export const repairName = (kind) => (kind === "hedged" ? "marked ⚠" : kind);

const OUTCOMES = {
	answered: { kind: "passed", word: "answered" },
	partial: { kind: "half", word: "half an answer" },
	clarify: { kind: "unknown", word: "asked back" },
	abstained: { kind: "skipped", word: "no answer" },
	error: { kind: "failed", word: "error" },
};

export const OUTCOME_NAMES = Object.fromEntries(Object.entries(OUTCOMES).map(([name, { word }]) => [name, word]));

export function outcomeBadge(outcome) {
	const { kind, word } = OUTCOMES[outcome] || { kind: "unknown", word: outcome };
	return badge(kind, word);
}

export const isDeclined = (answer) => answer.outcome === "abstained" || answer.outcome === "clarify";

/** The state of an answer as a whole: {kind, text}. */
export function verdictOf(answer) {
	if (answer.outcome === "abstained") return { kind: "skipped", text: "No answer: the documents do not say" };
	if (answer.outcome === "clarify") return { kind: "skipped", text: "No answer yet: the question is unclear" };
	const blocking = answer.checks.filter((check) => check.severity === "block");
	const failed = blocking.some((check) => check.status === "failed");
	const open = blocking.filter((check) => check.status === "unknown");
	const { answers } = answer.confidence;
	if (!failed && !open.length) {
		if (!answer.claims.length) return { kind: "unknown", text: "Not verified: it makes no claims" };
		if (answer.outcome === "partial") return { kind: "half", text: "Answers a part of the question" };
		return { kind: "passed", text: answers === "yes" ? "Answers the question" : "Verified" };
	}
	if (!failed && open.every((check) => check.name === "answers")) {
		return { kind: "unknown", text: `${answers === "no" ? "Does" : "May"} not answer the question` };
	}
	return { kind: failed ? "failed" : "unknown", text: "Not verified" };
}

/** How many claims quote their source, and how many it bears out. */
export function claimSummary(claims) {
	const kinds = claims.map(claimKind);
	const quoted = kinds.filter((kind) => kind === "quoted").length;
	const good = quoted + kinds.filter((kind) => kind === "supported").length;
	if (!claims.length) return "no claims";
	if (quoted === claims.length) return claims.length === 1 ? "its one claim is quoted exactly" : `all ${claims.length} claims are quoted exactly`;
	const told = `${good} of ${claims.length} ${claims.length === 1 ? "claim is" : "claims are"} supported`;
	return quoted ? `${told}, ${quoted} word for word` : told;
}
