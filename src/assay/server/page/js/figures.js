// Figures: quality, time and cost of the runs over time, with what stands out.

import { get } from "./api.js";
import { dataTable, empty, fold, glyph, h, load, pageHead, replace, selectOf, tableRow } from "./dom.js";
import { collection } from "./collections.js";
import { calibrationPlot, timePlot } from "./plot.js";
import { cost, duration, number, percent, plural, score } from "./text.js";

const SPANS = [
	["1", "Last day", "hour"],
	["7", "Last 7 days", "day"],
	["30", "Last 30 days", "day"],
	["90", "Last 90 days", "day"],
];

const share = (value) => percent(value, { certain: true });
const count = (value) => number(Math.round(value * 10) / 10);

// What is plotted, from which fields of a bucket. A plot without a single value is left out.
const PLOTS = [
	{ title: "How questions ended", stacked: true, format: count, lines: [["answered", "outcomes.answered", "good"], ["half answers", "outcomes.partial", "open"], ["no answer", "outcomes.abstained", "soft"], ["asked back", "outcomes.clarify", "accent"], ["errors", "outcomes.error", "bad"]] },
	{ title: "Verdicts on answers", stacked: true, format: count, lines: [["supported", "verdicts.supported", "good"], ["untested", "verdicts.unknown", "open"], ["not supported", "verdicts.unsupported", "bad"], ["contradicted", "verdicts.contradicted", "accent"]] },
	{ title: "Questions without an answer", format: share, top: 1, lines: [["no answer", "abstained_share", "accent"], ["errors", "failed_share", "bad", "6 4"]] },
	{ title: "How far answers were trusted", stacked: true, format: count, lines: [["very high", "levels.very_high", "good"], ["high", "levels.high", "accent"], ["medium", "levels.medium", "soft"], ["low", "levels.low", "open"], ["very low", "levels.very_low", "bad"]] },
	{ title: "Mean confidence", format: score, top: 1, lines: [["confidence", "confidence", "accent"]] },
	{ title: "Repairs by kind", stacked: true, format: count, parts: "repairs" },
	{ title: "Answers changed after their checks", format: share, top: 1, lines: [["changed", "reflection_rate", "accent"]] },
	{ title: "Rounds of searching", format: count, lines: [["rounds", "rounds", "accent"]] },
	{ title: "Citations that name a source", format: share, top: 1, lines: [["valid", "citation_validity", "accent"]] },
	{ title: "Model replies at the first try", format: share, top: 1, lines: [["first try", "first_try_share", "accent"]] },
	{ title: "Time to answer", format: duration, lines: [["median", "ms_p50", "accent"], ["95 of 100 below", "ms_p95", "open", "6 4"]] },
	{ title: "Tokens a question", format: count, lines: [["tokens", "tokens", "accent"]] },
	{ title: "Cost of a question", format: (value) => (value ? cost(value) : "$0"), lines: [["US dollars", "cost", "accent"]] },
];
// Kinds of repair that a bucket may name, each with its tone.
const TONES = ["accent", "good", "open", "soft", "bad"];

/** The view. */
export function view(main) {
	const place = h("div.figures");
	const select = selectOf(SPANS, "30", { label: "Time" });
	const draw = (bars) => load(place, () => drawn(select.value), bars);
	select.addEventListener("change", () => draw());
	const head = pageHead("Figures", "What checks and repairs did, and what answers took.", select);
	replace(main, h("div.page", head, place));
	draw(8);
}

async function drawn(days) {
	const bucket = SPANS.find(([value]) => value === days)[2];
	const since = Math.floor(Date.now() / 1000 - 86_400 * Number(days));
	const { total, series, spikes, calibration } = await get("/figures", { collection: collection(), since, bucket });
	if (!total.runs) return empty("Nothing to plot yet", "Figures are counted from the runs of this time.", h("a.button.primary", { href: "#/" }, "Ask a question"));
	return [numbers(total), unusual(spikes, bucket), h("div.plots", PLOTS.map((plot) => drawPlot(plot, series, spikes, bucket)), calibrated(calibration)), checks(total.checks)];
}

function numbers(total) {
	const tiles = [
		["Questions", number(total.runs), `${number(total.delivered)} answered, ${plural(total.failed, "error")}`],
		["Changed after checks", share(total.reflection_rate), `${number(total.improved)} claims fixed, ${number(total.regressed)} made worse`],
		["Valid citations", share(total.citation_validity), `${number(total.citations - total.invalid_citations)} of ${number(total.citations)} marks`],
		["Quality", score(total.quality?.mean), total.quality?.unjudged ? `${number(total.quality.unjudged)} not assessed` : "of 1"],
		["Mean time", total.ms?.mean === null ? "not measured" : duration(total.ms.mean), total.ms?.count > 1 ? `over ${plural(total.ms.count, "run")}` : ""],
		["Mean cost", cost(total.costs?.mean), total.costs?.unjudged ? `${number(total.costs.unjudged)} of unknown price` : "a question"],
	];
	if (total.tries?.replies) tiles.push(["First try", share(total.first_try_share), `${number(total.mean_tries)} tries a reply`]);
	return h("dl.tiles", tiles.map(([name, value, more]) => h("div.tile", h("dt", name), h("dd", h("span.tile-value", value), h("span.fine", more)))));
}

function unusual(spikes, bucket) {
	if (!spikes.length) return null;
	const items = spikes.map((spike) => {
		const { title, format } = plotOf(spike.name) || { title: spike.name, format: score };
		const part = spike.name.includes(".") ? ` (${spike.name.split(".").pop().replaceAll("_", " ")})` : "";
		const rise = spike.kind === "spike";
		return h("li", glyph(rise ? "▲" : "▼"), h("strong", `${title}${part}`), ` ${rise ? "rose" : "fell"} to ${format(spike.value)} on ${label(spike.start, bucket)}; usual is ${format(spike.usual)}`);
	});
	return h("section.note.open", h("h2", "Out of the usual"), h("ul.plain-list", items));
}

const plotOf = (name) => PLOTS.find((plot) => plot.lines?.some(([, path]) => path === name) || name.split(".")[0] === plot.parts);

function drawPlot(plot, series, spikes, bucket) {
	const lines = (plot.lines || partsOf(plot.parts, series)).map(([name, path, tone, dash]) => ({ name, path, tone, dash, values: series.map((item) => at(item, path)) })).filter((line) => line.values.some((value) => value !== null && (!plot.stacked || value)));
	if (!lines.length) return null;
	const points = series.map((item) => ({ start: item.start, label: label(item.start, bucket) }));
	const own = spikes.filter((spike) => lines.some((line) => line.path === spike.name));
	const marks = own.map((spike) => ({ at: points.findIndex((point) => point.start === spike.start), rise: spike.kind === "spike" })).filter((mark) => mark.at >= 0);
	const legend = lines.length > 1 || plot.stacked ? h("ul.plot-legend", lines.map((line) => h("li", h("span", { class: `swatch ${line.tone}` }), line.name))) : null;
	return h("figure.card.plot", h("figcaption", h("h2", plot.title), legend), timePlot({ points, lines, marks, stacked: plot.stacked, format: plot.format, top: plot.top }), asTable(plot, points, lines));
}

const partsOf = (name, series) => [...new Set(series.flatMap((item) => Object.keys(item[name] || {})))].sort().map((part, index) => [part, `${name}.${part}`, TONES[index % TONES.length]]);

/** The value at a dotted path; null where there is none. */
const at = (item, path) => path.split(".").reduce((value, name) => value?.[name] ?? null, item);

function label(start, bucket) {
	const date = new Date(start * 1000);
	return bucket === "hour" ? date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" }) : date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

const asNumbers = (title, heads, rows) => fold("Numbers", dataTable(title, heads, rows, "numbers"));

function asTable(plot, points, lines) {
	const rows = points.map((point, index) => tableRow(point.label, lines.map((line) => (line.values[index] === null ? "–" : plot.format(line.values[index])))));
	return asNumbers(plot.title, ["Time", ...lines.map((line) => line.name)], rows);
}

function calibrated(found) {
	if (!found?.bins?.length) return null;
	const rows = found.bins.map((bin) => h("tr", h("td", percent(bin.predicted)), h("td", share(bin.observed)), h("td", number(bin.n))));
	return h(
		"figure.card.plot",
		h("figcaption", h("h2", "Stated trust against labels"), h("p.fine", `Across: how likely right the answer was said to be. Up: how many were labelled right.${found.ece == null ? "" : ` Off by ${share(found.ece)} on average.`}`)),
		calibrationPlot(found.bins),
		asNumbers("Stated trust against labels", ["Stated", "Labelled right", "Answers"], rows),
	);
}

function checks(counts) {
	const names = Object.keys(counts || {});
	if (!names.length) return null;
	const rows = names.map((name) => tableRow(name, ["passed", "failed", "unknown", "skipped"].map((status) => h("td", { class: counts[name][status] ? "" : "fine" }, number(counts[name][status])))));
	return h("section", h("h2", "What the checks found"), dataTable("What the checks found", ["Check", "Passed", "Failed", "Could not be made", "Not run"], rows));
}
