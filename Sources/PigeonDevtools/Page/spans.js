// Spans and marks of the timeline, from events and requests.

import { firstAfter } from "./model.js";

/** What a span does after an event of its fetch, page load or mutation. */
const parts = { debounced: "waiting", fetching: "attempt", loadingPage: "attempt", mutating: "attempt", retrying: "waiting",
	paused: "paused", mutationPaused: "paused", resumed: "attempt" };
/** How many requests of no entry are shown at the same time. */
const rowCount = 4;
const ends = new Set(["fresh", "notModified", "failed", "cancelled", "dropped", "page", "pageFailed", "mutated", "mutationFailed",
	"setAside", "discarded"]);

/** Lanes of entries and mutations, each with spans (what took time), marks (what did not) and requests, in order of time. */
export class Spans {
	lanes = new Map();
	/** The spans of requests, by the number of the request. */
	requests = new Map();

	clear() {
		this.lanes.clear();
		this.requests.clear();
	}

	addAll(events) {
		for (const event of events) this.add(event);
	}

	add(event) {
		const lane = this.lane(event);
		lane.last = Math.max(lane.last, event.t);
		const { kind } = event;
		// All events of a fetch or a mutation have its number. What ended without a known beginning is older than the history.
		const number = (lane.isMutation ? event.mutationNumber : event.fetch) ?? null;
		const span = lane.open.get(number);
		if (number !== null && parts[kind]) {
			this.goOn(lane, span ?? this.postponed(lane, event), number, event);
		} else if (span && ends.has(kind)) {
			this.end(lane, number, event);
		} else {
			if (kind === "removed") this.endAll(lane, event);
			if (kind === "cleared") for (const other of this.lanes.values()) if (other.isMutation) this.endAll(other, event);
			lane.marks.push({ t: event.t, event, lane });
		}
	}

	/** Takes a request that began or changed. Requests of no entry have a lane of their own. */
	setRequest(request) {
		const { id, t, ms, headMs, error } = request;
		const lane = this.requests.get(id)?.lane ?? this.lane({ key: request.key, mutation: null, t }, "requests");
		let span = this.requests.get(id);
		if (!span) {
			const place = firstAfter(lane.requests, t, timeOf);
			const before = lane.requests[place - 1];
			// Where only requests are, there is room for some at the same time.
			const row = lane.key === null && before && (before.end ?? Infinity) > t ? (before.row + 1) % rowCount : 0;
			span = { kind: "request", lane, start: t, end: t, row };
			lane.requests.splice(place, 0, span);
			this.requests.set(id, span);
		}
		const end = ms !== null ? span.start + ms : error !== null ? span.start + (headMs ?? 0) : null;
		lane.running += (end === null) - (span.end === null);
		lane.first = Math.min(lane.first, span.start);
		lane.last = Math.max(lane.last, end ?? span.start);
		Object.assign(span, { end, request });
	}

	removeRequest(id) {
		const span = this.requests.get(id);
		if (!span) return;
		const { lane } = span;
		this.requests.delete(id);
		lane.requests.splice(lane.requests.indexOf(span), 1);
		if (span.end === null) lane.running -= 1;
		if (lane.requests.length + lane.spans.length + lane.marks.length === 0) this.lanes.delete(lane.id);
	}

	/** The lane of an entry, of a mutation, or else of what `other` names. */
	lane({ key, mutation, t }, other = "client") {
		// An event of an entry can name the mutation that caused it. It is the entry's event all the same.
		const isMutation = key === null && mutation !== null;
		const name = key ?? mutation ?? other;
		const id = `${isMutation ? "mutation" : key === null ? "client" : "entry"} ${name}`;
		let lane = this.lanes.get(id);
		if (!lane) {
			lane = { id, name, key, isMutation, first: t, last: t, spans: [], marks: [], requests: [], running: 0, open: new Map() };
			this.lanes.set(id, lane);
		}
		return lane;
	}

	/** A page load that a refresh has postponed goes on with another number. */
	postponed(lane, { kind, text }) {
		if (kind !== "loadingPage") return undefined;
		for (const [number, span] of lane.open) {
			if (span.kind !== "page" || span.direction !== text) continue;
			lane.open.delete(number);
			return span;
		}
	}

	goOn(lane, span, number, event) {
		const what = parts[event.kind];
		if (span) this.part(span, event, what);
		else span = this.begin(lane, event, what);
		lane.open.set(number, span);
		if (event.kind === "loadingPage") Object.assign(span, { kind: "page", direction: event.text.replace(/ again$/, "") });
	}

	begin(lane, event, what) {
		const kind = lane.isMutation ? "mutation" : "fetch";
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

	end(lane, number, event) {
		const span = lane.open.get(number);
		lane.open.delete(number);
		span.events.push(event);
		span.parts.at(-1).end = event.t;
		span.end = event.t;
		span.outcome = event.kind;
	}

	endAll(lane, event) {
		for (const number of [...lane.open.keys()]) this.end(lane, number, event);
	}

	/** Forgets what ended before a time. */
	trim(time) {
		for (const [id, lane] of this.lanes) {
			if (lane.last < time && lane.running === 0) {
				this.lanes.delete(id);
				for (const span of lane.requests) this.requests.delete(span.request.id);
				continue;
			}
			if (lane.first >= time) continue;
			const isLater = ({ end }) => end === null || end >= time;
			lane.spans = lane.spans.filter(isLater);
			for (const span of lane.requests) if (!isLater(span)) this.requests.delete(span.request.id);
			lane.requests = lane.requests.filter(isLater);
			lane.marks = lane.marks.filter((mark) => mark.t >= time);
			lane.first = time;
		}
	}

	/** Mutations that have not ended. */
	running() {
		return [...this.lanes.values()].flatMap((lane) => (lane.isMutation ? [...lane.open.values()] : []));
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

/** When a span begins, or a mark is. */
export const timeOf = (item) => item.t ?? item.start;

const isOpen = (lane) => lane.open.size + lane.running > 0;

/** When a lane was last active in a window, or null if it was not. */
export function lastActivity(lane, from, to) {
	let last = null;
	for (const spans of [lane.spans, lane.requests]) {
		for (let index = spans.length - 1; index >= 0; index--) {
			const span = spans[index];
			if (span.start <= to && (span.end ?? Infinity) >= from) {
				last = Math.max(last ?? -Infinity, Math.min(to, span.end ?? to));
				break;
			}
			// A long span can lie before short ones, but not by many.
			if (span.start < from && spans.length - index > 20) break;
		}
	}
	const mark = lane.marks[firstAfter(lane.marks, to, timeOf) - 1];
	if (mark && mark.t >= from) last = Math.max(last ?? -Infinity, mark.t);
	return last;
}
