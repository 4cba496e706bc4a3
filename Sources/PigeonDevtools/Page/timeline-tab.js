// The tab of the timeline: lanes by key, with what took time as bars, and what happened at once as marks.

import { causesPart, detailsPanel, effectsPart, eventParts, searchField } from "./activity-tabs.js";
import { button, clockTime, duration, el, facts, inNextFrame, plural, section, setClass, setText, toggle, whole } from "./dom.js";
import { effects } from "./model.js";
import { lastBefore } from "./spans.js";

const laneHeight = 24;
const axisHeight = 26;
const shortest = 50;
const longest = 3_600_000;
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_200_000];

/** How marks look: a shape and a colour, so that colour is never the only difference. */
const marks = {
  written: ["diamond", "good"], hydrated: ["square", "good"], fresh: ["dot", "good"], notModified: ["dot", "good"],
  invalidated: ["ring", "warn"], stale: ["triangle", "warn"],
  optimistic: ["diamond", "extra"], rolledBack: ["cross", "extra"],
  enqueued: ["square", "extra"], setAside: ["cross", "bad"], failed: ["cross", "bad"], misuse: ["cross", "bad"], cacheProblem: ["cross", "bad"],
  removed: ["cross", "quiet"], cleared: ["cross", "quiet"],
};
const legend = [["written", "written"], ["hydrated", "from the cache"], ["invalidated", "invalidated"], ["stale", "became stale"],
  ["optimistic", "optimistic"], ["rolledBack", "rolled back"], ["failed", "problem"], ["removed", "removed"]];
const badOutcomes = new Set(["failed", "pageFailed", "mutationFailed", "setAside"]);
const quietOutcomes = new Set(["cancelled", "dropped", "removed"]);
const kindTexts = { fetch: "Fetch", page: "Page load", mutation: "Mutation" };
const partTexts = { attempt: "Attempt", waiting: "Waiting", paused: "Paused" };

export class TimelineTab {
  name = "timeline";
  title = "Timeline";
  length = 60_000;
  to = 0;
  isFollowing = true;
  lanes = [];
  activeLane = 0;
  selected = null;
  words = "";
  sortedAt = -Infinity;
  lanesAt = -Infinity;

  constructor(app) {
    this.app = app;
    this.draw = this.draw.bind(this);
    this.motion = matchMedia("(prefers-reduced-motion: reduce)");
    this.canvas = el("canvas", { tabindex: "0", role: "application", "aria-roledescription": "timeline",
      "aria-label": "Timeline. Arrow keys move, plus and minus zoom, n and b step through a lane. Show as list has the same as text." });
    this.space = el("div", { class: "chart-space", role: "presentation" }, this.canvas);
    this.scroller = el("div", { class: "chart", tabindex: "-1" }, this.space);
    this.tip = el("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    this.spoken = el("p", { class: "offscreen", role: "status", "aria-live": "polite" });
    this.details = detailsPanel("Selection in the timeline", () => this.escape());
    this.empty = el("p", { class: "empty", hidden: true });
    this.probe = el("span", { hidden: true });
    this.element = el("section", { class: "tab split timeline" },
      el("div", { class: "side" }, this.makeTools(), this.scroller, this.empty, this.makeLegend(), this.tip, this.spoken, this.probe), this.details.element);
    this.listen();
  }

  makeTools() {
    this.search = searchField("Search lanes", (text) => { this.words = text.toLowerCase(); this.lanesAt = -Infinity; this.redraw(); });
    this.follow = toggle("Follow", true, (isOn) => this.setFollowing(isOn), { title: "Keep now at the right edge (f)" });
    this.range = el("span", { class: "total number" });
    return el("div", { class: "tools" }, el("div", { class: "line" }, this.search,
      el("span", { class: "segments", role: "group", "aria-label": "Zoom" },
        button("−", () => this.zoom(1.5), { "aria-label": "Zoom out", title: "Zoom out (−)" }),
        button("1 min", () => this.zoomTo(60_000), { title: "Show one minute (0)" }),
        button("+", () => this.zoom(1 / 1.5), { "aria-label": "Zoom in", title: "Zoom in (+)" })),
      this.follow, button("Show as list", () => this.showList(), { title: "Show the same events as text, of the selected lane if there is one" }), this.range));
  }

  makeLegend() {
    this.legendMarks = [];
    return el("div", { class: "legend", "aria-label": "Marks" }, [["attempt", "attempt"], ["waiting", "waits"], ["paused", "paused"], ...legend].map(([kind, text]) => {
      const canvas = el("canvas", { width: 36, height: 28, "aria-hidden": "true" });
      this.legendMarks.push({ kind, canvas });
      return el("span", { class: "note" }, canvas, text);
    }));
  }

  listen() {
    const { canvas } = this;
    this.scroller.addEventListener("scroll", () => this.redraw(), { passive: true });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.pointerDown(event));
    canvas.addEventListener("pointermove", (event) => this.pointerMove(event));
    canvas.addEventListener("pointerup", (event) => this.pointerUp(event));
    canvas.addEventListener("pointercancel", () => { this.drag = null; });
    canvas.addEventListener("pointerleave", () => { this.isOver = false; this.tip.hidden = true; });
    canvas.addEventListener("keydown", (event) => this.keyDown(event));
    new ResizeObserver(() => this.redraw()).observe(this.scroller);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.colours = null; this.redraw(); });
  }

  // The window of time

  get from() {
    return this.to - this.length;
  }

  get gutter() {
    return this.width < 560 ? 110 : 210;
  }

  x(time) {
    return this.gutter + ((time - this.from) / this.length) * (this.width - this.gutter);
  }

  time(x) {
    return this.from + ((x - this.gutter) / (this.width - this.gutter)) * this.length;
  }

  setFollowing(isFollowing) {
    this.isFollowing = isFollowing;
    this.follow.set(isFollowing);
    this.redraw();
  }

  pan(ms) {
    if (this.isFollowing) this.setFollowing(false);
    this.to = Math.min(this.to + ms, this.app.now() + this.length * 0.5);
    this.redraw();
  }

  /** Zooms around a time, or around the middle. While it follows, the right edge stays. */
  zoom(factor, time = this.from + this.length / 2) {
    const length = Math.min(longest, Math.max(shortest, this.length * factor));
    if (!this.isFollowing) this.to = time + (this.to - time) * (length / this.length);
    this.length = length;
    this.redraw();
  }

  zoomTo(length) {
    this.zoom(length / this.length);
  }

  // Drawing

  redraw() {
    inNextFrame(this.draw);
  }

  update(topics) {
    if (topics.has("everything")) {
      this.colours = null;
      this.lanesAt = -Infinity;
    }
    this.redraw();
    if (["selection", "events", "entries", "everything"].some((topic) => topics.has(topic))) this.showDetails();
  }

  restart() {
    this.selected = null;
    this.lanes = [];
    this.lanesAt = -Infinity;
  }

  draw() {
    if (this.element.hidden || this.scroller.clientHeight === 0) return;
    const now = this.app.now();
    if (this.isFollowing) this.to = now + this.length * 0.03;
    this.updateLanes();
    this.resize();
    this.colours ??= this.readColours();
    const context = this.canvas.getContext("2d");
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    context.fillStyle = this.colours.background;
    context.fillRect(0, 0, this.width, this.height);
    this.drawLanes(context, now);
    this.drawAxis(context, now);
    setText(this.range, `${plural(this.lanes.length, "lane")} · ${duration(this.length)}`);
    this.animate();
  }

  /** While it follows, time passes: every second frame, or with the ticks of the page if motion is not wanted. */
  animate() {
    const isMoving = this.isFollowing && !this.app.player && this.app.pausedAt === null && !this.app.facts.state?.canAdvance;
    if (!isMoving || this.motion.matches || this.timer) return;
    const wait = Math.min(250, Math.max(33, this.length / this.width));
    this.timer = setTimeout(() => { this.timer = null; this.redraw(); }, wait);
  }

  /** Lanes keep their places for some seconds, and while the pointer is over them, since lanes that jump cannot be read. */
  updateLanes() {
    const now = performance.now();
    if (now - this.lanesAt < 200) return;
    this.lanesAt = now;
    const visible = this.app.spans.visible(this.from, this.to).filter(({ name }) => name.toLowerCase().includes(this.words));
    const mustKeep = (this.isOver || this.selected || now - this.sortedAt < 3000) && this.lanes.length > 0;
    const active = this.lanes[this.activeLane];
    if (mustKeep) {
      const left = new Set(visible);
      const kept = this.lanes.filter((lane) => left.delete(lane) || lane === this.selected?.lane);
      const lanes = [...kept, ...left];
      this.lanes = [...lanes.filter((lane) => lane.isMutation), ...lanes.filter((lane) => !lane.isMutation)];
    } else {
      this.lanes = visible;
      this.sortedAt = now;
    }
    this.activeLane = Math.max(0, this.lanes.indexOf(active));
    this.empty.hidden = this.lanes.length > 0;
    setText(this.empty, this.words ? "No lane matches in this time." : "Nothing happened in this time.");
  }

  resize() {
    const width = this.scroller.clientWidth;
    const height = this.scroller.clientHeight;
    const scale = devicePixelRatio || 1;
    this.space.style.height = `${Math.max(height, axisHeight + this.lanes.length * laneHeight + 4)}px`;
    if (this.width === width && this.height === height && this.scale === scale) return;
    Object.assign(this, { width, height, scale });
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
  }

  /** Colours are those of the style sheet. A canvas needs them resolved. */
  readColours() {
    const names = { background: "bg", text: "text", quiet: "text-2", line: "line", stripe: "bg-2", accent: "accent", soft: "accent-soft",
      good: "good", warn: "warn", bad: "bad", badSoft: "bad-soft", extra: "extra", onAccent: "on-accent" };
    const colours = {};
    this.probe.hidden = false;
    for (const [name, variable] of Object.entries(names)) {
      this.probe.style.color = `var(--${variable})`;
      colours[name] = getComputedStyle(this.probe).color;
    }
    this.probe.hidden = true;
    const style = getComputedStyle(this.element);
    colours.font = `12px ${style.getPropertyValue("--sans") || "sans-serif"}`;
    colours.mono = `12px ${style.getPropertyValue("--mono") || "monospace"}`;
    this.colours = colours;
    for (const { kind, canvas } of this.legendMarks) this.drawLegend(kind, canvas);
    return colours;
  }

  drawLegend(kind, canvas) {
    const context = canvas.getContext("2d");
    context.setTransform(2, 0, 0, 2, 0, 0);
    context.clearRect(0, 0, 18, 14);
    if (marks[kind]) this.drawMark(context, kind, 9, 7);
    else this.drawPart(context, kind, 1, 17, 2, 9, "accent", false);
  }

  drawLanes(context, now) {
    const top = this.scroller.scrollTop;
    const first = Math.max(0, Math.floor((top - axisHeight) / laneHeight));
    const end = Math.min(this.lanes.length, Math.ceil((top + this.height) / laneHeight));
    for (let index = first; index < end; index++) {
      const lane = this.lanes[index];
      const y = axisHeight + index * laneHeight - top;
      this.drawLaneBack(context, lane, index, y);
      context.save();
      context.beginPath();
      context.rect(this.gutter, y, this.width - this.gutter, laneHeight);
      context.clip();
      this.drawSpans(context, lane, y, now);
      this.drawMarks(context, lane, y);
      context.restore();
    }
    context.fillStyle = this.colours.line;
    context.fillRect(this.gutter - 1, 0, 1, this.height);
  }

  drawLaneBack(context, lane, index, y) {
    const { colours } = this;
    const isActive = index === this.activeLane && document.activeElement === this.canvas;
    if (lane === this.selected?.lane || isActive) {
      context.fillStyle = colours.soft;
      context.fillRect(0, y, this.width, laneHeight);
    } else if (lane.isMutation) {
      context.fillStyle = colours.stripe;
      context.fillRect(0, y, this.width, laneHeight);
    }
    context.fillStyle = colours.line;
    context.fillRect(0, y + laneHeight - 1, this.width, 1);
    context.font = colours.mono;
    context.textBaseline = "middle";
    context.fillStyle = colours.text;
    this.letter ??= context.measureText("m").width;
    const room = Math.floor((this.gutter - 20) / this.letter);
    const text = lane.name.length > room ? `${lane.name.slice(0, Math.max(1, room - 1))}…` : lane.name;
    context.fillText(text, 10, y + laneHeight / 2);
  }

  drawSpans(context, lane, y, now) {
    const { spans } = lane;
    let edge = Infinity;
    for (let index = lastBefore(spans, this.to, (span) => span.start); index >= 0; index--) {
      const span = spans[index];
      const end = span.end ?? now;
      if (end < this.from) {
        if (span.end === null || spans.length - index < 50) continue;
        break;
      }
      const x = this.x(span.start);
      // Of several spans within one pixel, one is enough.
      if (x > edge - 1 && x < edge + 1 && span !== this.selected?.span) continue;
      edge = x;
      this.drawSpan(context, span, y, now);
    }
  }

  drawSpan(context, span, y, now) {
    const colour = badOutcomes.has(span.outcome) ? "bad" : quietOutcomes.has(span.outcome) ? "quiet" : "accent";
    for (const part of span.parts) {
      const x = this.x(part.start);
      const end = Math.max(x + 3, this.x(part.end ?? now));
      this.drawPart(context, part.what, Math.max(x, this.gutter - 4), Math.min(end, this.width + 4), y + 4, laneHeight - 10, colour, part.end === null);
    }
    const x = Math.max(this.gutter, this.x(span.start));
    const end = Math.min(this.width, this.x(span.end ?? now));
    this.drawSpanText(context, span, x, end, y, now);
    if (span === this.selected?.span) {
      context.strokeStyle = this.colours.text;
      context.lineWidth = 1.5;
      context.strokeRect(Math.max(x, this.gutter) - 1, y + 2.5, Math.max(4, end - x) + 2, laneHeight - 6);
    }
  }

  drawPart(context, what, x, end, y, height, colour, isOpen) {
    const { colours } = this;
    context.strokeStyle = colours[colour];
    context.lineWidth = 1;
    context.beginPath();
    if (what === "waiting") {
      context.moveTo(x, y + height / 2);
      context.lineTo(end, y + height / 2);
    } else context.roundRect(x + 0.5, y + 0.5, Math.max(2, end - x - 1), height, 3);
    if (what === "attempt") {
      context.fillStyle = isOpen || colour === "quiet" ? colours[colour] : colour === "bad" ? colours.badSoft : colours.soft;
      context.fill();
    } else if (what === "paused") context.setLineDash([2, 3]);
    context.stroke();
    context.setLineDash([]);
  }

  drawSpanText(context, span, x, end, y, now) {
    const length = duration((span.end ?? now) - span.start);
    const text = span.attempts > 1 ? `${length}, ${span.attempts} attempts` : length;
    context.font = this.colours.font;
    if (end - x < text.length * 6.5 + 12) return;
    context.fillStyle = span.end === null || quietOutcomes.has(span.outcome) ? this.colours.onAccent : this.colours.text;
    context.fillText(text, x + 7, y + laneHeight / 2);
  }

  drawMarks(context, lane, y) {
    let edge = Infinity;
    for (let index = lastBefore(lane.marks, this.to); index >= 0; index--) {
      const mark = lane.marks[index];
      if (mark.t < this.from) break;
      const x = this.x(mark.t);
      const isSelected = mark === this.selected?.mark;
      if (edge - x < 2 && !isSelected) continue;
      edge = x;
      this.drawMark(context, mark.event.kind, x, y + laneHeight / 2 - 0.5);
      if (!isSelected) continue;
      context.strokeStyle = this.colours.text;
      context.lineWidth = 1.5;
      context.strokeRect(x - 8, y + 3.5, 16, laneHeight - 8);
    }
  }

  drawMark(context, kind, x, y) {
    const [shape, colour] = marks[kind] ?? ["dot", "quiet"];
    context.fillStyle = context.strokeStyle = this.colours[colour];
    context.lineWidth = 2;
    context.beginPath();
    if (shape === "diamond") path(context, [[x, y - 5.5], [x + 5.5, y], [x, y + 5.5], [x - 5.5, y]]);
    else if (shape === "square") context.rect(x - 4, y - 4, 8, 8);
    else if (shape === "triangle") path(context, [[x - 5, y - 4], [x + 5, y - 4], [x, y + 5]]);
    else if (shape === "ring") context.arc(x, y, 4, 0, 7);
    else if (shape === "dot") context.arc(x, y, 3, 0, 7);
    else {
      context.moveTo(x - 4, y - 4);
      context.lineTo(x + 4, y + 4);
      context.moveTo(x + 4, y - 4);
      context.lineTo(x - 4, y + 4);
    }
    if (shape === "ring" || shape === "cross") context.stroke();
    else context.fill();
  }

  drawAxis(context, now) {
    const { colours } = this;
    context.fillStyle = colours.background;
    context.fillRect(0, 0, this.width, axisHeight);
    context.font = colours.font;
    context.textBaseline = "middle";
    const room = this.width - this.gutter;
    const step = steps.find((candidate) => (candidate / this.length) * room >= 96) ?? steps.at(-1);
    const origin = this.app.epoch(0);
    // Ticks lie on round times of the day.
    const start = Math.ceil((this.from + origin) / step) * step - origin;
    for (let time = start; time <= this.to; time += step) {
      const x = Math.round(this.x(time));
      if (x < this.gutter) continue;
      context.fillStyle = colours.line;
      context.fillRect(x, axisHeight - 6, 1, 6);
      context.globalAlpha = 0.5;
      context.fillRect(x, axisHeight, 1, this.height);
      context.globalAlpha = 1;
      const text = clockTime(this.app.epoch(time));
      context.fillStyle = colours.quiet;
      if (x < this.width - 60) context.fillText(step < 1000 ? text : text.slice(0, 8), x + 4, axisHeight / 2);
    }
    context.fillStyle = colours.line;
    context.fillRect(0, axisHeight - 1, this.width, 1);
    const x = this.x(now);
    if (x < this.gutter || x > this.width) return;
    context.fillStyle = colours.accent;
    context.fillRect(Math.round(x), axisHeight, 1, this.height);
  }

  // Pointer and keys

  wheel(event) {
    // Beside the lanes' names the wheel scrolls the lanes.
    if (event.offsetX < this.gutter) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : 1;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.pan((((event.deltaX || event.deltaY) * unit) / (this.width - this.gutter)) * this.length);
    } else this.zoom(Math.exp((event.deltaY * unit) / 400), this.time(event.offsetX));
  }

  pointerDown(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = { x: event.clientX, y: event.clientY, to: this.to, top: this.scroller.scrollTop, isMoved: false };
  }

  pointerMove(event) {
    this.isOver = true;
    const { drag } = this;
    if (!drag) return this.showTip(event);
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (!drag.isMoved && Math.hypot(dx, dy) < 4) return;
    drag.isMoved = true;
    this.tip.hidden = true;
    if (Math.abs(dx) > 2) {
      if (this.isFollowing) this.setFollowing(false);
      this.to = drag.to - (dx / (this.width - this.gutter)) * this.length;
    }
    this.scroller.scrollTop = drag.top - dy;
    this.redraw();
  }

  pointerUp(event) {
    const { drag } = this;
    this.drag = null;
    if (!drag || drag.isMoved) return;
    const lane = this.laneAt(event.offsetY);
    if (lane) this.activeLane = this.lanes.indexOf(lane);
    this.select(this.itemAt(lane, event.offsetX));
  }

  laneAt(y) {
    if (y < axisHeight) return null;
    return this.lanes[Math.floor((y - axisHeight + this.scroller.scrollTop) / laneHeight)] ?? null;
  }

  itemAt(lane, x) {
    if (!lane || x < this.gutter) return null;
    const now = this.app.now();
    let nearest = null;
    for (const mark of lane.marks) {
      const distance = Math.abs(this.x(mark.t) - x);
      if (distance <= 7 && distance < (nearest?.distance ?? Infinity)) nearest = { lane, mark, distance };
    }
    if (nearest) return { lane, mark: nearest.mark };
    const span = lane.spans.findLast((span) => this.x(span.start) - 3 <= x && Math.max(this.x(span.start) + 3, this.x(span.end ?? now)) + 3 >= x);
    return span ? { lane, span } : null;
  }

  showTip(event) {
    const item = this.itemAt(this.laneAt(event.offsetY), event.offsetX);
    this.canvas.classList.toggle("pointing", item !== null);
    this.tip.hidden = item === null;
    if (!item) return;
    setText(this.tip, this.describe(item));
    const box = this.element.getBoundingClientRect();
    this.tip.style.left = `${Math.min(event.clientX - box.left + 12, this.width - 260)}px`;
    this.tip.style.top = `${event.clientY - box.top + 16}px`;
  }

  describe({ lane, span, mark }) {
    if (mark) return `${lane.name}: ${mark.event.text}`;
    return `${lane.name}: ${kindTexts[span.kind]}, ${outcome(span)}, ${duration((span.end ?? this.app.now()) - span.start)}`;
  }

  select(item) {
    this.selected = item;
    setText(this.spoken, item ? this.describe(item) : "");
    this.app.changed("selection");
  }

  /** Selects the next or previous span or mark of the active lane, and moves so that it is in view. */
  stepItem(by) {
    const lane = this.lanes[this.activeLane];
    if (!lane) return;
    const items = [...lane.spans.map((span) => ({ lane, span, t: span.start })), ...lane.marks.map((mark) => ({ lane, mark, t: mark.t }))]
      .sort((a, b) => a.t - b.t);
    const now = items.findIndex(({ span, mark }) => (span && span === this.selected?.span) || (mark && mark === this.selected?.mark));
    const item = items[now < 0 ? items.length - 1 : Math.min(items.length - 1, Math.max(0, now + by))];
    if (!item) return;
    if (item.t < this.from || item.t > this.to) this.pan(item.t - (this.from + this.length / 2));
    this.select(item);
  }

  moveLane(by) {
    this.activeLane = Math.min(this.lanes.length - 1, Math.max(0, this.activeLane + by));
    const top = this.activeLane * laneHeight;
    const room = this.height - axisHeight - laneHeight;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    else if (top > this.scroller.scrollTop + room) this.scroller.scrollTop = top - room;
    setText(this.spoken, this.lanes[this.activeLane]?.name ?? "");
    this.redraw();
  }

  keyDown(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const keys = {
      ArrowLeft: () => this.pan(-this.length * 0.1), ArrowRight: () => this.pan(this.length * 0.1),
      ArrowUp: () => this.moveLane(-1), ArrowDown: () => this.moveLane(1), k: () => this.moveLane(-1), j: () => this.moveLane(1),
      "+": () => this.zoom(1 / 1.5), "=": () => this.zoom(1 / 1.5), "-": () => this.zoom(1.5), 0: () => this.zoomTo(60_000),
      n: () => this.stepItem(1), b: () => this.stepItem(-1), f: () => this.setFollowing(!this.isFollowing),
      Enter: () => (this.selected ? this.details.focus() : this.stepItem(0)),
    };
    if (!keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
  }

  // The selection

  showDetails() {
    const { selected } = this;
    setClass(this.element, `tab split timeline${selected ? " has-selection" : ""}`);
    if (!selected) return this.details.show(null);
    const { span, mark } = selected;
    const event = mark?.event ?? span.events[0];
    const caused = effects(this.app.facts.events, event, 30);
    const text = JSON.stringify([event.n, span?.events.length, caused.length]);
    this.details.show(text, () => [selected.lane.name, mark ? eventParts(this.app, event) : this.spanParts(span, caused)]);
  }

  spanParts(span, caused) {
    const { app } = this;
    const [first] = span.events;
    return [
      section(kindTexts[span.kind], facts([
        ["Outcome", el("span", { class: badOutcomes.has(span.outcome) ? "error" : null, text: outcome(span) })],
        ["Began", clockTime(app.epoch(span.start))],
        ["Took", span.end === null ? app.live(() => duration(app.now() - span.start)) : duration(span.end - span.start)],
        ["Attempts", whole(span.attempts)],
        ...(span.lane.key !== null ? [["Entry", app.row(span.lane.key) ? app.link(span.lane.key) : span.lane.key]] : []),
      ])),
      causesPart(first.causes ?? []),
      section("Parts", el("ol", { class: "events" }, span.parts.map((part) => el("li", {},
        el("time", { class: "number note", text: clockTime(app.epoch(part.start)).slice(0, 12) }),
        el("span", { text: `${partTexts[part.what]} ${part.end === null ? "" : duration(part.end - part.start)}` }))))),
      effectsPart(app, caused),
    ];
  }

  /** The same as text: the log, narrowed to the lane that is selected. */
  showList() {
    this.app.tabNamed("log").narrow(this.selected?.lane ?? null);
    this.app.showTab("log");
    this.app.tabNamed("log").focus();
  }

  focus() {
    this.canvas.focus();
  }

  focusSearch() {
    this.search.focus();
  }

  escape() {
    this.select(null);
    this.focus();
  }
}

function path(context, points) {
  points.forEach(([x, y], index) => (index === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  context.closePath();
}

/** What its last event said. */
const outcome = (span) => (span.outcome === null ? "running" : span.events.at(-1).text);
