// The frame: the views and their addresses, the collection, the theme, the keys.

import { collectionMenu } from "./collections.js";
import { asApiError } from "./api.js";
import { failure, h, modal, replace, skeleton, toast } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { sentence } from "./text.js";
import { closeDocument, isDocumentOpen } from "./viewer.js";

// Each has a module of its name, which exports its `view`, an icon, and an address; the first is that of the page itself.
const VIEWS = ["ask", "documents", "runs", "figures", "check", "settings"];

const KEYS = [
	["j / k", "the next claim, the one before"],
	["o", "open the source of the claim"],
	["/", "write a question"],
	["n", "begin a new dialogue"],
	["Esc", "close the document"],
	["?", "show these keys"],
];

const main = document.getElementById("main");
let keys = {};
let visit = 0;

/** Show the view that the address names. */
async function show() {
	const [name = "", ...rest] = location.hash.replace(/^#\/?/, "").split("?")[0].split("/").map(decoded);
	const query = new URLSearchParams(location.hash.split("?")[1] || "");
	const view = VIEWS.find((one) => one === name) || VIEWS[0];
	const mine = ++visit;
	closeDocument();
	document.querySelector("dialog")?.close();
	keys = {};
	document.title = view === "ask" ? "assay" : `${sentence(view)} · assay`;
	for (const link of document.querySelectorAll("#nav a")) {
		if (link.dataset.view === view) link.setAttribute("aria-current", "page");
		else link.removeAttribute("aria-current");
	}
	const late = setTimeout(() => mine === visit && replace(main, h("div.page", skeleton(5))), 150);
	try {
		const module = await import(`./${view}.js`);
		clearTimeout(late);
		if (mine !== visit) return;
		scrollTo(0, 0);
		const made = await module.view(main, { rest: rest.filter(Boolean), query });
		if (mine === visit) keys = made?.keys || {};
	} catch (error) {
		clearTimeout(late);
		if (mine === visit) replace(main, h("div.page", failure(error, show)));
	}
}

function decoded(part) {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

function drawFrame() {
	const links = VIEWS.map((view) => h("a", { href: view === "ask" ? "#/" : `#/${view}`, data: { view } }, icon(view), h("span", sentence(view))));
	replace(document.getElementById("nav"), links);
	const menu = h("span");
	replace(document.getElementById("tools"), menu, iconButton("moon", "Change between light and dark", changeTheme, "Light or dark"));
	// Without a key there is no list; the view says so.
	const draw = () => collectionMenu(menu, show).catch(() => menu.replaceChildren());
	draw();
	addEventListener("collections", draw);
}

function changeTheme() {
	const dark = matchMedia("(prefers-color-scheme: dark)").matches;
	const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
	const next = now === "dark" ? "light" : "dark";
	document.documentElement.dataset.theme = next;
	localStorage.setItem("assay.theme", next);
}

function help() {
	modal("Keys", h("dl.keys", KEYS.map(([key, what]) => h("div", h("dt", h("kbd", key)), h("dd", what)))));
}

function onKey(event) {
	if (event.key === "Escape" && isDocumentOpen() && !document.querySelector("dialog[open]")) return closeDocument();
	const writes = event.target.closest?.("input, textarea, select, [contenteditable], dialog");
	if (writes || event.ctrlKey || event.metaKey || event.altKey) return null;
	const act = event.key === "?" ? help : keys[event.key];
	if (!act) return null;
	event.preventDefault();
	return act();
}

document.querySelector(".skip").addEventListener("click", (event) => {
	event.preventDefault();
	main.focus();
});
addEventListener("unhandledrejection", (event) => {
	event.preventDefault();
	toast(asApiError(event.reason).message);
});
// What a form is for, its view does.
addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", show);
addEventListener("keydown", onKey);
drawFrame();
show();
