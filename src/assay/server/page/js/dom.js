// Elements built from data. Text only ever enters as text nodes; no markup is parsed and no style attribute is set.

const SVG = "http://www.w3.org/2000/svg";

/** An element. Properties: `class`, `on` (listeners), `data` (data-*), `aria` (aria-*), else attributes. */
export function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An SVG element, with the same properties. */
export function svg(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "data") Object.assign(element.dataset, value);
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

/** Text for screen readers alone. */
export function hidden(text) {
  return h("span", { class: "hidden-text" }, text);
}

/** A button; `name` is its accessible name where its content is a picture. */
export function button(content, click, properties = {}) {
  return h("button", { type: "button", on: { click }, ...properties }, content);
}

/** Say something to screen readers. */
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

/** Show a short note that goes by itself. */
export function toast(text) {
  const note = h("p", { class: "toast" }, text);
  document.getElementById("toasts").append(note);
  setTimeout(() => note.remove(), 4000);
}

/** Ask for a decision in a dialog; resolves to true or false. */
export function confirm({ title, text, action, danger = false }) {
  return new Promise((resolve) => {
    const no = button("Cancel", () => dialog.close("no"), { class: "quiet" });
    const yes = button(action, () => dialog.close("yes"), { class: danger ? "danger" : "primary" });
    const dialog = modal(title, [h("p", {}, text), h("div", { class: "actions end" }, no, yes)]);
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
  return h("div", { class: "skeletons", role: "status" }, hidden("Loading"), bars);
}

/** What is shown where there is nothing yet: why, and what to do. */
export function empty(title, text, ...actions) {
  return h("div", { class: "empty" }, h("h2", {}, title), h("p", {}, text), h("div", { class: "actions" }, actions));
}

/** An error for people: what happened, why, and what to do next. */
export function failure(error, retry) {
  return h(
    "div",
    { class: "failure", role: "alert" },
    h("p", { class: "failure-title" }, h("span", { class: "sign", aria: { hidden: true } }, "✗"), error.title),
    error.detail && h("p", {}, error.detail),
    error.fields?.length ? h("ul", {}, error.fields.map((field) => h("li", {}, `${field.where}: ${field.message}`))) : null,
    error.hint && h("p", {}, h("strong", {}, "Next: "), error.hint),
    h(
      "div",
      { class: "actions" },
      retry && button("Try again", retry),
      error.status === 401 && h("a", { class: "button", href: "#/settings/key" }, "Enter a key"),
      error.request_id && h("span", { class: "fine" }, `request ${error.request_id}`),
    ),
  );
}
