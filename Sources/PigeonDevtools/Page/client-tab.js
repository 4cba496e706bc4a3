// The tab of the client: counters, memory, caches, and actions on many entries at once.

import { table } from "./activity-tabs.js";
import { actions } from "./entry-panel.js";
import { button, bytes, el, group, hasAny, mono, note, plural, renew, section, setText, span, Tab, whole } from "./dom.js";

const filterKinds = [["all", "All entries"], ["path", "Below a path"], ["tag", "With a tag"], ["key", "One key"]];

export class ClientTab extends Tab {
	name = "client";
	/** Numbers of events at times, for the rate. */
	samples = [];
	previewNumber = 0;

	constructor(app) {
		super();
		this.app = app;
		this.numbers = el("div.numbers");
		this.memory = el("div");
		this.caches = el("div");
		this.element = this.main = el("section.tab", { tabindex: "-1" }, el("div.page.columns", {},
			el("div", {}, section("Counters", this.numbers), section("Memory", this.memory), section("Caches", this.caches)),
			el("div", {}, this.makeFilter(), this.makeSurroundings())));
	}

	makeFilter() {
		const changed = () => {
			this.value.disabled = this.kind.value === "all";
			this.value.placeholder = { all: "", path: "users", tag: "team", key: "users/42" }[this.kind.value];
			clearTimeout(this.timer);
			this.timer = setTimeout(() => this.preview(), 150);
		};
		this.kind = this.search = el("select", { "aria-label": "Which entries", onchange: changed }, filterKinds.map(([value, text]) => el("option", { value, text })));
		this.value = el("input.mono", { type: "text", "aria-label": "Path, tag or key", spellcheck: "false", disabled: true, oninput: changed });
		this.matched = el("p.note", { role: "status" });
		this.keys = el("ul.plain-list.mono.keys-found", { "aria-label": "Entries that match", tabindex: "0" });
		this.filterButtons = actions.map(([action, text]) => button(text, () => this.act(action), { class: action === "remove" ? "danger" : null }));
		return section("Act on entries", el("div.line", {}, this.kind, this.value), this.matched, this.keys, group("Actions", "buttons", this.filterButtons));
	}

	makeSurroundings() {
		this.step = el("input", { type: "number", value: "1000", min: "1", "aria-label": "Milliseconds to advance the clock", "data-acts": true });
		this.advance = el("div.line", { hidden: true }, this.step, "ms",
			button("Advance the clock", () => this.app.act({ action: "advance", ms: Number(this.step.value) }), { "data-acts": true }));
		return section("Surroundings",
			el("div.buttons", {},
				button("Memory pressure", () => this.app.act({ action: "memoryPressure" }), { "data-acts": true, title: "Evict what is not in use" }),
				button("Clear…", () => this.clear(), { "data-acts": true, class: "danger", title: "Remove all entries and records" })),
			this.advance);
	}

	get filter() {
		const kind = this.kind.value;
		return { kind, value: kind === "all" ? "" : this.value.value.trim() };
	}

	/** Shows what the filter matches, as the program says. */
	async preview() {
		const { filter } = this;
		const number = ++this.previewNumber;
		this.found = null;
		this.showButtons();
		if (!this.app.canAct) return setText(this.matched, "There is no program to ask.");
		if (filter.kind !== "all" && filter.value === "") {
			this.keys.replaceChildren();
			return setText(this.matched, "Say which entries.");
		}
		try {
			const { count, keys } = await this.app.preview(filter);
			if (number !== this.previewNumber) return;
			this.found = { filter, count };
			setText(this.matched, count === 0 ? "Nothing matches." : `Matches ${plural(count, "entry", "entries")}${count > keys.length ? `, of which the first ${whole(keys.length)}` : ""}:`);
			this.keys.replaceChildren(...keys.map((key) => el("li", {}, this.app.link(key))));
		} catch (error) {
			setText(this.matched, error.message);
		}
		this.showButtons();
	}

	showButtons() {
		const count = this.found?.count ?? 0;
		this.keys.hidden = count === 0;
		actions.forEach(([, text], index) => {
			setText(this.filterButtons[index], count > 0 ? `${text} ${whole(count)}` : text);
			this.filterButtons[index].disabled = !this.app.canAct || count === 0;
		});
	}

	async act(action) {
		// What was shown is what is meant, even if the field changed since.
		const { filter, count } = this.found;
		const [, text] = actions.find(([name]) => name === action);
		const isHarsh = action === "remove" || action === "reset";
		if (isHarsh && !await this.app.confirm(`${text} ${plural(count, "entry", "entries")}`, "This cannot be undone.", text)) return;
		await this.app.act({ action, filter });
		this.preview();
	}

	async clear() {
		const isSure = await this.app.confirm("Clear the client", "All entries and their records on disk are removed. This cannot be undone.", "Clear");
		if (isSure) this.app.act({ action: "clear" });
	}

	restart() {
		this.samples = [];
		this.found = null;
		this.hasAsked = false;
		setText(this.matched, "");
		this.keys.replaceChildren();
	}

	update(topics) {
		const { state } = this.app.facts;
		if (!state) return this.showButtons();
		if (topics.has("connection") || !this.hasAsked) {
			this.hasAsked = true;
			this.preview();
		}
		if (!hasAny(topics, "state", "everything", "clock")) return;
		this.showNumbers(state);
		this.showMemory(state);
		renew(this.caches, state.caches, (caches) => table("Caches", ["Cache", ">Records", ">Size", ">Oldest", ">Newest"], caches.map(({ name, records, bytes: size, oldestAt, newestAt }) => [
			mono(name), records === null ? "–" : whole(records), bytes(size), this.age(oldestAt), this.age(newestAt)]), "The client has no cache."));
		this.advance.hidden = !state.canAdvance;
	}

	age(time) {
		return time == null ? "–" : this.app.live(() => span(this.app.now() - time));
	}

	showNumbers({ counters, entryCount, now }) {
		const { fetches, hits, joined, failures, events, dropped } = counters;
		const asked = hits + fetches + joined;
		const tiles = [
			["Entries", whole(entryCount)],
			["Hit rate", asked === 0 ? "–" : `${((hits / asked) * 100).toFixed(1)} %`, "Answers from memory, of all that was asked for"],
			["Hits", whole(hits)],
			["Fetches", whole(fetches)],
			["Joined", whole(joined), "Callers that joined a fetch that was running"],
			["Failures", whole(failures), null, failures > 0],
			["Events per second", this.rate(events, now), "Over the last ten seconds"],
			["Events dropped", whole(dropped), "Events that this page did not get, since there were too many", dropped > 0],
		];
		renew(this.numbers, tiles, () => tiles.map(([name, text, title, isBad]) => (
			el("div", { class: isBad ? "tile bad" : "tile", title }, note(name), el("strong", { text })))));
	}

	rate(events, now) {
		const last = this.samples.at(-1);
		if (last && (now < last.now || events < last.events)) this.samples = [];
		if (!last || now > last.now) this.samples.push({ now, events });
		while (this.samples.length > 2 && now - this.samples[0].now > 10_000) this.samples.shift();
		const first = this.samples[0];
		return now > first.now ? ((events - first.events) / ((now - first.now) / 1000)).toFixed(1) : "–";
	}

	showMemory({ bytes: used, budget }) {
		renew(this.memory, [used, budget], () => {
			if (budget === null) return el("p", { text: `${bytes(used)}, without a budget` });
			const share = budget > 0 ? used / budget : 1;
			const meter = el("span.meter");
			meter.style.width = `${Math.min(100, share * 100)}%`;
			return [
				el("div", { class: `track wide${share > 0.9 ? " bad" : ""}`, role: "meter", "aria-label": "Memory", "aria-valuemin": "0", "aria-valuemax": budget, "aria-valuenow": Math.min(used, budget) }, meter),
				el("p", { text: `${bytes(used)} of ${bytes(budget)}, ${Math.round(share * 100)} %` }),
			];
		});
	}
}
