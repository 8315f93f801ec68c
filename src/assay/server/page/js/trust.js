// How far an answer can be trusted: one plain line, and the plot behind it.

import { fold, h } from "./dom.js";
import { claimKind, mark } from "./marks.js";
import { dotPlot } from "./plot.js";
import { errorShare, number, percent, score, words } from "./text.js";

export function trustLine(answer) {
	const { confidence } = answer;
	return fold([h("strong", headline(confidence)), h("span.fine", ` ${basis(confidence)}`)], [dotPlot(rows(answer)), criteria(answer.assessment)], ".trust");
}

function headline(confidence) {
	if (confidence.calibrated && confidence.value !== null) return `${percent(confidence.value)} likely right`;
	return confidence.level ? `Confidence ${words(confidence.level)}` : "Confidence not measured";
}

function basis(confidence) {
	if (!(confidence.calibrated && confidence.value !== null)) return `Uncalibrated${confidence.cause ? `: ${confidence.cause}` : ""}.`;
	const elsewhere = confidence.elsewhere == null ? "" : `, by ${errorShare(confidence.elsewhere)} on unfamiliar documents`;
	return `Measured on ${number(confidence.n)} answers: off by ${errorShare(confidence.ece)} on average${elsewhere}.`;
}

/** What the trust rests on, each on a scale from 0 to 1. */
function rows(answer) {
	const { confidence, judgement } = answer;
	const known = [];
	if (confidence.calibrated && confidence.value !== null) known.push({ name: "Likely right", value: confidence.value, range: confidence.elsewhere ?? confidence.ece, text: percent(confidence.value), tone: "accent" });
	known.push({ name: "Evidence suffices", value: judgement.sufficiency, bounds: [0.3, 0.7] });
	for (const claim of answer.claims.slice(0, 12)) known.push({ name: `Claim ${claim.n}: ${mark(claimKind(claim)).word}`, value: claim.support, tone: mark(claimKind(claim)).tone });
	return known.map((row) => ({ text: score(row.value), ...row }));
}

function criteria(assessment) {
	if (!assessment) return null;
	const told = assessment.scores.map((one) => ({ name: words(one.criterion), value: one.score, text: score(one.score), bounds: assessment.floor ? [assessment.floor] : [], more: one.reasons.join("; ") }));
	return [h("h4", "The answer as a whole"), dotPlot(told)];
}
