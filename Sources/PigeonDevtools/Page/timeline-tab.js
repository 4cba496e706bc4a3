// The tab of the timeline: lanes by key, with what took time as bars, and what happened at once as marks.

import { causesPart, detailsPanel, effectsPart, eventList, eventParts, requestDetails, requestText, searchField } from "./activity-tabs.js";
import { button, clockTime, duration, el, facts, group, hasAny, inNextFrame, plural, section, setAttribute, setPressed, setText, Tab, toggle, whole } from "./dom.js";
import { effects, firstAfter, hasFailed } from "./model.js";
import { timeOf } from "./spans.js";

const laneHeight = 28;
/** Where the middle of spans and marks is in a lane. Requests are below. */
const middle = 12;
const barHeight = 4;
/** Where a request is in its lane: below the spans of its entry, or in one of the rows of a lane of requests. */
const topOf = ({ lane, row }) => (lane.key === null ? 3 + row * 6 : laneHeight - 7);
const axisHeight = 26;
const shortest = 50;
const longest = 3_600_000;
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000];

/** How marks look: a shape and a colour, so that colour is never the only difference. */
const marks = {
	written: "◆good", hydrated: "■good", fresh: "●good", notModified: "●good", invalidated: "○warn", stale: "▼warn",
	optimistic: "◆extra", rolledBack: "✕extra", enqueued: "■extra", setAside: "✕bad", failed: "✕bad", misuse: "✕bad", cacheProblem: "✕bad",
	removed: "✕text-2", cleared: "✕text-2",
};
const legend = { "▭accent": "attempt", "─accent": "waits", "┄accent": "paused", "▂accent": "request", "◆good": "written", "■good": "from the cache", "○warn": "invalidated",
	"▼warn": "became stale", "◆extra": "optimistic", "✕extra": "rolled back", "✕bad": "problem", "✕text-2": "removed" };
const badOutcomes = new Set(["failed", "pageFailed", "mutationFailed", "setAside"]);
const quietOutcomes = new Set(["cancelled", "dropped", "removed"]);
const kindTexts = { fetch: "Fetch", page: "Page load", mutation: "Mutation", request: "Request" };

export class TimelineTab extends Tab {
	name = "timeline";
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
		super();
		this.app = app;
		this.draw = this.draw.bind(this);
		this.motion = matchMedia("(prefers-reduced-motion: reduce)");
		this.canvas = this.main = el("canvas", { tabindex: "0", role: "application",
			"aria-label": "Timeline. Arrow keys move, plus and minus zoom, n and b step through a lane. Show as list has the same as text." });
		this.space = el("div", {}, this.canvas);
		this.scroller = el("div.chart", { tabindex: "-1" }, this.space);
		this.spoken = el("p.offscreen", { role: "status", "aria-live": "polite" });
		this.details = detailsPanel("Selection in the timeline", () => this.escape());
		this.empty = el("p.empty", { hidden: true });
		this.probe = el("span.offscreen");
		this.element = el("section.tab.split.timeline", {},
			el("div.side", {}, this.makeTools(), this.scroller, this.empty, this.makeLegend(), this.spoken, this.probe), this.details.element);
		this.listen();
	}

	makeTools() {
		this.search = searchField("Search lanes", (text) => {
			this.words = text.toLowerCase();
			this.lanesAt = -Infinity;
			inNextFrame(this.draw);
		});
		this.follow = toggle("Follow", true, (isOn) => this.setFollowing(isOn));
		this.range = el("span.total");
		return el("div.tools", {}, el("div.line", {}, this.search,
			group("Zoom", "segments", button("−", () => this.zoom(1.5), { "aria-label": "Zoom out" }),
				button("1 min", () => this.zoom(60_000 / this.length)),
				button("+", () => this.zoom(1 / 1.5), { "aria-label": "Zoom in" })),
			this.follow, button("Show as list", () => this.showList()), this.range));
	}

	makeLegend() {
		return group("Legend", "legend", Object.entries(legend).map(([mark, text]) => {
			const shape = el("span", { "aria-hidden": "true", text: mark[0] });
			shape.style.color = `var(--${mark.slice(1)})`;
			return el("span.note", {}, shape, text);
		}));
	}

	listen() {
		const { canvas } = this;
		const on = (name, work, options) => canvas.addEventListener(name, work.bind(this), options);
		this.scroller.addEventListener("scroll", () => inNextFrame(this.draw), { passive: true });
		on("wheel", this.wheel, { passive: false });
		on("pointerdown", this.pointerDown);
		on("pointermove", this.pointerMove);
		on("pointerup", this.pointerUp);
		on("pointerleave", () => { this.isOver = false; });
		on("keydown", this.keyDown);
		new ResizeObserver(() => inNextFrame(this.draw)).observe(this.scroller);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.colours = null; inNextFrame(this.draw); });
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

	/** A page load can end without an event. Then the entry is idle. */
	endOf({ kind, end, lane, events }) {
		const isIdle = kind !== "request" && lane.key !== null && (this.app.index.row(lane.key)?.activity ?? "idle") === "idle";
		return end ?? (isIdle ? events.at(-1).t : this.app.now());
	}

	/** Brings the time and the lanes that are in view up to date, also for keys, which can come before the next frame. */
	updateWindow() {
		if (this.isFollowing) this.to = this.app.now() + this.length * 0.03;
		this.updateLanes();
	}

	setFollowing(isFollowing) {
		this.isFollowing = isFollowing;
		setPressed(this.follow, isFollowing);
		inNextFrame(this.draw);
	}

	pan(ms) {
		if (this.isFollowing) this.setFollowing(false);
		this.to = Math.min(this.to + ms, this.app.now() + this.length * 0.5);
		inNextFrame(this.draw);
	}

	/** Zooms around a time, or around the middle. While it follows, the right edge stays. */
	zoom(factor, time = this.from + this.length / 2) {
		const length = Math.min(longest, Math.max(shortest, this.length * factor));
		if (!this.isFollowing) this.to = time + (this.to - time) * (length / this.length);
		this.length = length;
		inNextFrame(this.draw);
	}

	// Drawing

	update(topics) {
		if (topics.has("everything")) {
			this.colours = null;
			this.lanesAt = -Infinity;
		}
		inNextFrame(this.draw);
		if (hasAny(topics, "selection", "events", "entries", "requests", "everything")) this.showDetails();
	}

	restart() {
		this.selected = null;
		this.lanes = [];
		this.lanesAt = -Infinity;
	}

	draw() {
		if (this.element.hidden || this.scroller.clientHeight === 0) return;
		this.updateWindow();
		this.resize();
		if (!this.colours) this.readColours();
		const context = this.context ??= this.canvas.getContext("2d");
		context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
		this.fill("bg", 0, 0, this.width, this.height);
		context.textBaseline = "middle";
		this.drawLanes();
		this.drawAxis(this.app.now());
		setText(this.range, `${plural(this.lanes.length, "lane")} · ${duration(this.length)}`);
		this.animate();
	}

	/** While it follows, time passes. Without motion, the ticks of the page are enough. */
	animate() {
		const { app } = this;
		const isMoving = this.isFollowing && !app.player && app.pausedAt === null && !app.facts.state?.canAdvance;
		if (!isMoving || this.motion.matches || this.timer) return;
		this.timer = setTimeout(() => { this.timer = null; inNextFrame(this.draw); }, Math.min(250, Math.max(33, this.length / this.width)));
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
		const { probe } = this;
		this.colours = {};
		for (const name of ["bg", "bg-2", "text", "text-2", "line", "accent", "accent-soft", "good", "warn", "bad", "bad-soft", "extra", "on-accent"]) {
			probe.style.color = `var(--${name})`;
			this.colours[name] = getComputedStyle(probe).color;
		}
		const style = getComputedStyle(this.element);
		this.font = `12px ${style.getPropertyValue("--sans")}`;
		this.mono = `12px ${style.getPropertyValue("--mono")}`;
	}

	drawLanes() {
		const { context } = this;
		const top = this.scroller.scrollTop;
		const first = Math.max(0, Math.floor((top - axisHeight) / laneHeight));
		const end = Math.min(this.lanes.length, Math.ceil((top + this.height) / laneHeight));
		for (let index = first; index < end; index++) {
			const lane = this.lanes[index];
			const y = axisHeight + index * laneHeight - top;
			this.drawLaneBack(lane, index, y);
			context.save();
			context.beginPath();
			context.rect(this.gutter, y, this.width - this.gutter, laneHeight);
			context.clip();
			this.drawSpans(lane.requests, y);
			this.drawSpans(lane.spans, y);
			this.drawMarks(lane, y);
			context.restore();
		}
		this.fill("line", this.gutter - 1, 0, 1, this.height);
	}

	fill(colour, x, y, width, height) {
		this.context.fillStyle = this.colours[colour];
		this.context.fillRect(x, y, width, height);
	}

	drawLaneBack(lane, index, y) {
		const { context } = this;
		const isActive = lane === this.selected?.lane || (index === this.activeLane && document.activeElement === this.canvas);
		this.fill(isActive ? "accent-soft" : lane.isMutation ? "bg-2" : "bg", 0, y, this.width, laneHeight);
		this.fill("line", 0, y + laneHeight - 1, this.width, 1);
		context.font = this.mono;
		context.fillStyle = this.colours.text;
		this.letter ??= context.measureText("m").width;
		const room = Math.floor((this.gutter - 20) / this.letter);
		context.fillText(lane.name.length > room ? `${lane.name.slice(0, room - 1)}…` : lane.name, 10, y + laneHeight / 2);
	}

	drawSpans(spans, y) {
		let edge = Infinity;
		for (let index = firstAfter(spans, this.to, timeOf) - 1; index >= 0; index--) {
			const span = spans[index];
			const end = this.endOf(span);
			if (end < this.from) {
				if (span.end === null || spans.length - index < 50) continue;
				break;
			}
			const x = this.x(span.start);
			// Within one pixel, one is enough.
			if (x > edge - 1 && x < edge + 1 && span !== this.selected?.span) continue;
			edge = x;
			if (span.kind === "request") this.drawRequest(span, y + topOf(span));
			else this.drawSpan(span, y);
		}
	}

	drawSpan(span, y) {
		const { context } = this;
		const colour = badOutcomes.has(span.outcome) ? "bad" : quietOutcomes.has(span.outcome) ? "text-2" : "accent";
		const last = this.endOf(span);
		for (const { what, start, end } of span.parts) {
			const x = this.x(start);
			const right = Math.max(x + 3, this.x(end ?? last));
			this.drawPart(what, Math.max(x, this.gutter - 4), Math.min(right, this.width + 4), y + 4, 14, colour, end === null);
		}
		const x = Math.max(this.gutter, this.x(span.start));
		const end = Math.min(this.width, this.x(last));
		const text = duration(last - span.start) + (span.attempts > 1 ? `, ${span.attempts} attempts` : "");
		if (end - x > text.length * 6.5 + 12) {
			context.font = this.font;
			context.fillStyle = this.colours[span.end === null || colour === "text-2" ? "on-accent" : "text"];
			context.fillText(text, x + 7, y + middle);
		}
		if (span === this.selected?.span) this.drawFrame(x - 2, y + 2, Math.max(4, end - x) + 4, 19);
	}

	/** A thin bar, faint until the first byte. A request that failed has a stop at its end. */
	drawRequest(span, y) {
		const { context } = this;
		const { headMs } = span.request;
		const isBad = hasFailed(span.request);
		const x = Math.max(this.gutter - 4, this.x(span.start));
		const end = Math.min(this.width + 4, Math.max(x + 3, this.x(this.endOf(span))));
		const head = headMs == null ? end : Math.min(end, Math.max(x, this.x(span.start + headMs)));
		const colour = isBad ? "bad" : "accent";
		context.globalAlpha = 0.5;
		this.fill(colour, x, y, head - x, barHeight);
		context.globalAlpha = 1;
		this.fill(colour, head, y, end - head, barHeight);
		if (isBad) this.fill(colour, end - 2, y - 1, 2, barHeight + 2);
		if (span === this.selected?.span) this.drawFrame(x - 2, y - 2, end - x + 4, barHeight + 4);
	}

	drawFrame(x, y, width, height) {
		const { context } = this;
		context.strokeStyle = this.colours.text;
		context.lineWidth = 1.5;
		context.strokeRect(x, y, width, height);
	}

	drawPart(what, x, end, y, height, colour, isOpen) {
		const { context } = this;
		const { colours } = this;
		context.strokeStyle = colours[colour];
		context.lineWidth = 1;
		context.beginPath();
		if (what === "waiting") {
			context.moveTo(x, y + height / 2);
			context.lineTo(end, y + height / 2);
		} else context.roundRect(x + 0.5, y + 0.5, Math.max(2, end - x - 1), height, 3);
		if (what === "attempt") {
			context.fillStyle = isOpen || colour === "text-2" ? colours[colour] : colour === "bad" ? colours["bad-soft"] : colours["accent-soft"];
			context.fill();
		} else if (what === "paused") context.setLineDash([2, 3]);
		context.stroke();
		context.setLineDash([]);
	}

	drawMarks(lane, y) {
		const { context } = this;
		let edge = Infinity;
		for (let index = firstAfter(lane.marks, this.to, timeOf) - 1; index >= 0; index--) {
			const mark = lane.marks[index];
			if (mark.t < this.from) break;
			const x = this.x(mark.t);
			const isSelected = mark === this.selected?.mark;
			if (edge - x < 2 && !isSelected) continue;
			edge = x;
			this.drawMark(mark.event.kind, x, y + middle);
			if (isSelected) this.drawFrame(x - 8, y + 2, 16, 19);
		}
	}

	drawMark(kind, x, y) {
		const { context } = this;
		const mark = marks[kind] ?? "●text-2";
		context.fillStyle = this.colours[mark.slice(1)];
		context.font = this.font;
		context.textAlign = "center";
		context.fillText(mark[0], x, y);
		context.textAlign = "left";
	}

	drawAxis(now) {
		const { context } = this;
		this.fill("bg", 0, 0, this.width, axisHeight);
		context.font = this.font;
		const room = this.width - this.gutter;
		const step = steps.find((candidate) => (candidate / this.length) * room >= 96) ?? steps.at(-1);
		// Ticks lie on round times of the day.
		const origin = this.app.epoch(0);
		for (let time = Math.ceil((this.from + origin) / step) * step - origin; time <= this.to; time += step) {
			const x = Math.round(this.x(time));
			if (x < this.gutter) continue;
			context.globalAlpha = 0.6;
			this.fill("line", x, axisHeight - 6, 1, this.height);
			context.globalAlpha = 1;
			context.fillStyle = this.colours["text-2"];
			const text = clockTime(time + origin);
			if (x < this.width - 60) context.fillText(step < 1000 ? text : text.slice(0, 8), x + 4, axisHeight / 2);
		}
		this.fill("line", 0, axisHeight - 1, this.width, 1);
		const x = Math.round(this.x(now));
		if (x >= this.gutter && x <= this.width) this.fill("accent", x, axisHeight, 1, this.height);
	}

	// Pointer and keys

	wheel(event) {
		// Beside the lanes' names the wheel scrolls the lanes.
		if (event.offsetX < this.gutter) return;
		event.preventDefault();
		const { deltaX, deltaY } = event;
		const unit = event.deltaMode === 1 ? 16 : 1;
		if (event.shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) this.pan((((deltaX || deltaY) * unit) / (this.width - this.gutter)) * this.length);
		else this.zoom(Math.exp((deltaY * unit) / 400), this.time(event.offsetX));
	}

	pointerDown(event) {
		this.canvas.setPointerCapture(event.pointerId);
		this.drag = { x: event.clientX, y: event.clientY, to: this.to, top: this.scroller.scrollTop };
	}

	pointerMove(event) {
		this.isOver = true;
		const { drag } = this;
		if (!drag) return this.showTip(event);
		const dx = event.clientX - drag.x;
		const dy = event.clientY - drag.y;
		if (!drag.isMoved && Math.hypot(dx, dy) < 4) return;
		drag.isMoved = true;
		if (this.isFollowing && Math.abs(dx) > 4) this.setFollowing(false);
		if (!this.isFollowing) this.to = drag.to - (dx / (this.width - this.gutter)) * this.length;
		this.scroller.scrollTop = drag.top - dy;
		inNextFrame(this.draw);
	}

	pointerUp(event) {
		const isMoved = this.drag?.isMoved;
		this.drag = null;
		if (isMoved) return;
		const lane = this.laneAt(event.offsetY);
		if (lane) this.activeLane = this.lanes.indexOf(lane);
		this.select(this.itemAt(lane, event));
	}

	laneAt(y) {
		if (y < axisHeight) return null;
		return this.lanes[Math.floor((y - axisHeight + this.scroller.scrollTop) / laneHeight)] ?? null;
	}

	itemAt(lane, { offsetX: x, offsetY }) {
		if (!lane || x < this.gutter) return null;
		const y = (offsetY - axisHeight + this.scroller.scrollTop) % laneHeight;
		const isAt = (span) => this.x(span.start) - 3 <= x && this.x(this.endOf(span)) + 5 >= x;
		const request = lane.requests.findLast((span) => y >= topOf(span) - 1 && y <= topOf(span) + barHeight + 1 && isAt(span));
		if (request) return { lane, span: request };
		const distance = (mark) => Math.abs(this.x(mark.t) - x);
		const mark = lane.marks.filter((mark) => distance(mark) <= 7).sort((a, b) => distance(a) - distance(b))[0];
		if (mark) return { lane, mark };
		const span = lane.spans.findLast(isAt);
		return span ? { lane, span } : null;
	}

	showTip(event) {
		const item = this.itemAt(this.laneAt(event.offsetY), event);
		setAttribute(this.canvas, "title", item && this.describe(item));
	}

	describe({ lane, span, mark }) {
		if (mark) return `${lane.name}: ${mark.event.text}`;
		const what = span.request ? `${kindTexts.request} ${requestText(span.request)}` : kindTexts[span.kind];
		return `${lane.name}: ${what}, ${outcome(span)}, ${duration(this.endOf(span) - span.start)}`;
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
		const items = [...[...lane.spans, ...lane.requests].map((span) => ({ lane, span })), ...lane.marks.map((mark) => ({ lane, mark }))];
		const time = ({ span, mark }) => timeOf(span ?? mark);
		items.sort((a, b) => time(a) - time(b));
		const now = items.findIndex(({ span, mark }) => (span ?? mark) === (this.selected?.span ?? this.selected?.mark));
		const item = items[now < 0 ? items.length - 1 : Math.min(items.length - 1, Math.max(0, now + by))];
		if (!item) return;
		if (time(item) < this.from || time(item) > this.to) this.pan(time(item) - (this.from + this.length / 2));
		this.select(item);
	}

	moveLane(by) {
		this.activeLane = Math.max(0, Math.min(this.lanes.length - 1, this.activeLane + by));
		const top = this.activeLane * laneHeight;
		const room = this.height - axisHeight - laneHeight;
		if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
		else if (top > this.scroller.scrollTop + room) this.scroller.scrollTop = top - room;
		setText(this.spoken, this.lanes[this.activeLane]?.name ?? "");
		inNextFrame(this.draw);
	}

	keyDown(event) {
		if (event.altKey || event.ctrlKey || event.metaKey) return;
		const keys = {
			ArrowLeft: () => this.pan(-this.length * 0.1), ArrowRight: () => this.pan(this.length * 0.1),
			ArrowUp: () => this.moveLane(-1), ArrowDown: () => this.moveLane(1), k: () => this.moveLane(-1), j: () => this.moveLane(1),
			"+": () => this.zoom(1 / 1.5), "=": () => this.zoom(1 / 1.5), "-": () => this.zoom(1.5), 0: () => this.zoom(60_000 / this.length),
			n: () => this.stepItem(1), b: () => this.stepItem(-1), f: () => this.setFollowing(!this.isFollowing),
			Enter: () => (this.selected ? this.details.focus() : this.stepItem(0)),
		};
		if (!keys[event.key]) return;
		this.updateWindow();
		keys[event.key]();
		event.preventDefault();
	}

	// The selection

	showDetails() {
		const { selected } = this;
		this.element.classList.toggle("has-selection", selected !== null);
		if (!selected) return this.details.show(null);
		const { span, mark } = selected;
		if (span?.request) {
			const link = button("Show in Requests", () => this.showList(), { class: "link" });
			return this.details.show(span.request, () => requestDetails(this.app, span.request, link));
		}
		const event = mark?.event ?? span.events[0];
		const caused = effects(this.app.facts.events, event, 30);
		this.details.show([event.n, span?.events.length, caused.length], () => [selected.lane.name, mark ? eventParts(this.app, event) : this.spanParts(span, caused)]);
	}

	spanParts(span, caused) {
		const { app } = this;
		return [
			section(kindTexts[span.kind], facts([
				["Outcome", el("span", { class: badOutcomes.has(span.outcome) ? "error" : null, text: outcome(span) })],
				["Began", clockTime(app.epoch(span.start))],
				["Took", app.live(() => duration(this.endOf(span) - span.start))],
				["Attempts", whole(span.attempts)],
				span.lane.key !== null && ["Entry", app.link(span.lane.key)],
			])),
			causesPart(span.events[0].causes ?? []),
			section("Parts", eventList(app, span.parts.map((part) => ({ ...part, t: part.start })), ({ what, start, end }) => (
				[`${what} `, end === null ? "" : duration(end - start)]))),
			effectsPart(app, caused),
		];
	}

	/** The same as text: the request that is selected, or the log, narrowed to the lane that is selected. */
	showList() {
		const request = this.selected?.span?.request;
		if (request) return this.app.tabNamed("requests").reveal(request);
		this.app.tabNamed("log").narrow(this.selected?.lane ?? null);
		this.app.showTab("log");
		this.app.tabNamed("log").focus();
	}
}

/** What its last event said, or how a request ended. */
function outcome({ request, events, end }) {
	if (end === null) return "running";
	return request ? request.error ?? `status ${request.status}` : events.at(-1).text;
}
