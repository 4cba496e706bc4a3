// One entry: why it is as it is, its value, and what can be done with it.

import { button, bytes, clockTime, el, facts, group, hasAny, mono, note, plural, renew, section, setPressed, setText, span, whole } from "./dom.js";
import { ItemsPart } from "./entry-items.js";
import { nextText, stateText } from "./model.js";
import { diff, plain, ValueTree } from "./values.js";

export const actions = [
	["refetch", "Refetch", "Fetch it now"],
	["invalidate", "Invalidate", "Mark it stale; it is fetched if it is observed"],
	["cancel", "Cancel", "Cancel its fetch"],
	["reset", "Reset", "Back to its first state"],
	["remove", "Remove", "Remove it from memory and from caches"],
];
const faults = [[null, "Normal"], ["fail", "Fail"], ["hang", "Hang"], ["slow", "Slow"]];

export class EntryPanel {
	constructor(app, close) {
		this.app = app;
		this.makeHead(close);
		this.tree = new ValueTree("Value");
		this.parts = Object.fromEntries(["why", "error", "value", "layers", "pages", "items", "deadlines", "observers", "options", "rest"]
			.map((name) => [name, el("div")]));
		this.makeValue();
		this.items = new ItemsPart(app);
		this.parts.items.append(this.items.element);
		this.body = el("div.body", { tabindex: "0", role: "region", "aria-label": "Entry" }, Object.values(this.parts));
		this.empty = el("p.empty", { text: "Select an entry to see its value, and why it is as it is." });
		this.element = el("aside.panel", { "aria-label": "Selected entry" }, this.head, this.body, this.empty);
		this.restart();
	}

	makeHead(close) {
		this.key = el("h2.mono");
		this.summary = el("p.summary");
		this.edit = button("Edit value…", () => this.editValue(), { "data-acts": true });
		this.faults = faults.map(([fault, text]) => button(text, () => this.app.act({ action: "fault", filter: this.filter, fault, ms: Number(this.delay.value) }), { "aria-pressed": "false", "data-acts": true }));
		this.delay = el("input", { type: "number", value: "3000", min: "0", step: "500", "aria-label": "Delay of slow fetches, in milliseconds", "data-acts": true });
		this.head = el("header", {}, el("div.line.title", {}, this.key,
			button("×", close, { class: "plain close", "aria-label": "Close this entry" })),
		this.summary,
		group("Actions", "buttons", actions.map(([action, text, title]) => (
			button(text, () => this.act(action, text), { title, "data-acts": true, class: action === "remove" ? "danger" : null }))), this.edit),
		el("div.line.note", {}, "Fetches", group("Fault of its fetches", "segments", this.faults), this.delay, "ms"));
	}

	makeValue() {
		this.older = button("‹", () => this.step(-1), { class: "icon", "aria-label": "Earlier version" });
		this.newer = button("›", () => this.step(1), { class: "icon", "aria-label": "Later version" });
		this.versionText = el("span.note");
		this.noValue = el("p.note");
		this.parts.value.append(section("Value", group("Versions", "line", this.older, this.newer, this.versionText), this.noValue, this.tree.element));
	}

	restart() {
		this.shownNode = null;
		this.detail = null;
		this.shownKey = undefined;
		this.version = null;
	}

	// What is shown

	update(topics, group) {
		const { app } = this;
		const key = app.openKey;
		this.empty.hidden = key !== null || Boolean(group);
		this.head.hidden = this.body.hidden = !this.empty.hidden;
		if (group) return this.showGroup(group);
		if (key === null) return;
		if (key !== this.shownKey) this.showOther(key);
		if (!hasAny(topics, "entry", "item", "entries", "selection", "everything", "clock")) return;
		this.detail = app.facts.details.get(key) ?? null;
		this.isKnown = app.facts.details.has(key);
		this.row = app.index.row(key) ?? this.detail?.row ?? null;
		this.filter = { kind: "key", value: key };
		this.showHead(key);
		this.showDetail();
	}

	showOther(key) {
		this.restart();
		this.shownKey = key;
		this.tree.opened.clear();
		this.tree.limits.clear();
		this.body.scrollTop = 0;
	}

	showHead(key) {
		const { app, row } = this;
		setText(this.key, key);
		setText(this.summary, row ? [stateText(row), row.updatedAt !== null && `${span(app.now() - row.updatedAt)} old`, row.type,
			row.observers > 0 ? plural(row.observers, "observer") : "no observers", row.waiters > 0 && `${whole(row.waiters)} waiting`,
			row.bytes !== null && bytes(row.bytes), nextText(row.next, app.now(), span), row.tags.length > 0 && `tags: ${row.tags.join(", ")}`,
		].filter(Boolean).join(" · ") : "This entry is gone.");
		this.edit.hidden = !this.detail?.isEditable;
		faults.forEach(([fault], index) => setPressed(this.faults[index], (row?.fault ?? null) === fault));
	}

	/** A group of the tree, with what can be done to all of it. */
	showGroup(group) {
		this.restart();
		setText(this.key, `${group.group}/`);
		setText(this.summary, `${plural(group.count, "entry", "entries")} · ${group.fetching} fetching · ${group.failed} failed · ${group.stale} stale`);
		this.filter = { kind: "path", value: group.group };
		this.edit.hidden = this.body.hidden = true;
		for (const element of this.faults) setPressed(element, false);
	}

	showDetail() {
		const detail = this.detail ?? {};
		const { row } = this;
		const part = (name, data, make) => renew(this.parts[name], data, make);
		part("why", this.whyTexts(), (texts) => section("Why", el("ol.why", {}, texts.map((text) => el("li", { text })))));
		part("error", detail.error ?? row?.error ?? null, (error) => section("Error", el("p.error.mono", { text: error })));
		this.showValue(detail);
		this.showLayers(detail);
		part("pages", detail.pages ?? null, (pages) => section("Pages", pagesView(pages)));
		this.items.show(this.shownKey, orNull(detail.items));
		part("deadlines", orNull(detail.deadlines), (deadlines) => section("Deadlines", facts(deadlines.map((next) => (
			[this.time(next.at), this.app.live(() => nextText(next, this.app.now(), span))])))));
		part("observers", orNull(detail.observers), (observers) => section(plural(observers.reduce((sum, { count = 1 }) => sum + count, 0), "observer"),
			el("ul.plain-list", {}, observers.map(({ name, place, count = 1 }) => (
				el("li", {}, el("span", { text: count > 1 ? `${name} ×${count}` : name }), place && el("span.mono", { text: place.split("/").at(-1), title: place })))))));
		part("options", orNull(detail.options), (options) => section("Options", facts(options)));
		part("rest", this.restFacts(detail), (pairs) => section("Origin", facts(pairs)));
	}

	whyTexts() {
		if (this.detail?.why?.length) return this.detail.why;
		if (this.isKnown && this.detail === null) return ["The entry was removed."];
		if (this.app.player) return ["The recording has no details of this entry here, since it was not open."];
		return this.isKnown ? null : ["Loading…"];
	}

	restFacts({ source, face, validators, record }) {
		const saved = record && ["Record", record.isReading ? "reading…" : recordText(record, this.app.epoch(0))];
		return orNull([source && ["Source", source], face && ["Face", face], ...(validators ?? []), saved].filter(Boolean));
	}

	time(at) {
		return clockTime(this.app.epoch(at)).slice(0, 8);
	}

	// The value

	showValue(detail) {
		const { versions, place } = this.versionPlace();
		const isLatest = place < 0 || place === versions.length - 1;
		if (isLatest) this.version = null;
		const node = (isLatest ? detail.value : versions[place].value) ?? null;
		this.older.disabled = place <= 0;
		this.newer.disabled = isLatest;
		const shown = versions[place];
		setText(this.versionText, shown ? this.versionLine(shown, versions, place) : "");
		this.tree.element.hidden = node === null;
		this.noValue.hidden = node !== null;
		setText(this.noValue, this.row?.isPrivate ? "This entry is private. Its value stays in the program."
			: this.detail ? "There is no value." : "");
		// The latest value can be newer than the newest version, while it is optimistic.
		const before = isLatest && shown && node && detail.base ? null : versions[place - 1]?.value ?? null;
		if (node === null || (node === this.shownNode && before === this.shownBefore)) return;
		Object.assign(this, { shownNode: node, shownBefore: before });
		this.tree.set(before ? diff(before, node) : plain(node));
	}

	versionPlace() {
		const versions = this.detail?.versions ?? [];
		return { versions, place: this.version === null ? versions.length - 1 : versions.findIndex(({ version }) => version === this.version) };
	}

	versionLine(shown, versions, place) {
		const at = place === versions.length - 1 ? "latest" : `${span(this.app.now() - shown.t)} ago`;
		const change = place > 0 ? "marked: what changed" : "the first since it was opened";
		return `Version ${shown.version} · ${shown.cause} · ${at}${versions.length > 1 ? ` · ${change}` : ""}`;
	}

	step(by) {
		const { versions, place } = this.versionPlace();
		this.version = versions[Math.min(versions.length - 1, Math.max(0, place + by))]?.version ?? null;
		this.showDetail();
	}

	/** What the server said beside what each mutation that is not yet confirmed made of it. */
	showLayers({ base, layers }) {
		const isShown = Boolean(base && layers?.length);
		renew(this.parts.layers, isShown ? [base, layers] : null, () => {
			const column = (title, item) => {
				const tree = new ValueTree(title);
				tree.set(item);
				return el("div.layer", {}, el("h4", { text: title }), tree.element);
			};
			const columns = layers.map(({ mutation, value }, index) => column(`After ${mutation}`, diff(index === 0 ? base : layers[index - 1].value, value)));
			return section("Optimistic changes", el("div.layers", {}, column("From the server", plain(base)), columns));
		});
	}

	// Actions

	async act(action, title) {
		const { filter, app } = this;
		if (filter.kind === "path" && (action === "remove" || action === "reset")) {
			try {
				const { count } = await app.preview(filter);
				if (!await app.confirm(`${title} ${plural(count, "entry", "entries")}`, `This concerns everything below ${filter.value}.`, title)) return;
			} catch (error) {
				return app.toast(error.message, true);
			}
		}
		app.act({ action, filter });
	}

	editValue() {
		const area = el("textarea.mono", { rows: "16", spellcheck: "false", "aria-label": "Value as JSON" });
		area.value = pretty(this.detail.json);
		const problem = el("p.error", { role: "alert" });
		const save = async () => {
			try {
				JSON.parse(area.value);
			} catch (error) {
				return setText(problem, `This is not JSON: ${error.message}`);
			}
			if (await this.app.act({ action: "edit", key: this.shownKey, json: area.value })) dialog.close();
		};
		const dialog = this.app.dialog(`Edit ${this.shownKey}`, [area, problem, el("div.buttons", {},
			button("Cancel", () => dialog.close()), button("Write value", save, { class: "primary" }))]);
		dialog.classList.add("wide");
	}

	focus() {
		this.body.focus();
	}
}

/** A record in a few words. It can be of another day, so its time has a date. */
export function recordText({ cache, bytes: size, savedAt, isStale }, origin) {
	return [size !== null && bytes(size), savedAt !== null && `saved at ${new Date(origin + savedAt).toLocaleString("en-GB")}`,
		isStale && "stale", cache && `in ${cache}`].filter(Boolean).join(", ");
}

/** Indents JSON, unless its numbers would lose digits as numbers of JavaScript. */
export function pretty(json) {
	const value = JSON.parse(json);
	return JSON.stringify(value) === json ? JSON.stringify(value, null, 2) : json;
}

function pagesView({ ids, hasNext, hasPrevious }) {
	return el("div.pages", {},
		hasPrevious && note("more before"),
		ids.map(mono),
		note(hasNext ? "more after" : "the end"));
}

const orNull = (items) => (items?.length ? items : null);
