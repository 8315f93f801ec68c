// Plots drawn by hand in SVG. Each has its numbers as text beside it, or as a table.

import { h, svg } from "./dom.js";

/** Rows of a value between 0 and 1: {name, value, text, range, bounds, tone, more}; null is not measured. */
export function dotPlot(rows) {
	return h("ul.dots", rows.map((row) => h("li", { title: row.more || null }, h("span.dots-name", row.name), dotRow(row), h("span.dots-value", row.text))));
}

function dotRow({ value, range = 0, bounds = [], tone = "ink" }) {
	const x = (share) => `${2 + share * 96}%`;
	const picture = svg("svg", { class: "dots-row", "aria-hidden": "true" });
	picture.append(svg("line", { x1: x(0), x2: x(1), y1: 10, y2: 10, class: "rail" }));
	for (const bound of bounds) picture.append(svg("line", { x1: x(bound), x2: x(bound), y1: 5, y2: 15, class: "bound" }));
	if (value == null) return picture;
	const share = Math.min(1, Math.max(0, value));
	if (range) picture.append(svg("line", { x1: x(Math.max(0, share - range)), x2: x(Math.min(1, share + range)), y1: 10, y2: 10, class: `range ${tone}` }));
	picture.append(svg("circle", { cx: x(share), cy: 10, r: 5, class: `dot ${tone}` }));
	return picture;
}

const HIGH = 160;
const LEFT = 44;
const BOTTOM = 22;
const TOP = 10;

/**
 * A plot over time. `points` are the starts of its buckets with their labels, `lines` are {name, values, tone, dash},
 * a null value is a gap; `marks` are {at, rise} places to point out. `format` writes a value of the scale.
 */
export function timePlot({ points, lines, marks = [], stacked = false, format, top }) {
	const sums = stacked ? points.map((_, at) => lines.reduce((sum, line) => sum + (line.values[at] || 0), 0)) : [];
	const known = stacked ? sums : lines.flatMap((line) => line.values.filter((value) => value != null));
	// Drawn at about its size on the screen, so that its letters have theirs.
	const wide = document.documentElement.clientWidth < 736 ? 330 : 520;
	const most = top ?? niceTop(Math.max(0, ...known));
	const x = (at) => LEFT + ((wide - LEFT - 8) * (at + 0.5)) / points.length;
	const y = (value) => TOP + (HIGH - TOP - BOTTOM) * (1 - (most ? value / most : 0));
	const picture = svg("svg", { viewBox: `0 0 ${wide} ${HIGH}`, class: "time-plot", "aria-hidden": "true" });
	for (const share of [0, 0.5, 1]) {
		picture.append(svg("line", { x1: LEFT, x2: wide - 8, y1: y(share * most), y2: y(share * most), class: share ? "grid" : "rail" }));
		picture.append(svg("text", { x: LEFT - 6, y: y(share * most) + 4, class: "axis end" }, format(share * most)));
	}
	drawLabels(picture, points, x, Math.ceil((points.length * 62) / (wide - LEFT)));
	if (stacked) drawBars(picture, lines, points, x, y);
	else lines.forEach((line) => drawLine(picture, line, x, y));
	for (const { at, rise } of marks) picture.append(svg("path", { d: rise ? `M${x(at)} 1l4 7h-8z` : `M${x(at)} 8l4 -7h-8z`, class: "spike" }));
	return picture;
}

function drawLabels(picture, points, x, every) {
	points.forEach((point, at) => at % every === 0 && picture.append(svg("text", { x: x(at), y: HIGH - 5, class: "axis middle" }, point.label)));
}

function drawBars(picture, lines, points, x, y) {
	const width = Math.min(28, (x(1) - x(0)) * 0.7);
	points.forEach((_, at) => {
		let below = 0;
		for (const { values, tone } of lines) {
			const value = values[at] || 0;
			if (value) picture.append(svg("rect", { x: x(at) - width / 2, width, y: y(below + value), height: Math.max(0.5, y(below) - y(below + value) - 0.7), class: `bar ${tone}` }));
			below += value;
		}
	});
}

function drawLine(picture, { values, tone, dash }, x, y) {
	let path = "";
	let open = false;
	values.forEach((value, at) => {
		const is = value != null;
		if (is) path += `${open ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
		if (is) picture.append(svg("circle", { cx: x(at), cy: y(value), r: 2.4, class: `dot ${tone}` }));
		open = is;
	});
	picture.append(svg("path", { d: path, class: `line ${tone}`, "stroke-dasharray": dash || null }));
}

/** A round number above a value. */
function niceTop(value) {
	if (!value) return 1;
	const scale = 10 ** Math.floor(Math.log10(value));
	return [1, 2, 2.5, 5, 10].map((step) => step * scale).find((step) => step >= value);
}

/** Stated against measured probability: `bins` are {predicted, observed, n}; on the diagonal both agree. */
export function calibrationPlot(bins) {
	const size = 220;
	const place = (value) => 30 + value * (size - 40);
	const picture = svg("svg", { viewBox: `0 0 ${size} ${size}`, class: "square-plot", "aria-hidden": "true" });
	picture.append(svg("line", { x1: place(0), y1: size - place(0), x2: place(1), y2: size - place(1), class: "grid", "stroke-dasharray": "4 4" }));
	for (const share of [0, 0.5, 1]) {
		picture.append(svg("text", { x: place(share), y: size - 8, class: "axis middle" }, `${100 * share}`));
		picture.append(svg("text", { x: 24, y: size - place(share) + 4, class: "axis end" }, `${100 * share}`));
	}
	const most = Math.max(...bins.map((bin) => bin.n));
	for (const bin of bins) picture.append(svg("circle", { cx: place(bin.predicted), cy: size - place(bin.observed), r: 3 + 6 * Math.sqrt(bin.n / most), class: "dot accent" }));
	return picture;
}
