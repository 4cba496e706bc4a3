// The tabs of mutations, of requests, and of the log.

import { bytes, button, chip, clockTime, duration, el, facts, inNextFrame, inSlices, plural, section, setAttribute, setClass, setText, span, toggle, VirtualList, whole } from "./dom.js";
import { effects } from "./model.js";
import { copyButton } from "./values.js";

const shownLimit = 200;

/** Mutations that run, and those that the outbox holds. */
export class MutationsTab {
  name = "mutations";
  title = "Mutations";

  constructor(app) {
    this.app = app;
    this.content = el("div", { class: "page" });
    this.element = el("section", { class: "tab", tabindex: "-1" }, this.content);
    this.shown = "";
  }

  update() {
    const { outbox } = this.app.facts;
    const running = this.app.spans.running().map((span) => ({ name: span.lane.name, start: span.start,
      isPaused: span.parts.at(-1).what === "paused", causes: span.events[0].causes ?? [] }));
    const text = JSON.stringify([running, outbox, this.app.facts.state?.origin]);
    if (text === this.shown) return;
    this.shown = text;
    this.content.replaceChildren(
      section("Running", this.runningTable(running)),
      section("Waiting in the outbox", this.outboxTable(outbox.waiting, "No mutation waits.")),
      section("Set aside", this.outboxTable(outbox.setAside, "No mutation was set aside.")),
      ...(outbox.problems.length > 0 ? [section("Problems of the outbox",
        el("ul", { class: "plain-list" }, outbox.problems.map((problem) => el("li", { class: "error", text: problem }))))] : []));
    this.app.changed("connection");
  }

  runningTable(running) {
    return table("Running mutations", [["Mutation", ""], ["State", ""], ["For", "right"], ["Since", "right"]], running.map((item) => [
      el("span", { class: "mono", text: item.name }),
      item.isPaused ? "waits for the network or its turn" : "running",
      this.app.live(() => span(this.app.now() - item.start)),
      clockTime(this.app.epoch(item.start)).slice(0, 8),
    ]), "No mutation runs.");
  }

  outboxTable(items, emptyText) {
    const columns = [["Mutation", ""], ["Scope", ""], ["Age", "right"], ["Attempts", "right"], ["Stage", ""], ["Changes", ""], ["", "right"]];
    return table("Mutations", columns, items.map((item) => [
      el("span", { class: "mono", text: item.name }),
      item.scope ? el("span", { class: "mono", text: item.scope }) : "–",
      this.app.live(() => span(this.app.now() - item.enqueuedAt)),
      whole(item.attempts),
      el("span", {}, el("span", { text: stageText(item) }), item.error ? el("span", { class: "error below", text: item.error }) : null),
      el("span", { class: "links" }, item.edits.map((key) => (this.app.row(key) ? this.app.link(key) : el("span", { class: "mono", text: key })))),
      el("span", { class: "buttons" },
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

  focus() {
    this.element.focus();
  }
}

function stageText({ stage, reason }) {
  const texts = { waiting: "waiting", running: "running", setAside: "set aside" };
  return (texts[stage] ?? stage) + (reason ? ` (${reason})` : "");
}

function table(label, columns, rows, emptyText) {
  if (rows.length === 0) return el("p", { class: "note", text: emptyText });
  const more = rows.length - shownLimit;
  return el("div", { class: "table-box" }, el("table", { "aria-label": label },
    el("thead", {}, el("tr", {}, columns.map(([text, name]) => el("th", { scope: "col", class: name || null, text })))),
    el("tbody", {}, rows.slice(0, shownLimit).map((cells) => (
      el("tr", {}, cells.map((cell, index) => el("td", { class: columns[index][1] || null }, cell))))))),
  more > 0 ? el("p", { class: "note", text: `${plural(more, "more mutation")} not shown` }) : null);
}

/** Requests, newest last. */
export class RequestsTab {
  name = "requests";
  title = "Requests";
  items = [];
  selectedId = null;
  words = "";
  isFailedOnly = false;

  constructor(app) {
    this.app = app;
    this.search = searchField("Search requests", (text) => { this.words = text; app.changed("requests"); });
    this.failed = chip("failed", (isOn) => { this.isFailedOnly = isOn; app.changed("requests"); });
    this.total = el("span", { class: "total number" });
    const columns = ["Time", "Method", "Path", "Status", "Size", "Duration", "Entry"];
    this.list = new VirtualList({
      label: "Requests",
      header: el("div", { role: "rowgroup", class: "head" }, el("div", { role: "row", class: "cells" },
        columns.map((text) => el("span", { role: "columnheader", class: `c-${text.toLowerCase()}`, text })))),
      create: () => el("div", { role: "row", class: "row cells" }, columns.map((name) => el("span", { role: "gridcell", class: `c-${name.toLowerCase()}` },
        ...(name === "Duration" ? [el("span", { class: "track" }, el("span", { class: "meter" })), el("span")] : [])))),
      update: (row, index) => this.updateRow(row, index),
      select: (index) => this.select(this.items[index]?.id ?? null),
      open: () => this.details.focus(),
    });
    this.details = detailsPanel("Selected request", () => this.escape());
    this.element = el("section", { class: "tab split requests" }, el("div", { class: "side" },
      el("div", { class: "tools" }, el("div", { class: "line" }, this.search, this.failed, this.total)),
      this.list.element, this.empty = el("p", { class: "empty", hidden: true })), this.details.element);
  }

  update(topics) {
    if (!["requests", "everything", "selection"].some((topic) => topics.has(topic))) return;
    const isAtEnd = this.list.isAtEnd;
    const words = this.words.toLowerCase();
    let failed = 0;
    let longest = 1;
    this.items = [];
    for (const request of this.app.facts.requests.values()) {
      const isFailed = hasFailed(request);
      if (isFailed) failed += 1;
      if (this.isFailedOnly && !isFailed) continue;
      if (words && !`${request.method} ${request.url} ${request.key ?? ""} ${request.status ?? ""}`.toLowerCase().includes(words)) continue;
      longest = Math.max(longest, request.ms ?? 0);
      this.items.push(request);
    }
    this.longest = longest;
    this.failed.setCount(failed);
    setText(this.total, plural(this.items.length, "request"));
    this.list.active = this.items.findIndex(({ id }) => id === this.selectedId);
    this.list.setCount(this.items.length);
    if (isAtEnd && this.selectedId === null) inNextFrame(this.toEnd ??= () => this.list.showEnd());
    this.empty.hidden = this.items.length > 0;
    setText(this.empty, this.app.facts.requests.size === 0 ? "No request was made yet." : "No request matches.");
    this.showDetails();
  }

  updateRow(element, index) {
    const request = this.items[index];
    if (!request) return;
    const [time, method, path, status, size, length, key] = element.children;
    const isSelected = request.id === this.selectedId;
    setClass(element, `row cells${isSelected ? " selected" : ""}${hasFailed(request) ? " failure" : ""}`);
    setText(time, clockTime(this.app.epoch(request.t)).slice(0, 12));
    setText(method, request.method);
    setText(path, pathOf(request.url));
    setAttribute(path, "title", request.url);
    setText(status, request.error !== null ? "error" : request.status === null ? "…" : String(request.status));
    setText(size, request.bytes === null ? "" : bytes(request.bytes));
    setText(length.children[1], request.ms === null ? (request.error === null ? "running" : "") : duration(request.ms));
    length.children[0].firstChild.style.width = `${request.ms === null ? 0 : Math.max(2, (request.ms / this.longest) * 100)}%`;
    setText(key, request.key ?? "");
  }

  select(id) {
    this.selectedId = id;
    this.app.changed("selection");
  }

  showDetails() {
    const request = this.app.facts.requests.get(this.selectedId);
    setClass(this.element, `tab split requests${request ? " has-selection" : ""}`);
    this.details.show(request ? JSON.stringify(request) : null, () => [`${request.method} ${pathOf(request.url)}`, [
      section("Request", facts([
        ["URL", el("span", { class: "mono wrap", text: request.url })],
        ["Status", request.status ?? "none"],
        ["At", clockTime(this.app.epoch(request.t))],
        ["Took", request.ms === null ? "–" : duration(request.ms)],
        ["Size", bytes(request.bytes)],
        ...(request.key === null ? [] : [["Entry", this.app.link(request.key)]]),
        ...(request.error === null ? [] : [["Error", el("span", { class: "error", text: request.error })]]),
      ])),
      section("As a command", el("pre", { class: "mono", tabindex: "0", text: request.curl }), copyButton("Copy as curl", () => request.curl)),
    ]]);
  }

  restart() {
    this.selectedId = null;
  }

  focus() {
    this.list.element.focus();
  }

  focusSearch() {
    this.search.focus();
  }

  escape() {
    this.select(null);
    this.focus();
  }
}

const hasFailed = ({ error, status }) => error !== null || status >= 400;

function pathOf(url) {
  try {
    const { pathname, search } = new URL(url);
    return pathname + search;
  } catch {
    return url;
  }
}

const groups = {
  fetches: ["fetching", "fresh", "notModified", "failed", "retrying", "paused", "resumed", "cancelled", "dropped", "debounced", "joined", "optionsIgnored"],
  pages: ["loadingPage", "page", "pageFailed"],
  values: ["written", "optimistic", "rolledBack", "hydrated"],
  stale: ["invalidated", "stale"],
  mutations: ["mutating", "mutated", "mutationFailed", "mutationPaused", "enqueued", "setAside"],
  removals: ["removed", "cleared"],
  problems: ["cacheProblem", "misuse"],
};
const groupOf = Object.fromEntries(Object.entries(groups).flatMap(([group, kinds]) => kinds.map((kind) => [kind, group])));

/** All events, newest last. */
export class LogTab {
  name = "log";
  title = "Log";
  items = [];
  chips = new Set();
  words = [];
  isFailedOnly = false;
  isFollowing = true;
  /** The key or mutation to which the list is narrowed, from the timeline. */
  subject = null;
  selected = null;
  lastN = -Infinity;
  stop = null;

  constructor(app) {
    this.app = app;
    this.makeTools();
    this.list = new VirtualList({
      label: "Events", rowHeight: 24,
      header: el("div", { role: "rowgroup", class: "head" }, el("div", { role: "row", class: "cells" },
        ["Time", "Entry", "Event", "Cause"].map((text) => el("span", { role: "columnheader", class: `c-${text.toLowerCase()}`, text })))),
      create: () => el("div", { role: "row", class: "row cells" }, ["time", "entry", "event", "cause"].map((name) => el("span", { role: "gridcell", class: `c-${name}` }))),
      update: (row, index) => this.updateRow(row, index),
      select: (index) => this.select(this.items[index] ?? null),
      open: () => this.details.focus(),
    });
    this.list.scroller.addEventListener("wheel", () => { if (this.isFollowing) this.setFollowing(false); }, { passive: true });
    this.details = detailsPanel("Selected event", () => this.escape());
    this.element = el("section", { class: "tab split log" }, el("div", { class: "side" }, this.tools, this.list.element,
      this.empty = el("p", { class: "empty", hidden: true })), this.details.element);
    this.toEnd = () => this.list.showEnd();
    this.element.addEventListener("keydown", (event) => this.keyDown(event));
  }

  makeTools() {
    this.search = searchField("Search events", (text) => {
      this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
      this.filter();
    });
    this.failures = chip("failures only", (isOn) => { this.isFailedOnly = isOn; this.filter(); });
    this.follow = toggle("Follow", true, (isOn) => this.setFollowing(isOn), { title: "Keep the newest event in view (f)" });
    this.kinds = Object.keys(groups).map((name) => chip(name, (isOn) => {
      if (isOn) this.chips.add(name);
      else this.chips.delete(name);
      this.filter();
    }));
    this.total = el("span", { class: "total number" });
    this.subjectChip = button("", () => this.narrow(null), { class: "chip on", hidden: true, title: "Show all again" });
    this.tools = el("div", { class: "tools" }, el("div", { class: "line" }, this.search, this.follow, this.total),
      el("div", { class: "line chips", role: "group", "aria-label": "Filters" }, this.subjectChip, this.kinds, this.failures));
  }

  /** Shows only the events of a lane of the timeline, or all. */
  narrow(subject) {
    this.subject = subject;
    this.subjectChip.hidden = subject === null;
    setText(this.subjectChip, subject === null ? "" : `${subject.name} ×`);
    this.filter();
  }

  matches(event) {
    if (this.isFailedOnly && !event.isFailure) return false;
    if (this.chips.size > 0 && !this.chips.has(groupOf[event.kind] ?? "problems")) return false;
    if (this.subject && (this.subject.isMutation ? event.mutation !== this.subject.name : event.key !== this.subject.key)) return false;
    if (this.words.length === 0) return true;
    event.search ??= `${event.key ?? ""} ${event.mutation ?? ""} ${event.text} ${event.causes?.join(" ") ?? ""}`.toLowerCase();
    return this.words.every((word) => event.search.includes(word));
  }

  /** Searches all events anew, in slices. */
  filter() {
    this.stop?.();
    const events = this.app.facts.events;
    const found = [];
    const matches = (event) => this.matches(event);
    function* work() {
      for (let index = 0; index < events.length; index++) {
        if (matches(events[index])) found.push(events[index]);
        if (index % 1000 === 999) yield;
      }
    }
    this.stop = inSlices(work(), () => {
      this.stop = null;
      this.items = found;
      this.lastN = events.at(-1)?.n ?? -Infinity;
      this.showItems();
      // What came meanwhile.
      this.app.changed("events");
    });
    // A list that was empty can be done at once.
    if (this.items === found) this.stop = null;
  }

  update(topics) {
    if (topics.has("everything") || topics.has("history")) this.filter();
    else if (topics.has("events") && !this.stop) this.addNew();
    if (topics.has("selection")) this.showItems();
  }

  addNew() {
    const { events } = this.app.facts;
    let first = events.length;
    while (first > 0 && events[first - 1].n > this.lastN) first -= 1;
    if (first === events.length) return;
    this.lastN = events.at(-1).n;
    for (let index = first; index < events.length; index++) if (this.matches(events[index])) this.items.push(events[index]);
    this.showItems();
  }

  showItems() {
    this.list.active = this.selected ? this.items.indexOf(this.selected) : -1;
    this.list.setCount(this.items.length);
    if (this.isFollowing) inNextFrame(this.toEnd);
    const { events, dropped } = this.app.facts;
    const all = this.items.length === events.length ? "" : ` of ${whole(events.length)}`;
    setText(this.total, `${whole(this.items.length)}${all} events${dropped > 0 ? `, ${whole(dropped)} dropped` : ""}`);
    this.empty.hidden = this.items.length > 0;
    setText(this.empty, events.length === 0 ? "Nothing happened yet." : "No event matches.");
    this.showDetails();
  }

  updateRow(element, index) {
    const event = this.items[index];
    if (!event) return;
    const [time, entry, text, cause] = element.children;
    setClass(element, `row cells g-${groupOf[event.kind]}${event === this.selected ? " selected" : ""}${event.isFailure ? " failure" : ""}`);
    setText(time, clockTime(this.app.epoch(event.t)).slice(0, 12));
    setText(entry, event.key ?? event.mutation ?? "client");
    setText(text, event.text);
    setText(cause, event.causes?.join(" ← ") ?? "");
  }

  select(event) {
    this.selected = event;
    if (event && this.list.active < this.items.length - 1) this.setFollowing(false);
    this.app.changed("selection");
  }

  showDetails() {
    const event = this.selected;
    setClass(this.element, `tab split log${event ? " has-selection" : ""}`);
    this.details.show(event ? String(event.n) : null, () => [event.key ?? event.mutation ?? "client", eventParts(this.app, event)]);
  }

  setFollowing(isFollowing) {
    this.isFollowing = isFollowing;
    this.follow.set(isFollowing);
    if (isFollowing) inNextFrame(this.toEnd);
  }

  restart() {
    this.selected = null;
    this.items = [];
    this.lastN = -Infinity;
  }

  keyDown(event) {
    if (event.key !== "f" || event.ctrlKey || event.metaKey || event.target.closest("input")) return;
    this.setFollowing(!this.isFollowing);
    event.preventDefault();
  }

  focus() {
    this.list.element.focus();
  }

  focusSearch() {
    this.search.focus();
  }

  escape() {
    this.select(null);
    this.focus();
  }
}

/** What an event was, what caused it, and what it caused. */
export function eventParts(app, event) {
  const caused = effects(app.facts.events, event, 30);
  const entry = event.key === null ? null : app.row(event.key) ? app.link(event.key) : el("span", { class: "mono", text: event.key });
  return [
    section("Event", facts([
      ["What", el("span", { class: event.isFailure ? "error" : null, text: event.text })],
      ["When", clockTime(app.epoch(event.t))],
      ...(entry ? [["Entry", entry]] : []),
      ...(event.mutation ? [["Mutation", event.mutation]] : []),
      ["Number", whole(event.n)],
    ])),
    causesPart(event.causes ?? []),
    effectsPart(app, caused),
  ];
}

export function causesPart(causes) {
  return section("Causes", causes.length === 0 ? el("p", { class: "note", text: "No cause is recorded." })
    : el("ol", { class: "why" }, causes.map((cause) => el("li", { text: cause }))));
}

export function effectsPart(app, caused) {
  if (caused.length === 0) return null;
  return section("What it caused", el("ol", { class: "events" }, caused.map((event) => el("li", { class: event.isFailure ? "failure" : null },
    el("time", { class: "number note", text: clockTime(app.epoch(event.t)).slice(0, 12) }),
    el("span", {}, event.key && app.row(event.key) ? app.link(event.key) : el("span", { class: "mono", text: event.key ?? event.mutation ?? "client" }), ` ${event.text}`)))));
}

export function searchField(label, changed) {
  const field = el("input", { type: "search", placeholder: label, "aria-label": label, spellcheck: "false" });
  field.addEventListener("input", () => changed(field.value));
  return field;
}

/** A panel at the side. `show` makes it anew only if what it shows changed. */
export function detailsPanel(label, close) {
  const title = el("h2", { class: "mono" });
  const body = el("div", { class: "body", tabindex: "0", role: "region", "aria-label": label });
  const element = el("aside", { class: "panel", "aria-label": label, hidden: true }, el("header", {}, el("div", { class: "line title" }, title,
    button("×", close, { class: "plain close", "aria-label": "Close", title: "Close (Escape)" }))), body);
  let shown = null;
  return {
    element,
    focus: () => body.focus(),
    show(text, make) {
      element.hidden = text === null;
      if (text === shown) return;
      shown = text;
      if (text === null) return;
      const [heading, parts] = make();
      setText(title, heading);
      body.replaceChildren(...parts.filter(Boolean));
      body.scrollTop = 0;
    },
  };
}
