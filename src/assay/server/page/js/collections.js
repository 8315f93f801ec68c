// The collection in use, kept for this browser.

import { get } from "./api.js";
import { h } from "./dom.js";

const CHOSEN = "assay.collection";

/** The name of the collection that views show and questions search. */
export function collection() {
	try {
		return localStorage.getItem(CHOSEN) || "default";
	} catch {
		return "default";
	}
}

export const choose = (name) => localStorage.setItem(CHOSEN, name);

/** Draw the menu anew: there are other collections, or others that may be seen. */
export const collectionsChanged = () => dispatchEvent(new Event("collections"));

/** A menu of the collections; `changed` is called when another is chosen. */
export async function collectionMenu(place, changed) {
	const { collections } = await get("/collections");
	const names = [...new Set([...collections.map((one) => one.name), collection()])].sort();
	const counts = new Map(collections.map((one) => [one.name, one.documents]));
	const change = (event) => {
		choose(event.target.value);
		changed();
	};
	const options = names.map((name) => h("option", { value: name, selected: name === collection() }, `${name} (${counts.get(name) ?? 0})`));
	place.replaceChildren(h("select.collection", { label: "Collection", on: { change } }, options));
}
