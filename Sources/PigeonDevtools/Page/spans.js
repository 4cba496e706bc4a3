// Spans and marks of the timeline, from events.

import { firstAfter } from "./model.js";

const ends = new Set(["fresh", "notModified", "failed", "cancelled", "dropped"]);
const pageEnds = new Set(["page", "pageFailed", "cancelled"]);
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
    if (kind === "fetching" || kind === "debounced") {
      if (lane.fetch) this.part(lane.fetch, event, kind === "fetching" ? "attempt" : "waiting");
      else lane.fetch = this.begin(lane, "fetch", event, kind === "fetching" ? "attempt" : "waiting");
    } else if (kind === "loadingPage") {
      if (lane.page) this.part(lane.page, event, "attempt");
      else lane.page = this.begin(lane, "page", event, "attempt");
    } else if (kind === "retrying" || kind === "paused" || kind === "resumed") {
      const open = lane.fetch ?? lane.page;
      if (open) this.part(open, event, { retrying: "waiting", paused: "paused", resumed: "attempt" }[kind]);
      else this.mark(lane, event);
    } else if (lane.page && pageEnds.has(kind) && !(kind === "cancelled" && lane.fetch)) {
      lane.page = this.end(lane.page, event);
    } else if (lane.fetch && ends.has(kind)) {
      lane.fetch = this.end(lane.fetch, event);
    } else {
      // What ended without a known beginning is older than the history.
      if (kind === "removed") lane.fetch = lane.page = this.endAll(lane, event);
      this.mark(lane, event);
    }
  }

  /** Events of mutations do not tell which run they are of. The oldest run of a name ends first. */
  addToMutation(lane, event) {
    const { kind } = event;
    if (kind === "mutating") {
      const waiting = lane.running.find((span) => span.parts.at(-1).what === "paused");
      if (waiting) this.part(waiting, event, "attempt");
      else lane.running.push(this.begin(lane, "mutation", event, "attempt"));
    } else if (kind === "mutationPaused") {
      const running = lane.running.find((span) => span.parts.at(-1).what === "attempt");
      if (running) this.part(running, event, "paused");
      else lane.running.push(this.begin(lane, "mutation", event, "paused"));
    } else if (mutationEnds.has(kind) && lane.running.length > 0) {
      this.end(lane.running.shift(), event);
    } else {
      this.mark(lane, event);
    }
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
    return null;
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
