// Settings: the models and what doctor finds, the rules, the settings in force, the keys, and this browser's own key.

import { get, post, remove, storeKey, storedKey } from "./api.js";
import { attempt, button, confirm, dataTable, empty, failure, h, modal, pageHead, replace, skeleton, toast } from "./dom.js";
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

export function settingsView(main, { rest }) {
	const [path, , draw] = TABS.find(([name]) => name === (rest[0] || "")) || TABS[0];
	const links = TABS.map(([name, title]) => h("a", { href: name ? `#/settings/${name}` : "#/settings", aria: { current: name === path ? "page" : null } }, title));
	const place = h("div.stack", skeleton(6));
	replace(main, h("div.page", pageHead("Settings", "Set on the server, by flags, environment or assay.toml. Shown here, changed there.", h("nav.tabs", { label: "Settings" }, links)), place));
	attempt(place, () => draw(place));
}

// Models and doctor.

async function models(place) {
	const found = await get("/settings");
	const rows = found.models.map((model) => h("tr", h("th", { scope: "row" }, words(model.role)), h("td", model.name), h("td.fine", model.host || (model.host === "" ? "this server" : "unknown"))));
	const report = h("div");
	const examine = () => {
		replace(report, skeleton(5));
		attempt(report, async () => replace(report, doctorList(await get("/doctor"))));
	};
	replace(
		place,
		h("h2", "Who does what"),
		rows.length ? dataTable("Models", ["Role", "Model", "Host"], rows) : h("p", "No language model is set: answers are quoted from the documents."),
		h("h2", "Doctor"),
		h("div.actions", button("Examine the installation", examine)),
		report,
	);
}

function doctorList(found) {
	const results = found.examined || found.checks || [];
	const wrong = results.filter((one) => one.status === "failed" || one.status === "warning" || one.status === "unknown");
	const row = (one) => h("li", badge(one.status === "warning" ? "unknown" : one.status, one.name), h("span.why", one.detail, one.hint && [" ", h("strong", "Next: "), one.hint]));
	return [
		h("p", wrong.length ? badge("failed", `${plural(wrong.length, "thing")} to look at`) : badge("passed", `all ${results.length} things examined are in order`)),
		h("ul.checks", wrong.map(row)),
		h("details.fold", h("summary", `What was examined (${results.length})`), h("ul.checks", results.map(row))),
	];
}

// Rules.

async function rules(place) {
	const found = await get("/rules");
	if (!found.rules.length) return void replace(place, empty("No output rules", "Rules say what answers should look like: their length, their layout, words to use or to avoid. Set a rule file with --output-rules."));
	const conflicts = found.conflicts.map((conflict) => h("li", h("strong", conflict.rules.join(" and ")), `: ${conflict.reason}`));
	const items = found.rules.map((rule) =>
		h("li.card", h("div.card-head", h("h3", words(rule.id)), h("span.fine", `${words(rule.kind)} · ${{ block: "must be kept", repair: "is repaired", warn: "warns" }[rule.severity]}`)), h("p", rule.told || rule.message || parameters(rule.params)), conditions(rule.when)),
	);
	replace(
		place,
		h("h2", `${plural(items.length, "rule")}${found.file ? ` of ${found.file}` : ""}`),
		conflicts.length ? h("section.note.open", h("h3", `${plural(conflicts.length, "contradiction")}: no answer can keep these rules at once`), h("ul", conflicts)) : h("p", badge("passed", "no contradiction among them")),
		h("ol.passages", items),
	);
	return undefined;
}

const parameters = (given) =>
	Object.entries(given || {})
		.filter(([, value]) => value !== null && value !== "" && value !== false)
		.map(([name, value]) => `${words(name)}: ${shownValue(value)}`)
		.join("; ") || "checked";

function conditions(when) {
	const parts = Object.entries(when || {}).filter(([, value]) => value?.length);
	return parts.length ? h("p.fine", `Only for ${parts.map(([name, value]) => `${words(name)}: ${[value].flat().join(", ")}`).join("; ")}`) : null;
}

// The settings in force.

async function values(place) {
	const { settings } = await get("/settings");
	if (!settings.length) return void replace(place, empty("Only an administrator sees these", "Whoever runs the server can see every setting with a key of scope admin."));
	const input = h("input", { type: "search", placeholder: "Find a setting", label: "Find a setting" });
	const list = h("div");
	const draw = () => {
		const wanted = input.value.trim().toLowerCase();
		const rows = settings
			.filter((setting) => `${setting.name} ${setting.description}`.toLowerCase().includes(wanted))
			.map((setting) => h("tr", h("th", { scope: "row" }, h("code", setting.name), setting.description && h("span.fine.block", setting.description)), h("td", shownValue(setting.value)), h("td.fine", setting.origin)));
		replace(list, rows.length ? dataTable("Settings", ["Setting", "Value", "From"], rows) : empty("No setting has such a name", "Try a part of its name."));
	};
	input.addEventListener("input", draw);
	replace(place, h("div.search-bar", { role: "search", label: "Settings" }, input), list);
	draw();
	return undefined;
}

const shownValue = (value) => (value === null || value === "" ? "not set" : typeof value === "object" ? JSON.stringify(value) : String(value));

// Keys of the API.

async function keys(place) {
	const { keys: all } = await get("/keys");
	const found = all.filter((key) => key.state !== "revoked");
	const again = () => keys(place);
	const rows = found.map((key) =>
		h(
			"tr",
			h("th", { scope: "row" }, key.name, h("span.fine.block", h("code", key.key_id))),
			h("td", key.scope),
			h("td", key.tenant),
			h("td", key.used ? moment(key.used) : h("span.fine", "never")),
			h("td", key.state === "expired" ? badge("failed", "expired") : key.expires ? day(key.expires) : h("span.fine", "never")),
			h("td.row-actions", iconButton("trash", `Revoke ${key.name}`, () => revoke(key, again), "Revoke")),
		),
	);
	replace(
		place,
		h("div.card-head", h("div", h("h2", plural(found.length, "key")), h("p.fine", "Whoever has a key may use the API with its scopes, in its tenant alone.")), button([icon("plus"), "New key"], () => newKey(again), "primary")),
		rows.length ? dataTable("Keys", ["Name", "May", "Tenant", "Last used", "Expires", ""], rows) : empty("No keys yet", "Without any key, this server answers this machine alone, and lets everyone on it do everything."),
	);
}

async function revoke(key, again) {
	const told = { title: "Revoke this key?", text: `Programs that use “${key.name}” are refused from now on.`, action: "Revoke", danger: true };
	if (!(await confirm(told))) return;
	await remove(`/keys/${encodeURIComponent(key.key_id)}`).then(again, (error) => toast(`It was not revoked: ${error.message}`));
}

function newKey(again) {
	const name = h("input", { name: "name", required: true, maxlength: "100", autocomplete: "off" });
	const scope = h("select", { name: "scope" }, [["read", "read: ask, search, check"], ["write", "write: also add documents, label"], ["admin", "admin: everything in the tenant"]].map(([value, text]) => h("option", { value }, text)));
	const days = h("select", { name: "days" }, [["", "never"], ["30d", "in 30 days"], ["90d", "in 90 days"], ["365d", "in a year"]].map(([value, text]) => h("option", { value, selected: value === "90d" }, text)));
	const place = h("div");
	const make = async (event) => {
		event.preventDefault();
		try {
			const made = await post("/keys", { name: name.value.trim(), scope: scope.value, expires: days.value || null });
			replace(form, h("p", "This is shown once. Keep it where its program finds it."), h("p.key", h("code", made.key)), h("div.actions.end", button([icon("copy"), "Copy"], () => copy(made.key, "The key was copied")), button("Done", () => dialog.close(), "primary")));
			again();
		} catch (error) {
			replace(place, failure(error));
		}
	};
	const form = h("form.stack", { on: { submit: make } }, h("label", "Name", name), h("label", "May", scope), h("label", "Expires", days), place, h("div.actions.end", button("Cancel", () => dialog.close(), "quiet"), h("button", { type: "submit", class: "primary" }, "Make the key")));
	const dialog = modal("New key", form);
}

// The key that this browser sends.

async function ownKey(place) {
	const input = h("input", { type: "password", autocomplete: "off", spellcheck: "false" });
	input.value = storedKey();
	const state = h("div", { aria: { live: "polite" } });
	const test = () =>
		attempt(state, async () => {
			const { caller } = await get("/settings");
			const who = storedKey() ? `the server knows this key as “${caller.name}”` : "this server asks for no key here";
			replace(state, badge("passed", who), h("p.fine", `Tenant ${caller.tenant}; it may ${caller.scopes.join(", ")}.`));
			collectionsChanged();
		});
	const keep = (event) => {
		event.preventDefault();
		storeKey(input.value.trim());
		test();
	};
	const forget = () => {
		input.value = "";
		storeKey("");
		test();
	};
	replace(place, h("form.stack.narrow", { on: { submit: keep } }, h("label", "API key", input), h("p.fine", "It is kept for this tab until it is closed, and sent to this server alone."), h("div.actions", h("button", { type: "submit", class: "primary" }, "Use this key"), button("Forget it", forget, "quiet")), state));
	await test();
}
