// Line icons, drawn by hand on a grid of 24.

import { button, hidden, svg } from "./dom.js";

const PATHS = {
	ask: "M4 6.5A2.5 2.5 0 0 1 6.5 4h11A2.5 2.5 0 0 1 20 6.5v7a2.5 2.5 0 0 1-2.5 2.5H11l-5 4v-4a2 2 0 0 1-2-2z",
	documents: "M7 3h7l4 4v14H7zM14 3v4h4M10 12h5M10 16h5",
	runs: "M4 12a8 8 0 1 0 2.6-5.9L4 8.5M4 4v4.5h4.5M12 8v4.5l3 2",
	figures: "M4 20h16M7 16l4-5 3 3 5-7",
	check: "M9 12l2.5 2.5L16 9.5M12 3l7 3v5c0 4.5-3 8-7 10-4-2-7-5.5-7-10V6z",
	settings: "M4 7h9M17 7h3M4 12h3M11 12h9M4 17h11M19 17h1M15 5v4M9 10v4M17 15v4",
	close: "M6 6l12 12M18 6L6 18",
	send: "M12 19V5M6 11l6-6 6 6",
	stop: "M7 7h10v10H7z",
	copy: "M9 9h11v11H9zM5 15H4V4h11v1",
	link: "M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1",
	print: "M7 9V4h10v5M7 17H5a1 1 0 0 1-1-1v-5a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v5a1 1 0 0 1-1 1h-2M7 14h10v6H7z",
	right: "M7 11v9H4v-9zM7 11l4-7a2 2 0 0 1 2 2v4h5a2 2 0 0 1 2 2.3l-1 6A2 2 0 0 1 17 20H7",
	wrong: "M17 13V4h3v9zM17 13l-4 7a2 2 0 0 1-2-2v-4H6a2 2 0 0 1-2-2.3l1-6A2 2 0 0 1 7 4h10",
	search: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15.5 15.5L20 20",
	moon: "M20 14.5A8 8 0 1 1 9.5 4a6.5 6.5 0 0 0 10.5 10.5z",
	next: "M9 5l7 7-7 7",
	previous: "M15 5l-7 7 7 7",
	upload: "M12 16V5M7 10l5-5 5 5M4 19h16",
	trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
	plus: "M12 5v14M5 12h14",
};

/** An icon; it says nothing to screen readers. */
export function icon(name) {
	const path = svg("path", { d: PATHS[name], fill: "none", stroke: "currentColor", "stroke-width": 1.7, "stroke-linecap": "round", "stroke-linejoin": "round" });
	return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" }, path);
}

/** A button with an icon alone; `label` is its name, `title` its tooltip. */
export function iconButton(name, label, click, title = null) {
	return button([icon(name), hidden(label)], click, { class: "quiet icon-button", title });
}
