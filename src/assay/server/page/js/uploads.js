// Files on their way into a collection: sent in batches, followed until each was read, kept while the page is open.

import { asApiError, jobStates, upload } from "./api.js";

// The most that one request carries. Chosen: well below the server's own limit, so that progress is seen.
const MOST_FILES = 100;
const MOST_BYTES = 32 * 1024 * 1024;

/** The uploads of this page; `changed` is called whenever something happened. */
export class Uploads extends EventTarget {
	constructor() {
		super();
		this.files = [];
		this.passages = 0;
		this.secondsLeft = null;
		this.error = null;
		this.busy = false;
	}

	get done() {
		return this.files.filter((file) => !["waiting", "sending", "reading"].includes(file.status)).length;
	}

	/** Take in these files: [{file, name}]. Those of an upload in progress are added to it. */
	add(collection, files) {
		if (!this.busy) this.clear();
		this.files.push(...files.map(({ file, name }) => ({ file, name, collection, status: "waiting", reason: null, hint: null, passages: 0, sent: 0 })));
		this.changed();
		if (!this.busy) this.run();
	}

	clear() {
		Object.assign(this, { files: [], passages: 0, secondsLeft: null, error: null });
		this.changed();
	}

	changed() {
		this.dispatchEvent(new Event("changed"));
	}

	async run() {
		this.busy = true;
		try {
			for (let batch = this.next(); batch.length; batch = this.next()) await this.send(batch);
		} catch (error) {
			this.error = asApiError(error);
			for (const file of this.files.filter((one) => one.status === "waiting" || one.status === "sending")) {
				Object.assign(file, { status: "failed", reason: "it was not sent", hint: "add it again" });
			}
		} finally {
			this.busy = false;
			this.dispatchEvent(new Event("ended"));
			this.changed();
		}
	}

	/** The next files of one collection that one request may carry. */
	next() {
		const batch = [];
		let bytes = 0;
		for (const file of this.files) {
			if (file.status !== "waiting") continue;
			if (batch.length && (batch.length >= MOST_FILES || bytes + file.file.size > MOST_BYTES || file.collection !== batch[0].collection)) break;
			batch.push(file);
			bytes += file.file.size;
		}
		return batch;
	}

	async send(batch) {
		const { collection } = batch[0];
		const progress = (share) => {
			for (const file of batch) Object.assign(file, { status: "sending", sent: share });
			this.changed();
		};
		progress(0);
		const job = await upload("/documents", { collection }, batch, { progress, idempotencyKey: randomKey() });
		const before = this.passages;
		for await (const state of jobStates(job.job_id)) {
			state.files.forEach((file, at) => batch[at] && this.take(batch[at], file));
			this.passages = before + (state.passages || 0);
			this.secondsLeft = state.seconds_left;
			if (state.status === "failed" && state.reason) this.error = asApiError({ message: state.reason });
			this.changed();
		}
		this.secondsLeft = null;
	}

	take(file, state) {
		const status = state.status === "waiting" ? "reading" : state.status;
		const { reason, hint, passages, document_id } = state;
		Object.assign(file, { status, reason, hint, passages, document_id });
	}
}

/** A key under which a repeated request is taken for the same. */
function randomKey() {
	return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The files of a drop, folders with all that is in them: [{file, name}]. */
export async function droppedFiles(transfer) {
	const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
	if (!entries.length) return chosenFiles(transfer.files);
	const found = [];
	for (const entry of entries) await collect(entry, found);
	return found;
}

async function collect(entry, found) {
	if (entry.name.startsWith(".")) return;
	if (entry.isFile) {
		const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
		found.push({ file, name: entry.fullPath.replace(/^\//, "") });
		return;
	}
	const reader = entry.createReader();
	// A reader gives a hundred entries at a time, and none at the end.
	for (let batch = await entriesOf(reader); batch.length; batch = await entriesOf(reader)) {
		for (const inner of batch) await collect(inner, found);
	}
}

const entriesOf = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));

/** The files of an input, under their names in the chosen folder. */
export const chosenFiles = (files) => [...files].map((file) => ({ file, name: file.webkitRelativePath || file.name }));
