// Plots drawn by hand in SVG. Each has its numbers as text beside it, or as a table.

import { h, svg } from "./dom.js";

/** Rows of a value between 0 and 1: {name, value, text, range, bounds, tone, more}; null is not measured. */
export function dotPlot(rows) {
  return h("ul", { class: "dots" }, rows.map((row) => h("li", { title: row.more || null }, h("span", { class: "dots-name" }, row.name), dotRow(row), h("span", { class: "dots-value" }, row.text))));
}

function dotRow({ value, range = 0, bounds = [], tone = "ink" }) {
  const x = (share) => `${2 + share * 96}%`;
  const picture = svg("svg", { class: "dots-row", "aria-hidden": "true" });
  picture.append(svg("line", { x1: x(0), x2: x(1), y1: 10, y2: 10, class: "rail" }));
  for (const bound of bounds) picture.append(svg("line", { x1: x(bound), x2: x(bound), y1: 5, y2: 15, class: "bound" }));
  if (value === null || value === undefined) return picture;
  const share = Math.min(1, Math.max(0, value));
  if (range) picture.append(svg("line", { x1: x(Math.max(0, share - range)), x2: x(Math.min(1, share + range)), y1: 10, y2: 10, class: `range ${tone}` }));
  picture.append(svg("circle", { cx: x(share), cy: 10, r: 5, class: `dot ${tone}` }));
  return picture;
}
