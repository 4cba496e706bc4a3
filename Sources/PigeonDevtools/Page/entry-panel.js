// One entry: why it is as it is, its value, and what can be done with it.

import { bytes, button, clockTime, el, facts, plural, section, setAttribute, setText, span, whole } from "./dom.js";
import { nextText, stateText } from "./model.js";
import { copyButton, diff, plain, ValueTree } from "./values.js";

const actions = [
  ["refetch", "Refetch", "Fetch it now"],
  ["invalidate", "Invalidate", "Mark it stale; it is fetched if it is observed"],
  ["cancel", "Cancel", "Cancel its fetch"],
  ["reset", "Reset", "Back to its first state"],
  ["remove", "Remove", "Remove it from memory and from caches"],
];
const faults = [[null, "Normal"], ["fail", "Fail"], ["hang", "Hang"], ["slow", "Slow"]];
const deadlineTexts = { stale: "Stale", poll: "Next poll", retry: "Next attempt", collect: "Removed if unused", timeLimit: "Time limit of the fetch" };

export class EntryPanel {
  constructor(app, close) {
    this.app = app;
    this.makeHead(close);
    this.tree = new ValueTree("Value");
    this.layerTrees = new Map();
    this.parts = Object.fromEntries(["why", "error", "value", "layers", "pages", "deadlines", "observers", "options", "rest", "history"]
      .map((name) => [name, el("div", { class: `part-${name}` })]));
    this.makeValue();
    this.body = el("div", { class: "body", tabindex: "0" , role: "region", "aria-label": "Entry" }, Object.values(this.parts));
    this.empty = el("p", { class: "empty", text: "Select an entry to see its value, and why it is as it is." });
    this.element = el("aside", { class: "panel", "aria-label": "Selected entry" }, this.head, this.body, this.empty);
    this.restart();
  }

  makeHead(close) {
    this.key = el("h2", { class: "mono" });
    this.summary = el("p", { class: "summary" });
    this.actions = el("div", { class: "buttons", role: "group", "aria-label": "Actions" }, actions.map(([action, text, title]) => (
      button(text, () => this.act(action), { title, "data-acts": true, class: action === "remove" ? "danger" : null }))));
    this.faultButtons = faults.map(([fault, text]) => button(text, () => this.setFault(fault), {
      "aria-pressed": "false", "data-acts": true,
      title: { null: "No fault", fail: "Its fetches fail", hang: "Its fetches never end", slow: "Its fetches take longer" }[fault] }));
    this.delay = el("input", { type: "number", value: "3000", min: "0", step: "500", "aria-label": "Delay of slow fetches, in milliseconds", "data-acts": true });
    this.faults = el("div", { class: "line" }, el("span", { class: "note", text: "Fetches" }),
      el("span", { class: "segments", role: "group", "aria-label": "Fault of its fetches" }, this.faultButtons),
      this.delayLabel = el("label", { class: "note" }, this.delay, " ms"));
    this.edit = button("Edit value…", () => this.editValue(), { "data-acts": true });
    this.actions.append(this.edit);
    this.head = el("header", {}, el("div", { class: "line title" }, this.key,
      button("×", close, { class: "plain close", "aria-label": "Close this entry", title: "Close (Escape)" })),
    this.summary, this.actions, this.faults);
  }

  makeValue() {
    this.older = button("‹", () => this.step(-1), { class: "icon", "aria-label": "Earlier version" });
    this.newer = button("›", () => this.step(1), { class: "icon", "aria-label": "Later version" });
    this.versionText = el("span", { class: "note" });
    this.copy = copyButton("Copy JSON", () => this.detail?.json ?? "");
    this.noValue = el("p", { class: "note" });
    this.parts.value.append(section("Value", el("div", { class: "line stepper", role: "group", "aria-label": "Versions" },
      this.older, this.newer, this.versionText, el("span", { class: "grow" }), this.copy), this.noValue, this.tree.element));
  }

  restart() {
    this.shown = new Map();
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
    if (!["entry", "entries", "selection", "everything", "clock", "events"].some((topic) => topics.has(topic))) return;
    this.detail = app.facts.details.get(key) ?? null;
    this.isKnown = app.facts.details.has(key);
    this.row = app.row(key) ?? this.detail?.row ?? null;
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
    const { row } = this;
    setText(this.key, key);
    if (!row) setText(this.summary, "This entry is gone.");
    else {
      const { app } = this;
      const parts = [stateText(row), row.updatedAt === null ? null : `${span(app.now() - row.updatedAt)} old`, row.type,
        row.observers > 0 ? plural(row.observers, "observer") : "no observers", row.waiters > 0 ? `${whole(row.waiters)} waiting` : null,
        row.bytes === null ? null : bytes(row.bytes), nextText(row.next, app.now(), span) || null,
        row.tags.length > 0 ? `tags: ${row.tags.join(", ")}` : null];
      setText(this.summary, parts.filter(Boolean).join(" · "));
    }
    this.faults.hidden = false;
    this.edit.hidden = !this.detail?.isEditable;
    faults.forEach(([fault], index) => setAttribute(this.faultButtons[index], "aria-pressed", String((row?.fault ?? null) === fault)));
  }

  /** A group of the tree, with what can be done to all of it. */
  showGroup(group) {
    this.restart();
    this.shownKey = null;
    setText(this.key, `${group.group}/`);
    setText(this.summary, `${plural(group.count, "entry", "entries")} · ${group.fetching} fetching · ${group.failed} failed · ${group.stale} stale`);
    this.filter = { kind: "path", value: group.group };
    this.faults.hidden = false;
    this.edit.hidden = true;
    for (const element of this.faultButtons) setAttribute(element, "aria-pressed", null);
    this.body.hidden = true;
  }

  showDetail() {
    const detail = this.detail ?? {};
    const { row } = this;
    this.part("why", this.whyTexts(), (texts) => section("Why", el("ol", { class: "why" }, texts.map((text) => el("li", { text })))));
    this.part("error", detail.error ?? row?.error ?? null, (error) => section("Error", el("p", { class: "error mono", text: error })));
    this.showValue(detail);
    this.showLayers(detail);
    this.part("pages", detail.pages ?? null, (pages) => section("Pages", pagesView(pages)));
    this.part("deadlines", orNull(detail.deadlines), (deadlines) => section("Deadlines", facts(deadlines.map(({ what, at }) => (
      [deadlineTexts[what] ?? what, this.app.live(() => this.when(at))])))));
    this.part("observers", orNull(detail.observers), (observers) => section(plural(observers.length, "observer"),
      el("ul", { class: "plain-list" }, observers.map(({ name, place }) => (
        el("li", {}, el("span", { text: name }), place ? el("span", { class: "mono note", text: place }) : null))))));
    this.part("options", orNull(detail.options), (options) => section("Options", facts(options)));
    this.part("rest", this.restFacts(detail), (pairs) => section("Origin", facts(pairs)));
    this.part("history", this.lastEvents(), (events) => section("Last events", el("ol", { class: "events" }, events.map(({ t, text, causes, isFailure }) => (
      el("li", { class: isFailure ? "failure" : null }, el("time", { class: "number note", text: clockTime(this.app.epoch(t)).slice(0, 12) }),
        el("span", {}, text, causes.length > 0 ? el("span", { class: "note", text: ` ← ${causes.join(" ← ")}` }) : null)))))));
  }

  /** Makes a part anew if what it shows changed. Null shows nothing. */
  part(name, data, make) {
    const text = JSON.stringify(data);
    if (this.shown.get(name) === text) return;
    this.shown.set(name, text);
    this.parts[name].replaceChildren(...(data === null ? [] : [make(data)]));
  }

  whyTexts() {
    if (this.detail?.why?.length) return this.detail.why;
    if (this.isKnown && this.detail === null) return ["The entry was removed."];
    if (this.app.player) return ["The recording has no details of this entry here, since it was not open."];
    return this.isKnown ? null : ["Loading…"];
  }

  lastEvents() {
    const { events } = this.app.facts;
    const found = [];
    // Only the newest are searched: a rare key must not cost a walk through all events each frame.
    const end = Math.max(0, events.length - 5000);
    for (let index = events.length - 1; index >= end && found.length < 12; index--) {
      if (events[index].key === this.shownKey) found.push(events[index]);
    }
    return orNull(found.map(({ t, text, causes, isFailure }) => ({ t, text, causes: causes ?? [], isFailure })));
  }

  restFacts({ source, face, validators, record }) {
    const pairs = [];
    if (source) pairs.push(["Source", source]);
    if (face) pairs.push(["Face", face]);
    for (const [name, value] of validators ?? []) pairs.push([name, value]);
    if (record) {
      const saved = record.savedAt === null ? "on disk" : `saved at ${clockTime(this.app.epoch(record.savedAt)).slice(0, 8)}`;
      pairs.push(["Record", [saved, record.bytes === null ? null : bytes(record.bytes), record.isStale ? "stale" : null].filter(Boolean).join(", ")]);
    }
    return orNull(pairs);
  }

  when(at) {
    const ms = at - this.app.now();
    return `${ms <= 0 ? "now" : `in ${span(ms)}`}, at ${clockTime(this.app.epoch(at)).slice(0, 8)}`;
  }

  // The value

  showValue(detail) {
    const versions = detail.versions ?? [];
    const place = this.version === null ? versions.length - 1 : versions.findIndex(({ version }) => version === this.version);
    const isLatest = place < 0 || place === versions.length - 1;
    if (isLatest) this.version = null;
    const node = (isLatest ? detail.value : versions[place].value) ?? null;
    this.older.disabled = place <= 0;
    this.newer.disabled = isLatest;
    const shown = versions[place];
    setText(this.versionText, shown ? this.versionLine(shown, versions, place) : "");
    this.copy.hidden = !detail.json;
    this.tree.element.hidden = node === null;
    this.noValue.hidden = node !== null;
    setText(this.noValue, this.row?.isPrivate ? "This entry is private. Its value stays in the program."
      : this.detail ? "There is no value." : "");
    // The latest value can be newer than the newest version, while it is optimistic.
    const before = isLatest && shown && node && detail.base ? null : versions[place - 1]?.value ?? null;
    const text = JSON.stringify([place, versions.length, shown?.version, node, before === null]);
    if (node === null || this.shown.get("tree") === text) return;
    this.shown.set("tree", text);
    this.tree.set(before ? diff(before, node) : plain(node));
  }

  versionLine(shown, versions, place) {
    const at = place === versions.length - 1 ? "latest" : `${span(this.app.now() - shown.t)} ago`;
    const change = place > 0 ? "marked: what changed" : "the first since it was opened";
    return `Version ${shown.version} · ${shown.cause} · ${at}${versions.length > 1 ? ` · ${change}` : ""}`;
  }

  step(by) {
    const versions = this.detail?.versions ?? [];
    const place = this.version === null ? versions.length - 1 : versions.findIndex(({ version }) => version === this.version);
    this.version = versions[Math.min(versions.length - 1, Math.max(0, place + by))]?.version ?? null;
    this.showDetail();
  }

  /** What the server said beside what each mutation that is not yet confirmed made of it. */
  showLayers({ base, layers }) {
    const isShown = Boolean(base && layers?.length);
    this.part("layers", isShown ? [base, layers] : null, () => {
      const column = (title, item) => {
        const tree = new ValueTree(title);
        tree.set(item);
        return el("div", { class: "layer" }, el("h4", { text: title }), tree.element);
      };
      const columns = layers.map(({ mutation, value }, index) => column(`After ${mutation}`, diff(index === 0 ? base : layers[index - 1].value, value)));
      return section("Optimistic changes", el("div", { class: "layers" }, column("From the server", plain(base)), columns));
    });
  }

  // Actions

  async act(action) {
    const { filter } = this;
    if (filter.kind === "path" && !await this.agree(action)) return;
    this.app.act({ action, filter });
  }

  async agree(action) {
    try {
      const { count } = await this.app.preview(this.filter);
      if (action !== "remove" && action !== "reset") return true;
      const [, title] = actions.find(([name]) => name === action);
      return await this.app.confirm(`${title} ${plural(count, "entry", "entries")}`, `This concerns everything below ${this.filter.value}.`, title);
    } catch (error) {
      this.app.toast(error.message, true);
      return false;
    }
  }

  setFault(fault) {
    this.app.act({ action: "fault", filter: this.filter, fault, ms: Number(this.delay.value) || 0 });
  }

  editValue() {
    const area = el("textarea", { class: "mono", rows: "16", spellcheck: "false", "aria-label": "Value as JSON" });
    area.value = pretty(this.detail.json ?? "");
    const problem = el("p", { class: "error", role: "alert" });
    const save = async () => {
      try {
        JSON.parse(area.value);
      } catch (error) {
        return setText(problem, `This is not JSON: ${error.message}`);
      }
      if (await this.app.act({ action: "edit", key: this.shownKey, json: area.value })) dialog.close();
    };
    const dialog = this.app.dialog(`Edit ${this.shownKey}`, [area, problem, el("div", { class: "buttons" },
      button("Cancel", () => dialog.close()), button("Write value", save, { class: "primary" }))]);
    dialog.classList.add("wide");
  }

  focus() {
    this.body.focus();
  }
}

/** Indents JSON as text, since numbers of 64 bits would lose digits as numbers of JavaScript. */
export function pretty(json) {
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let depth = 0;
  return tokens.map((token, index) => {
    const newLine = () => `\n${"  ".repeat(depth)}`;
    const isEmpty = (other) => "{[".includes(other) && "}]".includes(tokens[index + 1] ?? " ");
    if (token === "{" || token === "[") {
      if (isEmpty(token)) return token;
      depth += 1;
      return token + newLine();
    }
    if (token === "}" || token === "]") {
      if ("{[".includes(tokens[index - 1] ?? " ")) return token;
      depth -= 1;
      return newLine() + token;
    }
    if (token === ",") return token + newLine();
    return token === ":" ? ": " : token;
  }).join("");
}

function pagesView({ ids, hasNext, hasPrevious }) {
  return el("div", { class: "pages" },
    hasPrevious ? el("span", { class: "note", text: "more before" }) : null,
    ids.map((id) => el("span", { class: "page mono", text: id })),
    el("span", { class: "note", text: hasNext ? "more after" : "the end" }));
}

const orNull = (items) => (items?.length ? items : null);
