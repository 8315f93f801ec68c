// The HTTP API: JSON calls, images, uploads with progress, and event streams that survive a broken connection.

const BASE = "/api/v1";
const KEY = "assay.key";
// Delays before the attempts to take up a broken stream, in ms. Chosen.
const RECONNECT_DELAYS = [0, 300, 1000, 2000, 4000];

/** What a request ended with: a problem (RFC 9457) of the server, or no connection at all. */
export class ApiError extends Error {
	constructor(problem) {
		super(problem.detail || problem.title);
		this.status = problem.status || 0;
		this.title = problem.title || "The request failed";
		this.detail = problem.detail && problem.detail !== this.title ? problem.detail : "";
		// Some hints are for programs; the page has buttons.
		this.hint = /\/api\/|openapi|HTTP/.test(problem.hint) ? "" : problem.hint || "";
		this.request_id = problem.request_id || "";
		this.fields = problem.errors || [];
	}
}

const NO_CONNECTION = {
	title: "The server cannot be reached",
	detail: "No connection could be made, or it broke.",
	hint: "check that `assay serve` runs, and try again",
};

export function asApiError(error) {
	if (error instanceof ApiError) return error;
	if (!(error instanceof Error)) return new ApiError(error);
	if (error instanceof TypeError && /fetch|network|load/i.test(error.message)) return new ApiError(NO_CONNECTION);
	return new ApiError({ title: "The page made a mistake", detail: String(error?.message || error), hint: "reload the page" });
}

export function storedKey() {
	return sessionStorage.getItem(KEY) || "";
}

export function storeKey(key) {
	if (key) sessionStorage.setItem(KEY, key);
	else sessionStorage.removeItem(KEY);
}

function headers(more = {}) {
	const key = storedKey();
	return { ...(key ? { Authorization: `Bearer ${key}` } : {}), ...more };
}

/** A path with its query; parameters that are null, undefined or empty are left out. */
export function withQuery(path, query = {}) {
	const given = Object.entries(query).filter(([, value]) => value != null && value !== "");
	const text = new URLSearchParams(given).toString();
	return text ? `${path}?${text}` : path;
}

/** A path with its parts encoded: path`/runs/${id}`. */
export const path = (texts, ...parts) => String.raw({ raw: texts }, ...parts.map(encodeURIComponent));

async function request(method, path, { query, body, signal, accept, more } = {}) {
	const options = { method, signal, headers: headers({ Accept: accept || "application/json", ...more }) };
	if (body !== undefined) {
		options.body = JSON.stringify(body);
		options.headers["Content-Type"] = "application/json";
	}
	const response = await fetch(BASE + withQuery(path, query), options);
	if (!response.ok) throw await problemOf(response);
	return response;
}

async function problemOf(response) {
	const problem = await response.json().catch(() => ({}));
	const wait = response.headers.get("Retry-After");
	const hint = problem.hint || (wait ? `try again in ${wait} s` : "");
	return new ApiError({ title: response.statusText, ...problem, hint, status: response.status });
}

async function json(method, path, options) {
	const response = await request(method, path, options);
	return response.status === 204 ? null : response.json();
}

export const get = (path, query, signal) => json("GET", path, { query, signal });
export const post = (path, body) => json("POST", path, { body });
export const remove = (path, query) => json("DELETE", path, { query });

/** A page of text, such as a report. */
export const text = async (path) => (await request("GET", path, { accept: "text/html" })).text();

/** The address of an image for `img`; release it with URL.revokeObjectURL. */
export async function image(path, query, signal) {
	const response = await request("GET", path, { query, signal, accept: "image/png" });
	return URL.createObjectURL(await response.blob());
}

/** Upload files; `progress` is told the share sent. Fetch cannot report it, so this is an XMLHttpRequest. */
export function upload(path, query, files, { progress, idempotencyKey }) {
	return new Promise((resolve, reject) => {
		const form = new FormData();
		for (const { file, name } of files) form.append("files", file, name);
		const call = new XMLHttpRequest();
		call.open("POST", BASE + withQuery(path, query));
		for (const [name, value] of Object.entries(headers({ "Idempotency-Key": idempotencyKey }))) call.setRequestHeader(name, value);
		call.responseType = "json";
		call.upload.addEventListener("progress", (event) => event.lengthComputable && progress(event.loaded / event.total));
		call.addEventListener("load", () => {
			if (call.status < 300) resolve(call.response);
			else reject(new ApiError({ title: call.statusText, ...call.response, status: call.status }));
		});
		call.addEventListener("error", () => reject(new ApiError(NO_CONNECTION)));
		call.send(form);
	});
}

/** The events of a server-sent event stream: {id, event, data}, `data` parsed as JSON. */
export async function* serverSentEvents(body) {
	const reader = body.pipeThrough(new TextDecoderStream()).getReader();
	let rest = "";
	let event = { id: "", event: "", data: [] };
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
			rest = lines.pop();
			for (const line of lines) {
				if (line === "") {
					if (event.data.length) yield { ...event, data: JSON.parse(event.data.join("\n")) };
					event = { id: "", event: "", data: [] };
					continue;
				}
				const [, field, text] = /^([^:]*):? ?(.*)$/s.exec(line);
				if (field === "data") event.data.push(text);
				else if (field === "id" || field === "event") event[field] = text;
			}
		}
	} finally {
		reader.cancel().catch(() => {});
	}
}

const isLast = (kind) => kind === "done" || kind === "error";

/** The events of a question. A stream that breaks before its last event is taken up where it broke. */
export async function* streamQuestion(path, body, { signal, reconnecting }) {
	let response = await request("POST", path, { body, signal, accept: "text/event-stream" });
	let last = "";
	for (let attempt = 0; ; ) {
		try {
			for await (const { id, data } of serverSentEvents(response.body)) {
				if (id) last = id;
				attempt = 0;
				yield data;
				if (isLast(data.kind)) return;
			}
		} catch (error) {
			if (signal.aborted) throw error;
		}
		if (!last || attempt >= RECONNECT_DELAYS.length) throw new ApiError(NO_CONNECTION);
		reconnecting();
		await pause(RECONNECT_DELAYS[attempt++], signal);
		response = await resume(last, signal).catch((error) => {
			if (signal.aborted || error instanceof ApiError) throw error;
			return { body: new Blob().stream() };
		});
	}
}

function resume(last, signal) {
	const run = last.slice(0, last.lastIndexOf(":"));
	const more = { "Last-Event-ID": last };
	return request("GET", path`/runs/${run}/events`, { signal, accept: "text/event-stream", more });
}

/** The states of an upload until it ends. */
export async function* jobStates(jobId, signal) {
	const response = await request("GET", path`/jobs/${jobId}/events`, { signal, accept: "text/event-stream" });
	for await (const { data } of serverSentEvents(response.body)) yield data;
}

function pause(ms, signal) {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(resolve, ms);
		signal?.addEventListener("abort", () => {
			clearTimeout(timer);
			reject(signal.reason);
		});
	});
}
