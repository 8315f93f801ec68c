// Texts as the page shows them: offsets, numbers, times, places.

/** Offsets of the API count code points; JavaScript's count UTF-16 units. This turns one into the other. */
export class CodePoints {
	constructor(text) {
		this.text = text;
		this.units = null;
		if (/[\ud800-\udfff]/.test(text)) {
			this.units = [];
			for (let at = 0; at < text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) this.units.push(at);
			this.units.push(text.length);
		}
	}

	/** The UTF-16 offset of a code point's offset. */
	unit(offset) {
		if (!this.units) return Math.min(offset, this.text.length);
		return this.units[Math.min(offset, this.units.length - 1)];
	}
}

export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

export const number = (value) => Number(value).toLocaleString("en", { maximumFractionDigits: 2 });

/** A share as a percentage; a probability is never shown as certain. */
export function percent(value, { certain = false } = {}) {
	if (value == null) return "not measured";
	if (!certain && value > 0.99) return "over 99 %";
	// What is not quite all is never rounded to all.
	const shown = Math.round(100 * value) === 100 && value < 1 ? Math.floor(1000 * value) / 10 : Math.round(100 * value);
	return `${shown} %`;
}

export const errorShare = (value) => (value >= 0.01 ? `${Math.round(100 * value)} %` : "less than 1 %");

export const score = (value) => (value == null ? "not measured" : value.toFixed(2));

/** A length of time, from milliseconds. */
export function duration(ms) {
	if (ms < 1000) return `${Math.round(ms)} ms`;
	if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
	const minutes = Math.floor(ms / 60_000);
	return minutes < 60 ? `${minutes} min ${Math.round((ms % 60_000) / 1000)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A price in US dollars. */
export function cost(dollars) {
	if (dollars == null) return "cost unknown";
	if (!dollars) return "no cost";
	return dollars < 0.01 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

const CLOCK = { hour: "2-digit", minute: "2-digit" };

/** A moment, from Unix seconds: the time today, else the day as well. */
export function moment(seconds) {
	const date = new Date(seconds * 1000);
	const now = new Date();
	const clock = date.toLocaleTimeString("en-GB", CLOCK);
	if (date.toDateString() === now.toDateString()) return `today, ${clock}`;
	const year = date.getFullYear() === now.getFullYear() ? {} : { year: "numeric" };
	return `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...year })}, ${clock}`;
}

/** A day, from Unix seconds. */
export const day = (seconds) => new Date(seconds * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short" });

/** A date of a source, ISO 8601 as far as it is known. */
export function sourceDate(iso) {
	if (!/^\d{4}-\d{2}-\d{2}/.test(iso)) return iso;
	const date = new Date(`${iso.slice(0, 10)}T12:00:00`);
	return date.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
}

/** Where in a document: page, slide, sheet, row, section; `title` is not said again. */
export function placeOf(location = {}, line = null, title = "") {
	const parts = ["page", "slide", "sheet", "row"].filter((name) => location[name] != null);
	const named = parts.map((name) => `${name} ${location[name]}`);
	if (line != null) named.push(`line ${line}`);
	const section = (location.section || "").split(" > ").filter((part) => part !== title).join(" › ");
	if (section) named.push(section);
	return named.join(", ");
}

export const fileName = (path) => (path || "").split(/[\\/]/).filter(Boolean).pop() || "";

/** The name of a source, a passage or a document. */
export const nameOf = ({ title, path, source, document_id }) => title || fileName(path || source) || document_id;

export const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) : "");

export const words = (name) => String(name).replaceAll("_", " ");
