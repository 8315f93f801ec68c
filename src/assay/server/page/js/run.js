// One run in full: its answer, what people said of it, and what another setting would have made of it.

import { answerView, copy } from "./answer.js";
import { asApiError, get, post, remove, text as getText } from "./api.js";
import { append, button, confirm, empty, failure, h, replace, skeleton, toast } from "./dom.js";
import { showComparison } from "./difference.js";
import { badge, outcomeBadge } from "./marks.js";
import { moment, plural, words } from "./text.js";
import { timeline } from "./timeline.js";

/** The answer of a recorded run, null after an error. */
export function answerOf(record) {
  const last = record.events.at(-1);
  return last?.kind === "done" ? last.body.answer : null;
}

const eventsOf = (record) => record.events.map((event) => ({ ...event.body, kind: event.kind, at: event.at, seq: event.seq }));

/** The view of the run of that id. */
export async function runView(main, id) {
  replace(main, h("div.page", skeleton(8)));
  const record = await get(`/runs/${encodeURIComponent(id)}`);
  const { run } = record;
  const answer = answerOf(record);
  const events = eventsOf(record);
  const view = answer && answerView(answer, { events, collection: run.collection });
  const about = h("p.about", outcomeBadge(run.outcome), h("span.fine", ` ${moment(run.started)} · collection ${run.collection || "none"}`));
  const page = h(
    "div.page.turn",
    h("a.back.no-print", { href: "#/runs" }, "‹ All runs"),
    h("header", h("h1.question", run.question || "A draft without a question"), about),
    view ? [h("h2.hidden-text", "Answer"), view.element] : [ended(events), timeline(events, null)],
    answer && whatIf(run, answer),
    said(record),
    h("footer.actions.no-print", button("Download the report", () => download(run)), button("Copy as JSON", () => copy(JSON.stringify(record, null, 2), "The run was copied as JSON"), "quiet"), button("Delete this run", () => forget(run), "quiet")),
  );
  replace(main, page);
  return view ? { keys: { j: () => view.step(1), k: () => view.step(-1), o: () => view.openChosen() } } : {};
}

function ended(events) {
  const last = events.at(-1);
  if (last?.kind === "error") return failure({ title: last.message, hint: last.hint });
  return empty("This run has no answer", "It was not recorded to its end.");
}

function said({ decisions, labels }) {
  const items = [
    ...decisions.map((decision) => ({ at: decision.at, by: decision.by, note: decision.note, mark: badge(decision.accepted ? "passed" : "failed", decision.accepted ? "accepted" : "rejected") })),
    ...(labels || []).map((label) => ({ at: label.at, by: label.by, note: label.note, mark: badge(label.good ? "passed" : "failed", `${label.claim ? `claim ${label.claim}` : "the answer"} is ${label.good ? "right" : "wrong"}`) })),
  ].sort((one, other) => other.at - one.at);
  if (!items.length) return null;
  return h("section", h("h2", "What people said"), h("ul.checks", items.map((item) => h("li", item.mark, h("span.fine", ` ${item.by}, ${moment(item.at)}`), item.note && h("span.why", item.note)))));
}

async function download(run) {
  try {
    const page = await getText(`/runs/${encodeURIComponent(run.run_id)}/report`);
    const link = h("a", { href: URL.createObjectURL(new Blob([page], { type: "text/html" })), download: `assay-${run.run_id}.html` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  } catch (error) {
    toast(`The report could not be made: ${error.message}`);
  }
}

async function forget(run) {
  const told = { title: "Delete this run?", text: "Its question, answer, events and labels are deleted for good. Figures will no longer count it.", action: "Delete", danger: true };
  if (!(await confirm(told))) return;
  try {
    await remove(`/runs/${encodeURIComponent(run.run_id)}`);
    toast("The run was deleted");
    location.hash = "#/runs";
  } catch (error) {
    toast(`It was not deleted: ${error.message}`);
  }
}

// What if: the recorded run decided again under other settings, offline.

// Settings that are asked for most, with what they do; any other can be named.
const KNOWN = ["correct", "incorrect", "quality", "floor", "rounds", "repairs", "checker", "reader", "ask_back", "profile", "k"];

function whatIf(run, answer) {
  const names = h("datalist", { id: "setting-names" }, KNOWN.map((name) => h("option", { value: name })));
  const rows = h("div.setting-rows");
  const result = h("div.what-if-result", { aria: { live: "polite" } });
  const add = () => rows.append(settingRow(rows));
  add();
  describeSettings(names);
  const go = async (event, live = false) => {
    event?.preventDefault();
    const settings = readRows(rows);
    replace(result, skeleton(4));
    try {
      const found = await post(`/runs/${encodeURIComponent(run.run_id)}/replay`, live ? { settings, live } : { settings });
      showReplay(result, answer, found, settings, () => go(null, true));
    } catch (error) {
      showRefusal(result, asApiError(error), () => go(null, true));
    }
  };
  return h(
    "details.fold.what-if.no-print",
    h("summary", "What if a setting had been another?"),
    h("p.fine", "The run is decided again from its tape: offline, at no cost, and without changing what is recorded."),
    h("form", { on: { submit: go } }, names, rows, h("div.actions", button("Another setting", add, "quiet"), h("button", { type: "submit", class: "primary" }, "Decide again"))),
    result,
  );
}

function settingRow(rows) {
  const row = h(
    "div.setting-row",
    h("label", "Setting", h("input", { name: "name", list: "setting-names", autocomplete: "off", spellcheck: "false" })),
    h("label", "Value", h("input", { name: "value", autocomplete: "off", spellcheck: "false" })),
    button("Remove", () => (rows.childElementCount > 1 ? row.remove() : row.querySelectorAll("input").forEach((input) => (input.value = ""))), "quiet"),
  );
  return row;
}

/** The settings written, values read as JSON where they are. */
function readRows(rows) {
  const settings = {};
  for (const row of rows.children) {
    const [name, value] = [...row.querySelectorAll("input")].map((input) => input.value.trim());
    if (name) settings[name] = jsonOrText(value);
  }
  return settings;
}

function jsonOrText(value) {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

async function describeSettings(names) {
  const { settings } = await get("/settings").catch(() => ({ settings: [] }));
  const known = new Map(settings.map((setting) => [setting.name, setting]));
  for (const option of names.children) if (known.has(option.value)) option.label = `now ${known.get(option.value).value}`;
  append(names, settings.filter((setting) => !KNOWN.includes(setting.name)).map((setting) => h("option", { value: setting.name, label: setting.description })));
}

function showReplay(result, before, found, settings, makeCalls) {
  if (found.needs_calls) return showRefusal(result, { title: "This needs a call that is not on the tape", detail: found.needs_calls.message || String(found.needs_calls), hint: "" }, makeCalls);
  const told = Object.entries(settings).map(([name, value]) => `${words(name)} = ${value}`).join(", ") || "the same settings";
  const same = (found.changed || []).length === 0 && found.answer.text === before.text && found.answer.outcome === before.outcome;
  const title = same ? `With ${told}, the answer is the same` : `With ${told}, ${plural((found.changed || []).length || 1, "part")} differ`;
  return showComparison(result, title, before, found.answer, ["As it was", "As it would be"]);
}

function showRefusal(result, error, makeCalls) {
  const call = error.status === 409 || !error.status;
  replace(result, h("div.note.open", { role: "alert" }, h("h3", error.title), error.detail && h("p", error.detail), error.hint && h("p", error.hint), call ? h("div.actions", button("Make the calls", makeCalls), h("span.fine", "They may cost money, and a real answer may differ.")) : null));
}
