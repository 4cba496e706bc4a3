// The tab of the client: counters, memory, caches, and actions on many entries at once.

import { bytes, button, el, plural, section, setText, whole } from "./dom.js";

const filterKinds = [["all", "All entries"], ["path", "Below a path"], ["tag", "With a tag"], ["key", "One key"]];
const filterActions = [["invalidate", "Invalidate"], ["refetch", "Refetch"], ["cancel", "Cancel"], ["reset", "Reset"], ["remove", "Remove"]];

export class ClientTab {
  name = "client";
  title = "Client";
  /** Numbers of events at times, for the rate. */
  samples = [];
  previewNumber = 0;

  constructor(app) {
    this.app = app;
    this.numbers = el("div", { class: "numbers" });
    this.tiles = new Map();
    this.memory = el("div");
    this.caches = el("div");
    this.element = el("section", { class: "tab", tabindex: "-1" }, el("div", { class: "page columns" },
      el("div", {}, section("Counters", this.numbers), section("Memory", this.memory), section("Caches", this.caches)),
      el("div", {}, this.makeFilter(), this.makeSurroundings())));
  }

  makeFilter() {
    this.kind = el("select", { "aria-label": "Which entries" }, filterKinds.map(([value, text]) => el("option", { value, text })));
    this.value = el("input", { type: "text", class: "mono", "aria-label": "Path, tag or key", spellcheck: "false", disabled: true });
    this.matched = el("p", { class: "note", role: "status" });
    this.keys = el("ul", { class: "plain-list mono keys-found", "aria-label": "Entries that match", tabindex: "0" });
    this.filterButtons = filterActions.map(([action, text]) => button(text, () => this.act(action), {
      disabled: true, class: action === "remove" ? "danger" : null }));
    const changed = () => {
      this.value.disabled = this.kind.value === "all";
      this.value.placeholder = { all: "", path: "users", tag: "team", key: "users/42" }[this.kind.value];
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.preview(), 150);
    };
    this.kind.addEventListener("change", changed);
    this.value.addEventListener("input", changed);
    return section("Act on entries", el("div", { class: "line" }, this.kind, this.value), this.matched, this.keys,
      el("div", { class: "buttons", role: "group", "aria-label": "Actions" }, this.filterButtons));
  }

  makeSurroundings() {
    this.step = el("input", { type: "number", value: "1000", min: "1", "aria-label": "Milliseconds to advance the clock", "data-acts": true });
    this.advance = el("div", { class: "line", hidden: true }, el("span", { text: "Advance the clock by" }), this.step, el("span", { text: "ms" }),
      button("Advance", () => this.app.act({ action: "advance", ms: Number(this.step.value) }), { "data-acts": true }));
    return section("Surroundings",
      el("div", { class: "buttons" },
        button("Memory pressure", () => this.app.act({ action: "memoryPressure" }), { "data-acts": true, title: "Evict what is not in use" }),
        button("Clear…", () => this.clear(), { "data-acts": true, class: "danger", title: "Remove all entries and records" })),
      this.advance
    );
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
    filterActions.forEach(([, text], index) => {
      setText(this.filterButtons[index], count > 0 ? `${text} ${whole(count)}` : text);
      this.filterButtons[index].disabled = !this.app.canAct || count === 0;
    });
  }

  async act(action) {
    // What was shown is what is meant, even if the field changed since.
    const { filter, count } = this.found;
    const [, text] = filterActions.find(([name]) => name === action);
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
    if (!state) return;
    if (topics.has("connection") || !this.hasAsked) {
      this.hasAsked = true;
      this.preview();
    }
    if (!["state", "everything", "clock"].some((topic) => topics.has(topic))) return;
    this.showNumbers(state);
    this.showMemory(state);
    this.showCaches(state);
    this.advance.hidden = !state.canAdvance;
  }

  showNumbers({ counters, entryCount, now }) {
    const { fetches, hits, joined, failures, events, dropped } = counters;
    const asked = hits + fetches + joined;
    this.number("Entries", whole(entryCount));
    this.number("Hit rate", asked === 0 ? "–" : `${((hits / asked) * 100).toFixed(1)} %`, "Answers from memory, of all that was asked for");
    this.number("Hits", whole(hits));
    this.number("Fetches", whole(fetches));
    this.number("Joined", whole(joined), "Callers that joined a fetch that was running");
    this.number("Failures", whole(failures), null, failures > 0);
    this.number("Events per second", this.rate(events, now), "Over the last ten seconds");
    this.number("Events dropped", whole(dropped), "Events that this page did not get, since there were too many", dropped > 0);
  }

  number(name, text, title = null, isBad = false) {
    let tile = this.tiles.get(name);
    if (!tile) {
      tile = el("div", { class: "tile", title }, el("span", { class: "note", text: name }), el("strong", { class: "number" }));
      this.tiles.set(name, tile);
      this.numbers.append(tile);
    }
    setText(tile.lastChild, text);
    tile.classList.toggle("bad", isBad);
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
    const text = JSON.stringify([used, budget]);
    if (this.memory.text === text) return;
    this.memory.text = text;
    if (budget === null) return this.memory.replaceChildren(el("p", { text: `${bytes(used)}, without a budget` }));
    const meter = el("span", { class: "meter" });
    const share = budget > 0 ? used / budget : 1;
    meter.style.width = `${Math.min(100, share * 100)}%`;
    this.memory.replaceChildren(
      el("div", { class: `track wide${share > 0.9 ? " bad" : ""}`, role: "meter", "aria-label": "Memory", "aria-valuemin": 0, "aria-valuemax": budget, "aria-valuenow": Math.min(used, budget) }, meter),
      el("p", { text: `${bytes(used)} of ${bytes(budget)}, ${Math.round(share * 100)} %` }));
  }

  showCaches({ caches }) {
    const text = JSON.stringify(caches);
    if (this.caches.text === text) return;
    this.caches.text = text;
    this.caches.replaceChildren(caches.length === 0 ? el("p", { class: "note", text: "The client has no cache." })
      : el("table", { "aria-label": "Caches" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col", text: "Cache" }), el("th", { scope: "col", class: "right", text: "Records" }), el("th", { scope: "col", class: "right", text: "Size" }))),
        el("tbody", {}, caches.map(({ name, records, bytes: size }) => el("tr", {}, el("td", { class: "mono", text: name }),
          el("td", { class: "right", text: records === null ? "–" : whole(records) }), el("td", { class: "right", text: bytes(size) }))))));
  }

  focus() {
    this.element.focus();
  }

  focusSearch() {
    if (this.kind.value === "all") this.kind.focus();
    else this.value.focus();
  }
}
