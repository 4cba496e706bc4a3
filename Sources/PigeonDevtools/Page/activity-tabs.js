// The tabs of mutations, of requests, and of the log.

import { button, bytes, chip, clockTime, duration, el, facts, group, hasAny, inNextFrame, inSlices, mono, plural, renew, section, setClass, setPressed, setText, span, Tab, toggle, VirtualList, whole } from "./dom.js";
import { effects, firstAfter, hasFailed, mutationOf } from "./model.js";
import { copyButton } from "./values.js";

const shownLimit = 200;

/** Mutations that run, and those that the outbox holds. */
export class MutationsTab extends Tab {
	name = "mutations";

	constructor(app) {
		super();
		this.app = app;
		this.boxes = Array.from({ length: 4 }, () => el("div"));
		this.element = this.main = el("section.tab", { tabindex: "-1" }, el("div.page", {}, this.boxes));
	}

	update() {
		const { outbox, state } = this.app.facts;
		const running = this.app.spans.running().map(({ lane, start, parts }) => ({ name: lane.name, start, isPaused: parts.at(-1).what === "paused" }));
		this.show(0, "Running", [running, state?.origin], () => this.runningTable(running));
		this.show(1, "Waiting in the outbox", outbox.waiting, (items) => this.outboxTable("Waiting mutations", items, "No mutation waits."));
		this.show(2, "Set aside", outbox.setAside, (items) => this.outboxTable("Mutations set aside", items, "No mutation was set aside."));
		this.show(3, "Problems of the outbox", outbox.problems.length > 0 ? outbox.problems : null, (problems) => (
			el("ul.plain-list", {}, problems.map((text) => el("li.error", { text })))));
	}

	show(index, title, data, make) {
		// New buttons are told whether they can act.
		if (renew(this.boxes[index], data, () => section(title, make(data)))) this.app.changed("connection");
	}

	runningTable(running) {
		return table("Running mutations", ["Mutation", "State", ">For", ">Since"], running.map((item) => [
			mono(item.name),
			item.isPaused ? "waits for the network or its turn" : "running",
			this.app.live(() => span(this.app.now() - item.start)),
			clockTime(this.app.epoch(item.start)).slice(0, 8),
		]), "No mutation runs.");
	}

	outboxTable(label, items, emptyText) {
		return table(label, ["Mutation", "Scope", ">Age", ">Attempts", "Stage", "Changes", ">"], items.map((item) => [
			mono(item.name),
			mono(item.scope ?? "–"),
			this.app.live(() => span(this.app.now() - item.enqueuedAt)),
			whole(item.attempts),
			el("div", {}, stageText(item), item.error && el("div.error", { text: item.error })),
			el("span.links", {}, item.edits.map((key) => this.app.link(key))),
			el("span.buttons", {},
				button("Retry", () => this.app.act({ action: "retry", item: item.id }), { "data-acts": true, "aria-label": `Retry ${item.name} ${item.scope ?? ""}` }),
				button("Discard", () => this.discard(item), { "data-acts": true, class: "danger", "aria-label": `Discard ${item.name} ${item.scope ?? ""}` })),
		]), emptyText);
	}

	async discard(item) {
		const isSure = await this.app.confirm(`Discard ${item.name}`, "The mutation is never sent, and its edits are rolled back.", "Discard");
		if (isSure) this.app.act({ action: "discard", item: item.id });
	}

	badgeText() {
		const { waiting, setAside } = this.app.facts.outbox;
		const count = waiting.length + setAside.length;
		return count > 0 ? whole(count) : "";
	}
}

function stageText({ stage, reason }) {
	const texts = { waiting: "waiting", running: "running", setAside: "set aside" };
	return (texts[stage] ?? stage) + (reason ? ` (${reason})` : "");
}

/** A table. Columns whose titles begin with ">" are at the right. */
export function table(label, columns, rows, emptyText) {
	if (rows.length === 0) return el("p.note", { text: emptyText });
	const side = (index) => (columns[index].startsWith(">") ? "right" : null);
	return el("div.table-box", {}, el("table", { "aria-label": label, class: columns.length > 5 ? "wide" : null },
		el("thead", {}, el("tr", {}, columns.map((text, index) => el("th", { scope: "col", class: side(index), text: text.replace(">", "") })))),
		el("tbody", {}, rows.slice(0, shownLimit).map((cells) => el("tr", {}, cells.map((cell, index) => el("td", { class: side(index) }, cell)))))),
	rows.length > shownLimit && el("p.note", { text: `${whole(rows.length - shownLimit)} more are not shown.` }));
}

/** A tab with a list and a panel of the selected item. */
class ListTab extends Tab {
	items = [];
	selected = null;
	words = [];

	/** Cells have classes of their columns' names. */
	constructor(app, { label, columns, rowHeight = 26 }) {
		super();
		this.app = app;
		const cells = (role, more) => columns.map((title) => el("span", { role, class: `c-${title.toLowerCase()}`, ...more(title) }));
		this.list = new VirtualList({
			label, rowHeight,
			header: el("div", { role: "rowgroup", class: "head" }, el("div", { role: "row", class: "cells" }, cells("columnheader", (text) => ({ text })))),
			create: () => el("div", { role: "row", class: "row cells" }, cells("gridcell", () => ({}))),
			update: (row, index) => { if (this.items[index]) this.fill(row, this.items[index], ...row.children); },
			select: (index) => this.select(this.items[index] ?? null),
			open: () => this.details.focus(),
		});
		this.main = this.list.element;
		this.search = searchField(`Search ${label.toLowerCase()}`, (text) => {
			this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
			this.filter();
		});
		this.total = el("span.total");
		this.empty = el("p.empty", { hidden: true });
		this.details = detailsPanel(`Selected of ${label.toLowerCase()}`, () => this.escape());
		this.toEnd = () => this.list.showEnd();
	}

	makeElement(...tools) {
		this.element = el(`section.tab.split.${this.name}`, {}, el("div.side", {}, el("div.tools", {}, tools), this.list.element, this.empty), this.details.element);
	}

	showItems(emptyText) {
		this.list.active = this.items.indexOf(this.selected);
		this.list.setCount(this.items.length);
		this.empty.hidden = this.items.length > 0;
		setText(this.empty, emptyText);
		this.element.classList.toggle("has-selection", this.selected !== null);
	}

	select(item) {
		this.selected = item;
		this.app.changed("selection");
	}

	restart() {
		this.selected = null;
	}
}

/** Requests, newest last. */
export class RequestsTab extends ListTab {
	name = "requests";

	constructor(app) {
		super(app, { label: "Requests", columns: ["Time", "Method", "Path", "Status", "Size", "Duration", "Entry"] });
		this.failed = chip("failed", (isOn) => { this.isFailedOnly = isOn; this.filter(); });
		this.makeElement(el("div.line", {}, this.search, this.failed, this.total));
	}

	filter() {
		const { requests } = this.app.facts;
		const isAtEnd = this.list.isAtEnd && !this.selected;
		const all = [...requests.values()];
		this.items = all.filter((request) => {
			const text = `${request.method} ${request.url} ${request.key ?? ""} ${request.status ?? ""}`.toLowerCase();
			return (!this.isFailedOnly || hasFailed(request)) && this.words.every((word) => text.includes(word));
		});
		this.longest = this.items.reduce((longest, { ms }) => Math.max(longest, ms ?? 0), 1);
		// A request that ended is another object than when it began.
		if (this.selected) this.selected = requests.get(this.selected.id) ?? null;
		this.failed.setCount(all.filter(hasFailed).length);
		setText(this.total, plural(this.items.length, "request"));
		this.showItems(all.length === 0 ? "No request was made yet." : "No request matches.");
		if (isAtEnd) inNextFrame(this.toEnd);
		this.showDetails(this.selected);
	}

	update(topics) {
		if (hasAny(topics, "requests", "everything", "selection")) this.filter();
	}

	fill(row, request, time, method, path, status, size, length, key) {
		setClass(row, `row cells${request === this.selected ? " selected" : ""}${hasFailed(request) ? " failure" : ""}`);
		setText(time, clockTime(this.app.epoch(request.t)));
		setText(method, request.method);
		setText(path, pathOf(request.url));
		setText(status, request.error !== null ? "error" : request.status ?? "…");
		setText(size, request.bytes === null ? "" : bytes(request.bytes));
		if (!length.firstChild) length.append(el("span.track", {}, el("span.meter")), el("span"));
		setText(length.children[1], request.ms !== null ? duration(request.ms) : request.error === null ? "running" : "");
		length.firstChild.firstChild.style.width = `${request.ms === null ? 0 : Math.max(2, (request.ms / this.longest) * 100)}%`;
		setText(key, request.key ?? "");
	}

	showDetails(request) {
		this.details.show(request, () => requestDetails(this.app, request));
	}

	/** Shows a request in the list. */
	reveal(request) {
		this.selected = request;
		this.filter();
		if (!this.items.includes(this.selected)) {
			this.search.value = "";
			this.words = [];
			setPressed(this.failed, this.isFailedOnly = false);
			this.filter();
		}
		this.app.showTab(this.name);
		if (this.selected) this.list.setActive(this.list.active, false);
		this.focus();
	}
}

/** The heading of a request, and all that is known of it. */
export function requestDetails(app, request, ...more) {
	return [requestText(request), [
		section("Request", facts([
			["URL", mono(request.url)],
			["Status", request.status ?? "none"],
			["At", clockTime(app.epoch(request.t))],
			["First byte", request.headMs == null ? "–" : `after ${duration(request.headMs)}`],
			["Took", request.ms === null ? "–" : duration(request.ms)],
			["Size", bytes(request.bytes)],
			request.key !== null && ["Entry", app.link(request.key)],
			request.error !== null && ["Error", el("span.error", { text: request.error })],
		]), ...more),
		section("As a command", el("pre.mono", { tabindex: "0", text: request.curl }), copyButton("Copy as curl", () => request.curl)),
	]];
}

export const requestText = ({ method, url }) => `${method} ${pathOf(url)}`;

const pathOf = (url) => url.replace(/^\w+:\/\/[^/]+/, "");

const groups = {
	fetches: ["fetching", "fresh", "notModified", "failed", "retrying", "paused", "resumed", "cancelled", "dropped", "debounced", "joined", "optionsIgnored"],
	pages: ["loadingPage", "page", "pageFailed"],
	values: ["written", "optimistic", "rolledBack", "hydrated"],
	stale: ["invalidated", "stale"],
	mutations: ["mutating", "mutated", "mutationFailed", "mutationPaused", "enqueued", "setAside", "discarded"],
	removals: ["removed", "cleared"],
	problems: ["cacheProblem", "misuse"],
};
const groupOf = Object.fromEntries(Object.entries(groups).flatMap(([group, kinds]) => kinds.map((kind) => [kind, group])));

/** All events, newest last. */
export class LogTab extends ListTab {
	name = "log";
	kinds = new Set();
	isFollowing = true;
	/** The lane of the timeline to which the list is narrowed. */
	lane = null;
	lastN = -Infinity;

	constructor(app) {
		super(app, { label: "Events", columns: ["Time", "Entry", "Event", "Cause"], rowHeight: 24 });
		const failures = chip("failures only", (isOn) => { this.isFailedOnly = isOn; this.filter(); });
		this.follow = toggle("Follow", true, (isOn) => this.setFollowing(isOn));
		const chips = Object.keys(groups).map((name) => chip(name, (isOn) => {
			this.kinds[isOn ? "add" : "delete"](name);
			this.filter();
		}));
		this.laneChip = button("", () => this.narrow(null), { class: "chip on", hidden: true, title: "Show all again" });
		this.makeElement(el("div.line", {}, this.search, this.follow, this.total),
			group("Filters", "line chips", this.laneChip, chips, failures));
		this.list.scroller.addEventListener("wheel", () => { if (this.isFollowing) this.setFollowing(false); }, { passive: true });
		this.element.addEventListener("keydown", (event) => {
			if (event.key === "f" && event.target !== this.search && !event.ctrlKey && !event.metaKey) this.setFollowing(!this.isFollowing);
		});
	}

	/** Shows only the events of a lane of the timeline, or all. */
	narrow(lane) {
		this.lane = lane;
		this.laneChip.hidden = lane === null;
		setText(this.laneChip, lane === null ? "" : `${lane.name} ×`);
		this.filter();
	}

	matches(event) {
		if (this.isFailedOnly && !event.isFailure) return false;
		if (this.kinds.size > 0 && !this.kinds.has(groupOf[event.kind])) return false;
		if (this.lane && (this.lane.isMutation ? event.mutation !== this.lane.name : event.key !== this.lane.key)) return false;
		if (this.words.length === 0) return true;
		event.search ??= `${event.key ?? ""} ${event.mutation ?? ""} ${event.text} ${event.causes?.join(" ") ?? ""}`.toLowerCase();
		return this.words.every((word) => event.search.includes(word));
	}

	/** Searches all events anew, in slices. */
	filter() {
		this.stop?.();
		const { events } = this.app.facts;
		const found = [];
		const search = function* () {
			for (let index = 0; index < events.length; index++) {
				if (this.matches(events[index])) found.push(events[index]);
				if (index % 1000 === 999) yield;
			}
		};
		this.isSearching = true;
		this.stop = inSlices(search.call(this), () => {
			this.isSearching = false;
			this.items = found;
			this.lastN = events.at(-1)?.n ?? -Infinity;
			this.showEvents();
			// What came meanwhile.
			this.app.changed("events");
		});
	}

	update(topics) {
		if (hasAny(topics, "everything", "history")) this.filter();
		else if (topics.has("events") && !this.isSearching) this.addNew();
		if (topics.has("selection")) this.showEvents();
	}

	addNew() {
		const { events } = this.app.facts;
		const first = firstAfter(events, this.lastN);
		if (first === events.length) return;
		this.lastN = events.at(-1).n;
		for (const event of events.slice(first)) if (this.matches(event)) this.items.push(event);
		this.showEvents();
	}

	showEvents() {
		const { events, dropped } = this.app.facts;
		const all = this.items.length === events.length ? "" : ` of ${whole(events.length)}`;
		setText(this.total, `${whole(this.items.length)}${all} events${dropped > 0 ? `, ${whole(dropped)} dropped` : ""}`);
		this.showItems(events.length === 0 ? "Nothing happened yet." : "No event matches.");
		if (this.isFollowing) inNextFrame(this.toEnd);
		const event = this.selected;
		this.details.show(event && event.n, () => [subject(event), eventParts(this.app, event)]);
	}

	fill(row, event, time, entry, text, cause) {
		setClass(row, `row cells g-${groupOf[event.kind]}${event === this.selected ? " selected" : ""}${event.isFailure ? " failure" : ""}`);
		setText(time, clockTime(this.app.epoch(event.t)));
		setText(entry, subject(event));
		setText(text, event.text);
		setText(cause, event.causes?.join(" ← ") ?? "");
	}

	select(event) {
		if (event && event !== this.items.at(-1)) this.setFollowing(false);
		super.select(event);
	}

	setFollowing(isFollowing) {
		this.isFollowing = isFollowing;
		setPressed(this.follow, isFollowing);
		if (isFollowing) inNextFrame(this.toEnd);
	}
}

const subject = (event) => event.key ?? event.mutation ?? "client";

/** What an event was, what caused it, and what it caused. */
export function eventParts(app, event) {
	const mutation = mutationOf(app.facts.events, event);
	return [
		section("Event", facts([
			["What", el("span", { class: event.isFailure ? "error" : null, text: event.text })],
			["When", clockTime(app.epoch(event.t))],
			event.key !== null && ["Entry", app.link(event.key)],
			mutation !== null && ["Mutation", mutation],
			["Number", whole(event.n)],
		])),
		causesPart(event.causes ?? []),
		effectsPart(app, effects(app.facts.events, event)),
	];
}

export function causesPart(causes) {
	return section("Causes", causes.length === 0 ? el("p.note", { text: "No cause is recorded." })
		: el("ol.why", {}, causes.map((text) => el("li", { text }))));
}

export function effectsPart(app, caused) {
	if (caused.length === 0) return null;
	return section("What it caused", eventList(app, caused, (event) => [event.key ? app.link(event.key) : subject(event), ` ${event.text}`]));
}

/** Events with their times. `content` makes what is said of one. */
export function eventList(app, events, content) {
	return el("ol.events", {}, events.map((event) => el("li", { class: event.isFailure ? "failure" : null },
		el("time.note", { text: clockTime(app.epoch(event.t)) }), el("span", {}, content(event)))));
}

export function searchField(label, changed) {
	return el("input", { type: "search", placeholder: label, "aria-label": label, spellcheck: "false", oninput: ({ target }) => changed(target.value) });
}

/** A panel at the side. `show(data, make)` shows what `make` returns, a heading and parts, or nothing for null. */
export function detailsPanel(label, close) {
	const title = el("h2.mono");
	const body = el("div.body", { tabindex: "0", role: "region", "aria-label": label });
	const element = el("aside.panel", { "aria-label": label, hidden: true }, el("header", {}, el("div.line.title", {}, title,
		button("×", close, { class: "plain close", "aria-label": "Close" }))), body);
	return {
		element,
		focus: () => body.focus(),
		show(data, make) {
			element.hidden = data === null;
			renew(body, data, () => {
				const [heading, parts] = make();
				setText(title, heading);
				return parts;
			});
		},
	};
}
