// Spans and marks of the timeline, from events.

import { firstAfter } from "./model.js";

const ends = new Set(["fresh", "notModified", "failed", "cancelled", "dropped"]);
const pageEnds = new Set(["page", "pageFailed", "cancelled"]);
const parts = { retrying: "waiting", paused: "paused", resumed: "attempt" };
const mutationEnds = new Set(["mutated", "mutationFailed", "setAside"]);

/** Lanes of entries and mutations, each with spans (what took time) and marks (what did not), in order of time. */
export class Spans {
	lanes = new Map();

	clear() {
		this.lanes.clear();
	}

	addAll(events) {
		for (const event of events) this.add(event);
	}

	add(event) {
		const lane = this.lane(event);
		lane.last = event.t;
		if (lane.isMutation) this.addToMutation(lane, event);
		else this.addToEntry(lane, event);
	}

	lane({ key, mutation, t }) {
		// An event of an entry can name the mutation that caused it. It is the entry's event all the same.
		const isMutation = key === null && mutation !== null;
		const name = key ?? mutation ?? "client";
		const id = `${isMutation ? "mutation" : key === null ? "client" : "entry"} ${name}`;
		let lane = this.lanes.get(id);
		if (!lane) {
			lane = { id, name, key, isMutation, first: t, last: t, spans: [], marks: [], fetch: null, page: null, running: [] };
			this.lanes.set(id, lane);
		}
		return lane;
	}

	addToEntry(lane, event) {
		const { kind } = event;
		if (kind === "loadingPage") {
			// A page load that waited for the network before its first attempt.
			if (!lane.page && lane.fetch?.attempts === 0) [lane.page, lane.fetch] = [lane.fetch, null];
			lane.page = this.goOn(lane, lane.page, "page", event, "attempt");
			lane.page.kind = "page";
		} else if (kind === "fetching" || kind === "debounced") {
			lane.fetch = this.goOn(lane, lane.fetch, "fetch", event, kind === "fetching" ? "attempt" : "waiting");
		} else if (kind === "paused" && !lane.page) {
			lane.fetch = this.goOn(lane, lane.fetch, "fetch", event, "paused");
		} else if (parts[kind] && (lane.fetch ?? lane.page)) {
			this.part(lane.fetch ?? lane.page, event, parts[kind]);
		} else if (lane.page && pageEnds.has(kind) && !(kind === "cancelled" && lane.fetch)) {
			lane.page = this.end(lane.page, event);
		} else if (lane.fetch && ends.has(kind) && !isSuperseded(event)) {
			lane.fetch = this.end(lane.fetch, event);
		} else {
			// What ended without a known beginning is older than the history.
			if (kind === "removed") this.endAll(lane, event);
			this.mark(lane, event);
		}
	}

	/** Events do not tell which run they are of: the oldest that does not wait ends first. Only a durable one is begun again. */
	addToMutation(lane, event) {
		const { kind } = event;
		const { running } = lane;
		const isIn = (...whats) => (span) => whats.includes(span.parts.at(-1).what);
		if (kind === "enqueued") lane.isDurable = true;
		if (kind === "mutating") {
			const waiting = running.find(isIn(...(lane.isDurable ? ["paused", "waiting"] : ["waiting"])));
			if (waiting) this.part(waiting, event, "attempt");
			else running.push(this.begin(lane, "mutation", event, "attempt"));
		} else if (kind === "mutationPaused" || kind === "retrying") {
			const span = running.findLast(isIn("attempt"));
			if (span) this.part(span, event, kind === "retrying" ? "waiting" : "paused");
			else running.push(this.begin(lane, "mutation", event, "paused"));
		} else if (mutationEnds.has(kind) && running.length > 0) {
			const span = running.find(isIn("attempt")) ?? running[0];
			running.splice(running.indexOf(span), 1);
			this.end(span, event);
		} else {
			this.mark(lane, event);
		}
	}

	goOn(lane, span, kind, event, what) {
		if (!span) return this.begin(lane, kind, event, what);
		this.part(span, event, what);
		return span;
	}

	begin(lane, kind, event, what) {
		const span = { kind, lane, start: event.t, end: null, outcome: null, events: [event], attempts: 0, parts: [] };
		lane.spans.push(span);
		this.startPart(span, event, what);
		return span;
	}

	part(span, event, what) {
		span.events.push(event);
		span.parts.at(-1).end = event.t;
		this.startPart(span, event, what);
	}

	startPart(span, event, what) {
		if (what === "attempt" && event.kind !== "resumed") span.attempts += 1;
		span.parts.push({ what, start: event.t, end: null });
	}

	end(span, event) {
		span.events.push(event);
		span.parts.at(-1).end = event.t;
		span.end = event.t;
		span.outcome = event.kind;
		return null;
	}

	endAll(lane, event) {
		for (const span of [lane.fetch, lane.page]) if (span) this.end(span, event);
		lane.fetch = lane.page = null;
	}

	mark(lane, event) {
		lane.marks.push({ t: event.t, event, lane });
	}

	/** Forgets what ended before a time. */
	trim(time) {
		for (const [id, lane] of this.lanes) {
			if (lane.last < time) {
				this.lanes.delete(id);
				continue;
			}
			if (lane.first >= time) continue;
			lane.spans = lane.spans.filter((span) => span.end === null || span.end >= time);
			lane.marks = lane.marks.filter((mark) => mark.t >= time);
			lane.first = time;
		}
	}

	/** Mutations that have not ended. */
	running() {
		return [...this.lanes.values()].flatMap((lane) => lane.running);
	}

	/** Lanes with anything in a window of time: mutations at the top, then the most recently active. */
	visible(from, to) {
		const found = [];
		for (const lane of this.lanes.values()) {
			if (lane.first > to || (lane.last < from && !isOpen(lane))) continue;
			const active = lastActivity(lane, from, to);
			if (active !== null) found.push({ lane, active });
		}
		found.sort((a, b) => b.lane.isMutation - a.lane.isMutation || b.active - a.active);
		return found.map(({ lane }) => lane);
	}
}

/** An answer to a fetch that another one overtook. The other one goes on. */
const isSuperseded = ({ kind, causes }) => kind === "dropped" && causes?.[0] === "superseded";

/** When a span begins, or a mark is. */
export const timeOf = (item) => item.t ?? item.start;

const isOpen = (lane) => lane.fetch !== null || lane.page !== null || lane.running.length > 0;

/** When a lane was last active in a window, or null if it was not. */
export function lastActivity(lane, from, to) {
	let last = null;
	for (let index = lane.spans.length - 1; index >= 0; index--) {
		const span = lane.spans[index];
		if (span.start <= to && (span.end ?? Infinity) >= from) {
			last = Math.min(to, span.end ?? to);
			break;
		}
		// A long span can lie before short ones, but not by many.
		if (span.start < from && lane.spans.length - index > 20) break;
	}
	const mark = lane.marks[firstAfter(lane.marks, to, timeOf) - 1];
	if (mark && mark.t >= from) last = Math.max(last ?? -Infinity, mark.t);
	return last;
}
