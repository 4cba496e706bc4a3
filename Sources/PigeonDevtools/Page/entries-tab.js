// The tab of entries: the list on the left, the selected entry on the right.

import { searchField } from "./activity-tabs.js";
import { button, bytes, chip, el, group, inNextFrame, inSlices, plural, setAttribute, setClass, setPressed, setText, span, Tab, VirtualList, whole } from "./dom.js";
import { flags } from "./entry-index.js";
import { EntryPanel } from "./entry-panel.js";
import { nextText, stateText } from "./model.js";

const rowOf = (item) => item.row ?? item.entry?.row;
const columns = [["key", "Key"], ["state", "State"], ["age", "Age"], ["observers", "Obs."], ["size", "Size"], ["next", "Next"]];

export class EntriesTab extends Tab {
	name = "entries";
	selectedGroup = null;
	lastRebuild = -Infinity;
	rebuildTime = 0;

	constructor(app) {
		super();
		this.app = app;
		this.index = app.index;
		this.panel = new EntryPanel(app, () => this.escape());
		this.makeList();
		this.element = el("section.tab.split.entries", {},
			el("div.side", {}, this.makeTools(), this.list.element, this.empty = el("p.empty", { hidden: true })),
			this.panel.element);
	}

	makeTools() {
		this.search = searchField("Search keys, tag:… or type:…", (text) => {
			this.index.search(text);
			this.rebuildNow();
		});
		this.search.addEventListener("keydown", (event) => { if (event.key === "ArrowDown" || event.key === "Enter") this.focus(); });
		this.treeButton = button("Tree", () => this.setTree(true), { "aria-pressed": "true" });
		this.flatButton = button("Flat", () => this.setTree(false), { "aria-pressed": "false" });
		this.total = el("span.total");
		this.chips = Object.keys(flags).map((name) => chip(name, (isOn) => {
			this.index.setChip(name, isOn);
			this.rebuildNow();
		}, { "data-chip": name }));
		return el("div.tools", {},
			el("div.line", {}, this.search,
				group("Order", "segments", this.treeButton, this.flatButton), this.total),
			group("Filters", "line chips", this.chips));
	}

	makeList() {
		this.headers = columns.map(([name, title]) => el("span", { role: "columnheader", class: `c-${name}` },
			button(title, () => this.sortBy(name), { class: "plain", title: name === "observers" ? "Observers, and callers that wait" : null })));
		const header = el("div", { role: "rowgroup", class: "head" }, el("div", { role: "row", class: "cells" }, this.headers));
		this.list = new VirtualList({
			label: "Entries", role: "treegrid", header,
			create: () => this.createRow(),
			update: (row, index) => this.updateRow(row, index),
			select: (index, event) => this.selected(index, event),
			open: (index) => this.opened(index),
			keys: (event) => this.listKey(event),
		});
	}

	createRow() {
		const cell = (name, ...children) => el("span", { role: "gridcell", class: `c-${name}` }, ...children);
		return el("div", { role: "row", class: "row cells" },
			cell("key", el("span.twist", { "aria-hidden": "true" }), el("span.mono.label"), el("span.badges")),
			cell("state", el("span.dot"), el("span")),
			cell("age"), cell("observers"), cell("size"), cell("next"));
	}

	updateRow(element, index) {
		const item = this.index.items[index];
		if (!item) return;
		const isGroup = item.group !== undefined;
		const row = rowOf(item);
		const [key, state, age, observers, size, next] = element.children;
		const depth = this.index.isTree ? item.depth : 0;
		key.style.paddingLeft = `${8 + depth * 16}px`;
		setAttribute(element, "aria-level", this.index.isTree ? depth + 1 : null);
		setAttribute(element, "aria-expanded", isGroup ? String(item.isOpen) : null);
		setText(key.children[0], isGroup ? (item.isOpen ? "▾" : "▸") : "");
		setText(key.children[1], isGroup ? item.label : this.index.isTree ? row.path.slice(depth).join("/") : row.key);
		setText(key.children[2], [isGroup ? whole(item.count) : "", row ? badges(row) : ""].filter(Boolean).join("  "));
		setAttribute(element, "title", row?.key ?? item.group);
		const isSelected = row ? row.key === this.app.openKey : item.group === this.selectedGroup;
		setClass(element, `row cells${isGroup ? " group" : ""}${isSelected ? " selected" : ""}`);
		if (row) this.updateCells(row, state, age, observers, size, next);
		else this.updateGroup(item, state, age, observers, size, next);
	}

	updateCells(row, state, age, observers, size, next) {
		const now = this.app.now();
		setClass(state, `c-state s-${row.state} a-${row.activity}`);
		setText(state.children[1], stateText(row));
		setText(age, row.updatedAt === null ? "–" : span(now - row.updatedAt));
		setText(observers, [row.observers, row.waiters].filter(Boolean).join(" + "));
		setText(size, row.bytes === null ? "" : bytes(row.bytes));
		setText(next, nextText(row.next, now, span));
	}

	updateGroup({ fetching, failed, stale }, state, ...others) {
		setClass(state, `c-state s-${failed > 0 ? "failed" : "none"} a-${fetching > 0 ? "fetching" : "idle"}`);
		setText(state.children[1], [[fetching, "fetching"], [failed, "failed"], [stale, "stale"]].filter(([count]) => count > 0).slice(0, 2)
			.map(([count, name]) => `${whole(count)} ${name}`).join(", "));
		for (const cell of others) setText(cell, "");
	}

	// Order

	setTree(isTree) {
		this.index.isTree = isTree;
		if (isTree) this.index.sort = { by: "key", isDown: false };
		setPressed(this.treeButton, isTree);
		setPressed(this.flatButton, !isTree);
		setAttribute(this.list.element, "role", isTree ? "treegrid" : "grid");
		this.rebuildNow();
	}

	/** Sorts by a column. Only the flat list can be sorted; a tree has the order of its paths. */
	sortBy(name) {
		const { sort } = this.index;
		const isDown = !this.index.isTree && sort.by === name && !sort.isDown;
		if (this.index.isTree) this.setTree(false);
		this.index.sort = { by: name, isDown };
		this.rebuildNow();
	}

	/** Makes the list anew, from the top, since somebody asked for another one. */
	rebuildNow() {
		this.index.needsRebuild = true;
		this.list.scroller.scrollTop = 0;
		this.rebuildSoon(true);
	}

	/** Makes the list anew, at most every 250 ms, and less often where it takes long. */
	rebuildSoon(isAsked = false) {
		if (this.isRebuilding || !this.index.needsRebuild) return;
		const pause = Math.max(250, this.rebuildTime * 4);
		const wait = isAsked || this.index.items.length === 0 ? 0 : this.lastRebuild + pause - performance.now();
		if (wait > 0) {
			this.timer ??= setTimeout(() => { this.timer = null; this.rebuildSoon(); }, wait);
			return;
		}
		const start = performance.now();
		this.isRebuilding = true;
		inSlices(this.index.rebuild(), () => {
			this.isRebuilding = false;
			this.lastRebuild = performance.now();
			this.rebuildTime = this.lastRebuild - start;
			this.showList();
			this.rebuildSoon();
		});
	}

	showList() {
		const { index, app } = this;
		const isFound = (item) => (this.selectedGroup !== null ? item.group === this.selectedGroup
			: rowOf(item)?.key === app.openKey);
		const hasSelection = this.selectedGroup !== null || app.openKey !== null;
		// Rows move while entries come and go. The active row goes along.
		this.list.active = hasSelection ? index.items.findIndex(isFound) : Math.min(this.list.active, index.items.length - 1);
		this.list.setCount(index.items.length);
		if (this.isRevealing && this.list.active >= 0) this.list.setActive(this.list.active, false);
		this.isRevealing = false;
		const all = index.entries.size;
		setText(this.total, index.isFiltered ? `${whole(index.shownCount)} of ${whole(all)}` : plural(all, "entry", "entries"));
		this.empty.hidden = index.items.length > 0;
		setText(this.empty, all === 0 ? (app.facts.state ? "The client has no entries." : "Waiting for the program…") : index.isFiltered ? "No entry matches." : "");
		columns.forEach(([name], place) => {
			// The largest come first.
			const isDown = index.sort.isDown !== (name === "size" || name === "observers");
			setAttribute(this.headers[place], "aria-sort", index.sort.by === name && (isDown ? "descending" : "ascending"));
		});
	}

	// Selection

	selected(index, event) {
		const item = this.index.items[index];
		if (!item) return;
		if (item.group !== undefined) {
			if (event?.target.closest(".twist") || event?.detail === 2) return this.toggle(item);
			if (!item.entry) return this.choose(item.group, null);
		}
		this.choose(null, rowOf(item).key);
	}

	choose(group, key) {
		this.selectedGroup = group;
		this.app.open(key);
		this.app.changed("selection");
	}

	opened(index) {
		const item = this.index.items[index];
		if (item?.group !== undefined && !item.entry) this.toggle(item);
		else this.panel.focus();
	}

	toggle(group) {
		this.index.setOpen(group.group, !group.isOpen);
		this.rebuildSoon(true);
	}

	listKey(event) {
		const item = this.index.items[this.list.active];
		if (!item || !this.index.isTree) return false;
		const isGroup = item.group !== undefined;
		if (event.key === "ArrowRight" && isGroup && !item.isOpen) this.toggle(item);
		else if (event.key === "ArrowLeft" && isGroup && item.isOpen) this.toggle(item);
		else if (event.key === "ArrowLeft") this.list.setActive(this.parent(this.list.active));
		else if (event.key === " " && isGroup) this.toggle(item);
		else return false;
		return true;
	}

	parent(index) {
		const { items } = this.index;
		for (let above = index - 1; above >= 0; above--) if (items[above].depth < items[index].depth) return above;
		return index;
	}

	/** Shows an entry in the list, with its groups open. */
	reveal(key) {
		const { index } = this;
		const entry = index.byKey.get(key);
		if (!entry) return;
		this.selectedGroup = null;
		this.isRevealing = true;
		entry.row.path.forEach((_, depth) => index.setOpen(entry.row.path.slice(0, depth).join("/"), true));
		if (!index.matches(entry)) this.clearFilters();
		this.rebuildSoon(true);
	}

	clearFilters() {
		this.search.value = "";
		this.index.search("");
		for (const element of this.chips) setPressed(element, false);
		this.index.chips.clear();
	}

	// The page

	restart() {
		this.selectedGroup = null;
		this.panel.restart();
	}

	update(topics) {
		for (const element of this.chips) element.setCount(this.index.counts[element.dataset.chip]);
		this.rebuildSoon();
		if (topics.has("everything")) this.showList();
		inNextFrame(this.list.draw);
		const group = this.selectedGroup === null ? null : this.index.items.find((item) => item.group === this.selectedGroup);
		this.element.classList.toggle("has-selection", this.app.openKey !== null || Boolean(group));
		this.panel.update(topics, group);
	}

	focus() {
		if (this.list.active < 0) this.list.setActive(0, false);
		this.list.element.focus();
	}

	select() {
		this.choose(null, null);
	}

	badgeText() {
		const { failed } = this.index.counts;
		return failed > 0 ? `${whole(failed)} failed` : "";
	}
}

function badges(row) {
	return [row.isOptimistic && "optimistic", row.fault && `fault: ${row.fault}`, row.isPrivate && "private"].filter(Boolean).join("  ");
}
