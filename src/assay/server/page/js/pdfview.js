// The pages of a PDF as pictures, drawn when they come into view, with the quoted places boxed.

import { image } from "./api.js";
import { button, h, hidden, replace } from "./dom.js";
import { iconButton } from "./icons.js";

const ZOOMS = [1, 1.25, 1.6, 2, 2.6];

/** Draw the pages; `path` is where their pictures are. */
export function drawPages(body, view, { path, collection, signal }) {
	const pages = new Map(view.pages.map((page) => [page.number, sheet(page, view.boxes.filter((box) => box.page === page.number))]));
	const column = h("div.sheets", [...pages.values()]);
	const loader = new IntersectionObserver((entries) => entries.forEach((entry) => entry.isIntersecting && load(entry.target)), { root: body, rootMargin: "600px" });
	const load = async (element) => {
		loader.unobserve(element);
		await draw(element, `${path}/${element.dataset.page}.png`, collection, signal);
	};
	signal.addEventListener("abort", () => {
		loader.disconnect();
		for (const picture of column.querySelectorAll("img")) URL.revokeObjectURL(picture.src);
	});
	body.append(tools(body, column, view), column);
	// The quoted page is in view before any page is drawn, so that it is drawn first.
	const first = view.boxes[0];
	if (first) jump(body, pages.get(first.page), first);
	for (const element of pages.values()) loader.observe(element);
}

function sheet(page, boxes) {
	const element = h("div.sheet", { data: { page: page.number } }, boxes.map(box), h("span.sheet-number", `page ${page.number}`));
	element.style.aspectRatio = `${page.width} / ${page.height}`;
	return element;
}

function box({ x, y, width, height }) {
	const element = h("div.box", hidden("quoted place"));
	element.style.left = `${100 * x}%`;
	element.style.top = `${100 * y}%`;
	element.style.width = `${100 * width}%`;
	element.style.height = `${100 * height}%`;
	return element;
}

async function draw(element, path, collection, signal) {
	const width = Math.min(2000, Math.round(element.clientWidth * Math.min(2, devicePixelRatio || 1)));
	try {
		const picture = h("img", { alt: `Page ${element.dataset.page}` });
		picture.src = await image(path, { collection, width }, signal);
		element.prepend(picture);
	} catch {
		if (!signal.aborted) replace(element, h("p.fine", `Page ${element.dataset.page} could not be drawn.`));
	}
}

function jump(body, element, first) {
	if (element) body.scrollTop = Math.max(0, element.offsetTop + first.y * element.clientHeight - body.clientHeight / 3);
}

function tools(body, column, view) {
	let zoom = 0;
	let place = 0;
	const scale = (by) => {
		zoom = Math.min(ZOOMS.length - 1, Math.max(0, zoom + by));
		column.style.width = `${100 * ZOOMS[zoom]}%`;
	};
	const walk = (by) => {
		place = (place + by + view.boxes.length) % view.boxes.length;
		const found = view.boxes[place];
		jump(body, column.querySelector(`[data-page="${found.page}"]`), found);
	};
	const several = new Set(view.boxes.map((one) => one.page)).size > 1;
	return h(
		"div.sheet-tools",
		h("span.fine", `${view.pages.length} page${view.pages.length === 1 ? "" : "s"}`),
		several ? [iconButton("previous", "Previous place", () => walk(-1)), iconButton("next", "Next place", () => walk(1))] : null,
		button("−", () => scale(-1), { class: "quiet icon-button", label: "Smaller" }),
		button("+", () => scale(1), { class: "quiet icon-button", label: "Larger" }),
	);
}
