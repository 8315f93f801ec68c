// The frame: the views and their addresses, the collection, the theme, the keys.

import { asApiError } from "./api.js";
import { collectionMenu } from "./collections.js";
import { button, failure, h, hidden, modal, replace, skeleton } from "./dom.js";
import { icon } from "./icons.js";
import { closeDocument, isDocumentOpen } from "./viewer.js";

const VIEWS = [
  { name: "ask", title: "Ask", path: "#/", load: () => import("./ask.js").then((module) => module.askView) },
];

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
  const [name = "", ...rest] = decodeURI(location.hash.replace(/^#\/?/, "")).split("?")[0].split("/");
  const query = new URLSearchParams(location.hash.split("?")[1] || "");
  const view = VIEWS.find((one) => one.name === (name || "ask")) || VIEWS[0];
  const mine = ++visit;
  closeDocument();
  keys = {};
  document.title = view.name === "ask" ? "assay" : `${view.title} · assay`;
  for (const link of document.querySelectorAll("#nav a")) {
    if (link.dataset.view === view.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const late = setTimeout(() => replace(main, h("div", { class: "page" }, skeleton(5))), 150);
  try {
    const draw = await view.load();
    if (mine !== visit) return;
    clearTimeout(late);
    scrollTo(0, 0);
    const made = await draw(main, { rest: rest.filter(Boolean), query });
    if (mine === visit) keys = made?.keys || {};
  } catch (error) {
    clearTimeout(late);
    if (mine === visit) replace(main, h("div", { class: "page" }, failure(asApiError(error), show)));
  }
}

function drawFrame() {
  const links = VIEWS.map((view) => h("a", { href: view.path, data: { view: view.name } }, icon(view.name), h("span", {}, view.title)));
  replace(document.getElementById("nav"), links);
  const menu = h("span", {});
  replace(document.getElementById("tools"), menu, button([icon("moon"), hidden("Change between light and dark")], changeTheme, { class: "quiet icon-button", title: "Light or dark" }));
  collectionMenu(menu, show).catch(() => {});
}

function changeTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("assay.theme", next);
}

function help() {
  modal("Keys", h("dl", { class: "keys" }, KEYS.map(([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)))));
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
addEventListener("hashchange", show);
addEventListener("keydown", onKey);
drawFrame();
show();
