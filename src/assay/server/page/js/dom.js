// Elements built from data. Text only ever enters as text nodes; no markup is parsed and no style attribute is set.

import { asApiError } from "./api.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element: `h("p.fine", {…}, children)`. Properties: `class`, `on` (listeners), `data` (data-*), `aria` (aria-*),
 * `label` (aria-label), else attributes; they may be left out.
 */
export function h(selector, ...children) {
	const [tag, ...classes] = selector.split(".");
	const properties = isProperties(children[0]) ? children.shift() : {};
	const given = classes.length ? { class: classes.join(" "), ...properties } : properties;
	return fill(document.createElement(tag), given, children);
}

const isProperties = (value) => value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;

/** An SVG element, with the same properties. */
export function svg(tag, properties, ...children) {
	return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
	for (const [name, value] of Object.entries(properties || {})) {
		if (value == null || value === false) continue;
		if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
		else if (name === "data") Object.assign(element.dataset, value);
		else if (name === "label" && element.localName !== "option") element.setAttribute("aria-label", value);
		else if (name === "aria") for (const [key, text] of Object.entries(value)) setAria(element, key, text);
		else setAttribute(element, name, value);
	}
	append(element, children);
	return element;
}

function setAria(element, key, value) {
	if (value != null) element.setAttribute(`aria-${key}`, String(value));
}

function setAttribute(element, name, value) {
	if (name === "style" || name.startsWith("on")) throw new Error(`${name} may not be set as an attribute`);
	if (name === "href" && !/^(#|\/(?!\/)|blob:)/.test(value)) throw new Error("only links within the page are made");
	if (name === "value" || name === "checked" || name === "disabled" || name === "selected") element[name] = value;
	else element.setAttribute(name, value === true ? "" : String(value));
}

/** Append children: nodes, texts, arrays of them; null, undefined and false are left out. */
export function append(element, children) {
	for (const child of [children].flat(Infinity)) {
		if (child == null || child === false) continue;
		element.append(child instanceof Node ? child : String(child));
	}
	return element;
}

/** Put these children in the place of all there are. */
export function replace(element, ...children) {
	element.replaceChildren();
	return append(element, children);
}

/** A sign beside a word that says the same. */
export const glyph = (char) => h("span.sign", { aria: { hidden: true } }, char);

/** Text for screen readers alone. */
export function hidden(text) {
	return h("span.hidden-text", text);
}

/** A button; `properties` may be its class alone. */
export function button(content, click, properties = {}) {
	const given = typeof properties === "string" ? { class: properties } : properties;
	return h("button", { type: "button", on: { click }, ...given }, content);
}

/** The button that sends a form. */
export const submitButton = (text) => h("button.primary", { type: "submit" }, text);

/** A menu of options, each a value and its name. */
export const selectOf = (options, chosen, properties) => h("select", properties, options.map(([value, name]) => h("option", { value, selected: value === chosen }, name)));

/** A field for files, which a button opens. */
export const fileInput = (change, more) => h("input", { type: "file", multiple: true, class: "hidden-text", tabindex: "-1", aria: { hidden: true }, on: { change }, ...more });

/** A field that finds something. */
export const searchField = (text, label = text) => h("input", { type: "search", placeholder: text, label });

/** A part that is unfolded by its summary; `kind` are classes. */
export const fold = (summary, content, kind = "") => h(`details.fold${kind}`, h("summary", summary), content);

/** Tabs: the address of each and its name; the current one is marked. */
export const tabs = (label, links, current) => h("nav.tabs", { label }, links.map(([href, name]) => h("a", { href, aria: { current: name === current ? "page" : null } }, name)));

/** The head of a view: its title, a line below, and what stands beside. */
export const pageHead = (title, text, ...beside) => h("header.page-head", h("div", h("h1", title), h("p", text)), beside);

/** A table of rows under its heads, which scrolls by itself; `names` that are empty are those of buttons. */
export function dataTable(label, names, rows, kind = "list.facts-table") {
	const heads = names.map((name) => h("th", { scope: "col" }, name || hidden("Actions")));
	return tableFrame(h(`table.${kind}`, h("thead", h("tr", heads)), h("tbody", rows)), label);
}

/** A row of a table: its head, then its cells, or what they hold. */
export const tableRow = (head, cells, properties = {}) => h("tr", properties, h("th", { scope: "row" }, head), cells.map((cell) => (cell?.localName === "td" ? cell : h("td", cell))));

/** A table that scrolls by itself, also by keyboard. */
export const tableFrame = (table, label = "Table") => h("div.table-frame", { role: "region", tabindex: "0", label }, table);

/** Say something to screen readers. */
export function announce(text) {
	document.getElementById("announcer").textContent = text;
}

/** Show a short note that goes by itself. */
export function toast(text) {
	const note = h("p.toast", text);
	document.getElementById("toasts").append(note);
	setTimeout(() => note.remove(), 4000);
}

/** Ask whether something may be done that cannot be undone; resolves to true or false. */
export function confirm(title, text, action) {
	return new Promise((resolve) => {
		const no = button("Cancel", () => dialog.close(), "quiet");
		const yes = button(action, () => dialog.close("yes"), "danger");
		const dialog = modal(title, [h("p", text), h("div.actions.end", no, yes)]);
		dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
		no.focus();
	});
}

/** Open a dialog; it is removed when it closes. */
export function modal(title, content) {
	const dialog = h("dialog", { aria: { labelledby: "dialog-title" } }, h("h2", { id: "dialog-title" }, title), content);
	dialog.addEventListener("close", () => dialog.remove());
	dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
	document.body.append(dialog);
	dialog.showModal();
	return dialog;
}

/** Open a dialog with a form; `make(dialog, form)` is called when it is sent, and its failure shown. */
export function formDialog(title, fields, action, make) {
	const place = h("div");
	const send = () => make(dialog, form).catch((error) => replace(place, failure(error)));
	const form = h("form.stack", { on: { submit: send } }, fields, place, h("div.actions.end", button("Cancel", () => dialog.close(), "quiet"), submitButton(action)));
	const dialog = modal(title, form);
}

/** Grey bars in the place of what is still to come. */
export function skeleton(lines = 3) {
	const bars = Array.from({ length: lines }, (_, at) => h("div", { class: `skeleton ${at % 3 ? "" : "wide"}` }));
	return h("div.skeletons", { role: "status" }, hidden("Loading"), bars);
}

/** What is shown where there is nothing yet: why, and what to do. */
export function empty(title, text, ...actions) {
	return h("div.empty", h("h2", title), h("p", text), h("div.actions", actions));
}

/** What to do next. */
export const nextStep = (hint) => hint && [" ", h("strong", "Next: "), hint];

/** An error for people: what happened, why, and what to do next. */
export function failure(thrown, retry) {
	const error = asApiError(thrown);
	return h(
		"div.failure",
		{ role: "alert" },
		h("p.failure-title", glyph("✗"), error.title),
		error.detail && h("p", error.detail),
		error.fields?.length ? h("ul", error.fields.map((field) => h("li", `${field.where}: ${field.message}`))) : null,
		error.hint && h("p", nextStep(error.hint)),
		h(
			"div.actions",
			retry && button("Try again", retry),
			error.status === 401 && h("a.button", { href: "#/settings/key" }, "Enter a key"),
			error.request_id && h("span.fine", `request ${error.request_id}`),
		),
	);
}

const latest = new WeakMap();

/**
 * Put what `make` makes into a place: its failure, where it fails, with a button that tries again. What was asked for
 * last is shown, whatever comes first; `bars` stand there meanwhile.
 */
export async function load(place, make, bars = 0) {
	latest.set(place, make);
	if (bars) replace(place, skeleton(bars));
	const made = await make().catch((error) => failure(error, () => load(place, make, bars)));
	if (latest.get(place) === make) replace(place, made);
}

/** Do some work; a note says what was not done, and why. */
export const orSay = (said, work) => work().catch((error) => toast(`${said}: ${error.message}`));
