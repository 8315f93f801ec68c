// Documents: what the collection holds; add, look into, search, delete.

import { get, path, post, remove } from "./api.js";
import { announce, append, button, confirm, dataTable, empty, failure, fileInput, fold, glyph, h, formDialog, load, nextStep, orSay, pageHead, replace, searchField, toast } from "./dom.js";
import { choose, collection, collectionsChanged, documents } from "./collections.js";
import { icon, iconButton } from "./icons.js";
import { mark } from "./marks.js";
import { duration, nameOf, placeOf, plural } from "./text.js";
import { Uploads, chosenFiles, droppedFiles } from "./uploads.js";
import { openDocument, openPassage } from "./viewer.js";

const uploads = new Uploads();
const PAGE = 100;

/** The view; `COLLECTION/DOCUMENT` opens that document, at the span `start` to `end` of the query. */
export function view(main, { rest, query }) {
	if (rest.length === 2 && rest[0] !== collection()) {
		choose(rest[0]);
		collectionsChanged();
	}
	const made = new DocumentsView(main).begin();
	if (rest.length === 2) openLinked(rest, query);
	return made;
}

async function openLinked([name, id], query) {
	const span = query.has("start") ? { start: Number(query.get("start")), end: Number(query.get("end")) } : null;
	const known = await get(path`/documents/${id}`, { collection: name }).catch(() => ({ document_id: id }));
	openDocument({ source: { ...known, path: known.name }, span, collection: name });
}

class DocumentsView {
	constructor(main) {
		this.main = main;
		this.collection = collection();
		this.query = "";
		this.total = 0;
		this.count = h("span", " ");
		this.progress = h("div");
		this.list = h("div", { aria: { live: "polite" } });
	}

	begin() {
		const page = h("div.page", this.head(), this.dropArea(), this.progress, this.searchBar(), this.list);
		replace(this.main, page);
		const redraw = () => page.isConnected && this.drawProgress();
		uploads.addEventListener("changed", redraw);
		uploads.addEventListener("ended", () => {
			collectionsChanged();
			if (page.isConnected) this.load();
		});
		this.drawProgress();
		this.load(6);
		return { keys: { "/": () => page.querySelector("[type=search]").focus() } };
	}

	head() {
		return pageHead("Documents", this.count, button([icon("plus"), "New collection"], newCollection, "quiet"));
	}

	/** Where files are dropped, with buttons for those who do not drag. */
	dropArea() {
		const take = ({ target }) => {
			this.take(chosenFiles(target.files));
			target.value = "";
		};
		const [files, folder] = [fileInput(take), fileInput(take, { webkitdirectory: true })];
		const area = h(
			"section.drop",
			{ label: "Add documents" },
			icon("upload"),
			h("div", h("p", h("strong", "Drop files or folders here")), h("p.fine", "PDF, Word, PowerPoint, Excel, HTML, Markdown, text, e-mail, EPUB, CSV, JSON lines")),
			h("div.actions", button("Choose files", () => files.click(), "primary"), button("Choose a folder", () => folder.click())),
			files,
			folder,
		);
		const over = (is) => (event) => {
			if (![...event.dataTransfer.types].includes("Files")) return;
			event.preventDefault();
			area.classList.toggle("over", is);
		};
		for (const name of ["dragenter", "dragover"]) this.main.addEventListener(name, over(true));
		this.main.addEventListener("dragleave", over(false));
		this.main.ondrop = async (event) => {
			if (!area.isConnected) return;
			over(false)(event);
			this.take(await droppedFiles(event.dataTransfer));
		};
		return area;
	}

	take(files) {
		if (files.length) uploads.add(this.collection, files);
	}

	/** What became of the files so far. */
	drawProgress() {
		const { files, busy } = uploads;
		if (!files.length) return void this.progress.replaceChildren();
		const counts = new Map();
		for (const { status } of files) counts.set(status, (counts.get(status) || 0) + 1);
		const told = "added unchanged skipped failed".split(" ").filter((name) => counts.get(name)).map((name) => `${counts.get(name)} ${name}`);
		const share = files.find((file) => file.status === "sending")?.sent;
		const sending = share < 1;
		const left = uploads.secondsLeft == null ? "" : ` · about ${duration(1000 * uploads.secondsLeft)} left`;
		const title = busy ? `${sending ? "Sending" : "Reading"} ${uploads.done} of ${plural(files.length, "file")}${left}` : `${plural(files.length, "file")}: ${told.join(", ") || "nothing was done"}`;
		const bar = h("progress", { max: String(files.length), value: uploads.done + (sending ? share * 0.5 : 0), label: "Files read" });
		const open = this.progress.querySelector("details")?.open ?? (counts.has("failed") || files.length < 8);
		const details = fold("The files", h("ul.upload-files", files.slice(0, 500).map(fileLine)));
		details.open = open || (!busy && counts.has("failed"));
		replace(
			this.progress,
			h(
				"section.card",
				{ label: "Upload" },
				h("header.card-head", h("div", h("h2", title), h("p.fine", { aria: { live: "polite" } }, busy ? told.join(", ") : `${plural(uploads.passages, "passage")} can be searched now`)), busy ? null : button("Done", () => uploads.clear(), "quiet")),
				busy ? bar : null,
				uploads.error && failure(uploads.error),
				details,
			),
		);
		if (!busy) announce(title);
	}

	searchBar() {
		const input = searchField("Find by name, or press Enter to search in the texts", "Find documents");
		let timer = 0;
		input.addEventListener("input", () => {
			clearTimeout(timer);
			timer = setTimeout(() => {
				this.query = input.value.trim();
				this.load();
			}, 200);
		});
		const search = () => {
			clearTimeout(timer);
			if (input.value.trim()) this.searchTexts(input.value.trim());
		};
		return h("form.search-bar", { role: "search", label: "Documents", on: { submit: search } }, input, h("button", { type: "submit", label: "Search texts" }, icon("search"), h("span", "Search texts")));
	}

	load(bars) {
		const draw = async () => {
			const page = await documents({ collection: this.collection, q: this.query, limit: PAGE });
			this.total = page.total;
			this.count.textContent = this.query ? `${plural(page.total, "document")} with “${this.query}”` : `${plural(page.total, "document")} in the collection “${this.collection}”`;
			if (!page.total && !this.query) return empty("No documents yet", "Drop files above. Each is read, split into passages and made searchable.");
			if (!page.total) return empty("No document has such a name", "Press Enter to search in the texts instead.");
			return this.table(page.documents);
		};
		load(this.list, draw, bars);
	}

	table(documents) {
		const table = dataTable("Documents", ["Title", "Format", "Passages", ""], documents.map((document) => this.row(document)), "list.cards");
		const body = table.querySelector("tbody");
		const more = button("Show more", () => this.more(body, more));
		more.hidden = documents.length >= this.total;
		return [table, more];
	}

	async more(body, control) {
		const after = body.lastElementChild.dataset.id;
		const page = await documents({ collection: this.collection, q: this.query, limit: PAGE, after });
		append(body, page.documents.map((document) => this.row(document)));
		control.hidden = body.childElementCount >= this.total || !page.documents.length;
	}

	row(document) {
		const open = () => openDocument({ source: { ...document, path: document.name }, span: null, collection: this.collection });
		const name = document.title || document.name;
		const row = h(
			"tr",
			{ data: { id: document.document_id } },
			h("td.main-cell", button(name, open, "text strong"), document.name !== name && h("span.fine.block", document.name), document.warnings?.map((text) => h("span.fine.block.warned", glyph("⚠ "), text))),
			h("td.fine.nowrap", document.format),
			h("td.numeric", { data: { unit: document.passages === 1 ? " passage" : " passages" } }, document.passages),
			h("td.row-actions", iconButton("trash", `Delete ${name}`, () => this.delete(document, row), "Delete")),
		);
		return row;
	}

	async delete(document, row) {
		const name = document.title || document.name;
		const text = `“${name}” and its ${plural(document.passages, "passage")} will no longer be found or cited. Answers that were given stay in the runs.`;
		if (!(await confirm("Delete this document?", text, "Delete"))) return;
		await orSay("It was not deleted", async () => {
			await remove(path`/documents/${document.document_id}`, { collection: this.collection });
			row.remove();
			collectionsChanged();
			toast(`“${name}” was deleted`);
			this.load();
		});
	}

	/** The passages nearest to some words, whatever document they are in. */
	searchTexts(query) {
		const search = async () => {
			const { hits, notes } = await post("/search", { query, collection: this.collection, k: 20 });
			const back = button([icon("previous"), "All documents"], () => this.load(), "quiet");
			if (!hits.length) return empty("Nothing was found", "Try other words, or fewer.", back);
			this.count.textContent = `${plural(hits.length, "passage")} nearest to “${query}”`;
			return [back, notes.map((note) => h("p.fine", note)), h("ol.passages", hits.map((hit) => this.passage(hit)))];
		};
		load(this.list, search, 5);
	}

	passage({ passage }) {
		return h("li.card", h("p", button(nameOf(passage), () => openPassage(passage, this.collection), "text strong"), h("span.fine", ` ${placeOf(passage.location, passage.line, passage.title)}`)), h("p.clamp.pre", passage.text));
	}
}

/** Ask for a name; a collection comes to be with its first document. */
function newCollection() {
	const name = h("input", { required: true, pattern: "[A-Za-z0-9_][A-Za-z0-9_.\\-]{0,63}", title: "letters, digits, _ . and -", autocomplete: "off" });
	const make = async (dialog) => {
		dialog.close();
		choose(name.value);
		collectionsChanged();
		dispatchEvent(new Event("hashchange"));
	};
	formDialog("New collection", [h("label", "Name", name), h("p.fine", "Questions search one collection at a time. It is kept once the first document was added.")], "Use it", make);
}

const FILE_MARKS = { added: "passed", unchanged: "skipped", skipped: "skipped", failed: "failed" };
const FILE_WORDS = { waiting: "waiting", sending: "being sent", reading: "being read", unchanged: "unchanged: the same as before" };

function fileLine(file) {
	const { sign, tone } = FILE_MARKS[file.status] ? mark(FILE_MARKS[file.status]) : { sign: "…", tone: "pending" };
	const told = file.status === "added" ? `added, ${plural(file.passages, "passage")}` : FILE_WORDS[file.status] || file.status;
	return h(
		"li",
		{ class: tone },
		h("span.sign.tone", { aria: { hidden: true } }, sign),
		h("span.file-name", file.name),
		h("span.fine", told),
		file.reason && h("p.why", file.reason, nextStep(file.hint)),
	);
}
