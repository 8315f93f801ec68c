// Settings: the models and what doctor finds, the rules, the settings in force, the keys, and this browser's own key.

import { get, path, post, remove, storeKey, storedKey } from "./api.js";
import { button, confirm, dataTable, empty, fold, formDialog, h, load, nextStep, orSay, pageHead, replace, searchField, selectOf, submitButton, tableRow, tabs } from "./dom.js";
import { collectionsChanged } from "./collections.js";
import { copy } from "./answer.js";
import { icon, iconButton } from "./icons.js";
import { badge } from "./marks.js";
import { day, moment, plural, words } from "./text.js";

const TABS = [
	["", "Models", models],
	["rules", "Rules", rules],
	["values", "Values", values],
	["keys", "Keys", keys],
	["key", "This browser", ownKey],
];

export function view(main, { rest }) {
	const [, title, draw] = TABS.find(([name]) => name === rest[0]) || TABS[0];
	const links = TABS.map(([name, other]) => [name ? `#/settings/${name}` : "#/settings", other]);
	const place = h("div.stack");
	replace(main, h("div.page", pageHead("Settings", "Set on the server, by flags, environment or assay.toml. Shown here, changed there.", tabs("Settings", links, title)), place));
	load(place, () => draw(place), 6);
}

// Models and doctor.

async function models() {
	const found = await get("/settings");
	const rows = found.models.map((model) => tableRow(words(model.role), [model.name, model.host || (model.host === "" ? "this server" : "unknown")]));
	const report = h("div");
	const examine = () => load(report, async () => doctorList(await get("/doctor")), 5);
	return [
		h("h2", "Who does what"),
		rows.length ? dataTable("Models", ["Role", "Model", "Host"], rows) : h("p", "No language model is set: answers are quoted from the documents."),
		h("h2", "Doctor"),
		h("div.actions", button("Examine the installation", examine)),
		report,
	];
}

function doctorList(found) {
	const results = found.examined;
	const wrong = results.filter((one) => ["failed", "warning", "unknown"].includes(one.status));
	const row = (one) => h("li", badge(one.status === "warning" ? "unknown" : one.status, one.name), h("span.why", one.detail, nextStep(one.hint)));
	return [
		h("p", wrong.length ? badge("failed", `${plural(wrong.length, "thing")} to look at`) : badge("passed", `all ${results.length} things examined are in order`)),
		h("ul.checks", wrong.map(row)),
		fold(`What was examined (${results.length})`, h("ul.checks", results.map(row))),
	];
}

// Rules.

async function rules() {
	const found = await get("/rules");
	if (!found.rules.length) return empty("No output rules", "Rules say what answers should look like: their length, their layout, words to use or to avoid. Set a rule file with --rules.");
	const conflicts = found.conflicts.map((conflict) => h("li", h("strong", conflict.rules.join(" and ")), `: ${conflict.reason}`));
	const items = found.rules.map((rule) =>
		h("li.card", h("div.card-head", h("h3", words(rule.id)), h("span.fine", `${words(rule.kind)} · ${{ block: "must be kept", repair: "is repaired", warn: "warns" }[rule.severity]}`)), h("p", rule.advice || "checked"), conditions(rule.when)),
	);
	return [
		h("h2", `${plural(items.length, "rule")}${found.file ? ` of ${found.file}` : ""}`),
		conflicts.length ? h("section.note.open", h("h3", `${plural(conflicts.length, "contradiction")}: no answer can keep these rules at once`), h("ul", conflicts)) : h("p", badge("passed", "no contradiction among them")),
		h("ol.passages", items),
	];
}

function conditions(when) {
	const parts = Object.entries(when || {}).filter(([, value]) => value?.length);
	return parts.length ? h("p.fine", `Only for ${parts.map(([name, value]) => `${words(name)}: ${[value].flat().join(", ")}`).join("; ")}`) : null;
}

// The settings in force.

async function values() {
	const { settings } = await get("/settings");
	if (!settings.length) return empty("Only an administrator sees these", "Whoever runs the server can see every setting with a key of scope admin.");
	const input = searchField("Find a setting");
	const list = h("div");
	const draw = () => {
		const wanted = input.value.trim().toLowerCase();
		const rows = settings
			.filter((setting) => `${setting.name} ${setting.description}`.toLowerCase().includes(wanted))
			.map((setting) => tableRow([h("code", setting.name), h("span.fine.block", setting.description)], [shownValue(setting.value), h("td.fine", setting.origin)]));
		replace(list, rows.length ? dataTable("Settings", ["Setting", "Value", "From"], rows, "facts-table.cards") : empty("No setting has such a name", "Try a part of its name."));
	};
	input.addEventListener("input", draw);
	draw();
	return [h("div.search-bar", { role: "search", label: "Settings" }, input), list];
}

const shownValue = (value) => (value === null || value === "" ? "not set" : typeof value === "object" ? JSON.stringify(value) : String(value));

// Keys of the API.

async function keys(place) {
	const { keys: all } = await get("/keys");
	const found = all.filter((key) => key.state !== "revoked");
	const again = () => load(place, () => keys(place));
	const never = () => h("span.fine", "never");
	const rows = found.map((key) =>
		tableRow(
			[key.name, h("span.fine.block", h("code", key.key_id))],
			[
				key.scope,
				key.tenant,
				key.used ? moment(key.used) : never(),
				key.state === "expired" ? badge("failed", "expired") : key.expires ? day(key.expires) : never(),
				h("td.row-actions", iconButton("trash", `Revoke ${key.name}`, () => revoke(key, again), "Revoke")),
			],
		),
	);
	return [
		h("div.card-head", h("div", h("h2", plural(found.length, "key")), h("p.fine", "Whoever has a key may use the API with its scopes, in its tenant alone.")), button([icon("plus"), "New key"], () => newKey(again), "primary")),
		rows.length ? dataTable("Keys", ["Name", "May", "Tenant", "Last used", "Expires", ""], rows) : empty("No keys yet", "Without any key, this server answers this machine alone, and lets everyone on it do everything."),
	];
}

async function revoke(key, again) {
	if (!(await confirm("Revoke this key?", `Programs that use “${key.name}” are refused from now on.`, "Revoke"))) return;
	await orSay("It was not revoked", () => remove(path`/keys/${key.key_id}`).then(again));
}

function newKey(again) {
	const name = h("input", { name: "name", required: true, maxlength: "100", autocomplete: "off" });
	const scope = selectOf([["read", "read: ask, search, check"], ["write", "write: also add documents, label"], ["admin", "admin: everything in the tenant"]]);
	const days = selectOf([["90d", "in 90 days"], ["30d", "in 30 days"], ["365d", "in a year"], ["", "never"]]);
	const make = async (dialog, form) => {
		const made = await post("/keys", { name: name.value.trim(), scope: scope.value, expires: days.value || null });
		replace(form, h("p", "This is shown once. Keep it where its program finds it."), h("p.key", h("code", made.key)), h("div.actions.end", button([icon("copy"), "Copy"], () => copy(made.key, "The key was copied")), button("Done", () => dialog.close(), "primary")));
		again();
	};
	formDialog("New key", [h("label", "Name", name), h("label", "May", scope), h("label", "Expires", days)], "Make the key", make);
}

// The key that this browser sends.

async function ownKey() {
	const input = h("input", { type: "password", autocomplete: "off", spellcheck: "false" });
	input.value = storedKey();
	const state = h("div", { aria: { live: "polite" } });
	const test = () =>
		load(state, async () => {
			const { caller } = await get("/settings");
			const who = storedKey() ? `the server knows this key as “${caller.name}”` : "this server asks for no key here";
			collectionsChanged();
			return [badge("passed", who), h("p.fine", `Tenant ${caller.tenant}; it may ${caller.scopes.join(", ")}.`)];
		});
	const keep = () => {
		storeKey(input.value.trim());
		test();
	};
	const forget = () => {
		input.value = "";
		storeKey("");
		test();
	};
	test();
	return h("form.stack.narrow", { on: { submit: keep } }, h("label", "API key", input), h("p.fine", "It is kept for this tab until it is closed, and sent to this server alone."), h("div.actions", submitButton("Use this key"), button("Forget it", forget, "quiet")), state);
}
