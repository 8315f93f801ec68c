// The collection in use, kept for this browser.

import { get } from "./api.js";
import { selectOf } from "./dom.js";

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

let listed = null;

/** The collections that there are, as they were last asked for. */
function list() {
	listed ||= get("/collections").then(
		({ collections }) => collections,
		(error) => {
			listed = null;
			throw error;
		},
	);
	return listed;
}

/** Draw the menu anew: there are other collections, or others that may be seen. */
export function collectionsChanged() {
	listed = null;
	dispatchEvent(new Event("collections"));
}

/** Documents of a collection; one that does not exist yet has none. */
export async function documents(query) {
	const exists = (await list()).some((one) => one.name === query.collection);
	return exists ? get("/documents", query) : { documents: [], total: 0 };
}

/** A menu of the collections; `changed` is called when another is chosen. */
export async function collectionMenu(place, changed) {
	const collections = await list();
	const names = [...new Set([...collections.map((one) => one.name), collection()])].sort();
	const counts = new Map(collections.map((one) => [one.name, one.documents]));
	const change = (event) => {
		choose(event.target.value);
		changed();
	};
	const options = names.map((name) => [name, `${name} (${counts.get(name) ?? 0})`]);
	place.replaceChildren(selectOf(options, collection(), { class: "collection", label: "Collection", on: { change } }));
}
