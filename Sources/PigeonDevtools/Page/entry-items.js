// The items that an entry contains, and the entries that contain the selected one.

import { searchField } from "./activity-tabs.js";
import { el, facts, note, plural, renew, section, setClass, setText, VirtualList, whole } from "./dom.js";
import { itemKey } from "./model.js";

const rowHeight = 24;
const shownRows = 8;

export class ItemsPart {
	items = [];
	shown = [];
	words = [];

	constructor(app) {
		this.app = app;
		this.counts = el("div");
		this.places = el("div");
		this.makeList();
		this.element = section("Contains", this.counts, this.search, this.list.element, this.empty, this.places);
		this.element.classList.add("items");
		this.element.hidden = true;
	}

	makeList() {
		this.search = searchField("Search its items", (text) => {
			this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
			this.filter();
		});
		this.search.addEventListener("keydown", (event) => { if (event.key === "ArrowDown" || event.key === "Enter") this.list.element.focus(); });
		this.empty = el("p.note", { text: "No item matches.", hidden: true });
		this.list = new VirtualList({
			label: "Items", rowHeight,
			create: () => el("div", { role: "row", class: "row cells" },
				["type", "id", "wait"].map((name) => el("span", { role: "gridcell", class: name === "id" ? "mono" : `c-${name}` }))),
			update: (row, index) => this.updateRow(row, this.shown[index]),
			select: (index) => this.app.selectItem({ type: this.shown[index].type, id: this.shown[index].id }),
		});
	}

	updateRow(row, item) {
		if (!item) return;
		const [type, id, wait] = row.children;
		setText(type, item.type);
		setText(id, item.id);
		setText(wait, item.isBehind ? waits : "");
		setClass(row, `row cells${this.isSelected(item) ? " selected" : ""}`);
	}

	isSelected({ type, id }) {
		const selected = this.app.openItem;
		return selected !== null && selected.type === type && selected.id === id;
	}

	/** Shows the items of an entry, by their types. Null if it contains none. */
	show(key, kinds) {
		if (key !== this.key) this.restart(key);
		this.element.hidden = kinds === null;
		if (kinds === null) return;
		const isNew = renew(this.counts, kinds, () => facts(kinds.map((kind) => [kind.type, countText(kind)])));
		if (isNew) this.items = kinds.flatMap(({ type, items }) => items.map((item) => ({ ...item, type, text: `${type} ${item.id}`.toLowerCase() })));
		if (isNew || this.app.openItem !== this.selected) this.filter();
		this.selected = this.app.openItem;
		this.showPlaces(key);
	}

	restart(key) {
		this.key = key;
		this.selected = null;
		this.counts.data = undefined;
		this.words = [];
		this.search.value = "";
		this.list.active = -1;
		this.list.scroller.scrollTop = 0;
	}

	filter() {
		this.shown = this.items.filter(({ text }) => this.words.every((word) => text.includes(word)));
		this.search.hidden = this.items.length <= shownRows;
		this.list.element.hidden = this.shown.length === 0;
		this.empty.hidden = this.shown.length > 0 || this.items.length === 0;
		this.list.element.style.height = `${Math.min(shownRows, this.shown.length) * rowHeight + 2}px`;
		this.list.active = this.shown.findIndex((item) => this.isSelected(item));
		this.list.setCount(this.shown.length);
	}

	/** Where the selected item stands, as the program said last. */
	showPlaces(key) {
		const { app } = this;
		const item = app.openItem;
		const found = item && (app.facts.places.get(itemKey(item)) ?? null);
		// A link is made only to an entry that is there.
		const isThere = (found?.entries ?? []).map((place) => Boolean(app.index.row(place.key)));
		renew(this.places, item && [key, item, found, isThere], () => {
			const title = `Where ${item.type} ${item.id} stands`;
			return el("div", { role: "region", "aria-label": title }, el("h4", { text: title }), found ? this.placesView(key, item, found)
				: note(app.player ? "The recording does not say it, since the item was not selected." : "Loading…"));
		});
	}

	placesView(key, item, { count, entries, origin }) {
		if (count === 0) return note("No entry in memory contains it any longer.");
		const link = (place) => (place === key ? el("span", { text: `${place}, this entry` }) : this.app.link(place, item));
		const omitted = count - entries.length;
		return [
			origin && el("p", {}, "The newest came from ", origin.key === key ? "this entry" : this.app.link(origin.key, item),
				origin.page === null ? "." : `, page ${whole(origin.page)}.`),
			el("p.note", { text: `${plural(count, "entry contains", "entries contain")} it${omitted > 0 ? `, of which the first ${whole(entries.length)}` : ""}:` }),
			el("ul.plain-list.mono.keys-found", { "aria-label": "Entries that contain it", tabindex: "0" },
				entries.map((place) => el("li", {}, link(place.key), place.isBehind && note(waits)))),
		];
	}
}

const waits = "waits for a newer one";

function countText({ count, behind, items, isPrivate }) {
	return [whole(count), behind > 0 && `${whole(behind)} ${behind === 1 ? "waits" : "wait"} for a newer one`,
		isPrivate ? "private" : items.length < count && `the first ${whole(items.length)} are shown`].filter(Boolean).join(" · ");
}
