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
		if (value === null || value === undefined || value === false) continue;
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
	if (value !== null && value !== undefined) element.setAttribute(`aria-${key}`, String(value));
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
		if (child === null || child === undefined || child === false) continue;
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

/** The head of a view: its title, a line below, and what stands beside. */
export const pageHead = (title, text, ...beside) => h("header.page-head", h("div", h("h1", title), h("p", text)), beside);

/** A table of rows under its heads, which scrolls by itself; `names` that are empty are those of buttons. */
export function dataTable(label, names, rows, kind = "list.facts-table") {
	const heads = names.map((name) => h("th", { scope: "col" }, name || hidden("Actions")));
	return tableFrame(h(`table.${kind}`, h("thead", h("tr", heads)), h("tbody", rows)), label);
}

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

/** Ask for a decision in a dialog; resolves to true or false. */
export function confirm({ title, text, action, danger = false }) {
	return new Promise((resolve) => {
		const no = button("Cancel", () => dialog.close("no"), "quiet");
		const yes = button(action, () => dialog.close("yes"), { class: danger ? "danger" : "primary" });
		const dialog = modal(title, [h("p", text), h("div.actions.end", no, yes)]);
		dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
		no.focus();
	});
}

/** Open a dialog; it is removed when it closes. */
export function modal(title, content, { wide = false } = {}) {
	const heading = h("h2", { id: "dialog-title" }, title);
	const dialog = h("dialog", { class: wide ? "wide" : "", aria: { labelledby: "dialog-title" } }, heading, content);
	dialog.addEventListener("close", () => dialog.remove());
	dialog.addEventListener("click", (event) => event.target === dialog && dialog.close("no"));
	document.body.append(dialog);
	dialog.showModal();
	return dialog;
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

/** An error for people: what happened, why, and what to do next. */
export function failure(thrown, retry) {
	const error = asApiError(thrown);
	return h(
		"div.failure",
		{ role: "alert" },
		h("p.failure-title", glyph("✗"), error.title),
		error.detail && h("p", error.detail),
		error.fields?.length ? h("ul", error.fields.map((field) => h("li", `${field.where}: ${field.message}`))) : null,
		error.hint && h("p", h("strong", "Next: "), error.hint),
		h(
			"div.actions",
			retry && button("Try again", retry),
			error.status === 401 && h("a.button", { href: "#/settings/key" }, "Enter a key"),
			error.request_id && h("span.fine", `request ${error.request_id}`),
		),
	);
}

/** Do some work, which may draw; what fails is shown in `place`, with a button that tries again. */
export async function attempt(place, work) {
	try {
		return await work();
	} catch (error) {
		return void replace(place, failure(error, () => attempt(place, work)));
	}
}
