// Tests of the page's modules that need no browser: `node --test Tests/DevtoolsPage`.

import assert from "node:assert/strict";
import { test } from "node:test";

const page = (name) => import(new URL(`../../Sources/PigeonDevtools/Page/${name}`, import.meta.url));
const { EntryIndex, parseSearch, sortInSteps, sortKey } = await page("entry-index.js");
const { Spans, lastActivity } = await page("spans.js");
const { Facts, effects, itemKey, nextText } = await page("model.js");
const { Connection, Player, Ring, programToJoin, readRecording } = await page("feed.js");
const { diff, plain, summary } = await page("values.js");
const { pretty, recordText } = await page("entry-panel.js");
const { bytes, duration, span } = await page("dom.js");

let lastId = 0;
const row = (key, more = {}) => ({ id: ++lastId, key, path: key.split("/"), type: "User", state: "fresh", activity: "idle", observers: 0,
  waiters: 0, isOptimistic: false, tags: [], bytes: 10, updatedAt: 0, error: null, fault: null, isPrivate: false, next: null, ...more });
const finish = (generator) => {
  let step = generator.next();
  while (!step.done) step = generator.next();
  return step.value;
};
const event = (n, kind, more = {}) => ({ n, t: n * 10, id: 1, key: "users/1", fetch: 1, mutation: null, kind, text: kind, causes: [], isFailure: false, ...more });
const mutation = (n, kind, name = "Rename", mutationNumber = 1) => event(n, kind, { id: null, key: null, fetch: null, mutation: name, mutationNumber });
const leaf = (name, text, type = "String") => ({ name, type, text, children: null, count: null });
const object = (name, ...children) => ({ name, type: "Note", text: null, children, count: null });
const list = (...texts) => ({ name: "items", type: "Array", text: null, children: texts.map((text) => leaf(null, text)), count: null });

const shownKeys = (index) => index.items.map((item) => (item.group !== undefined ? `${item.group}/ ${item.count}` : item.row.key));
function makeIndex(...rows) {
  const index = new EntryIndex();
  for (const item of rows) index.set(item);
  finish(index.rebuild());
  return index;
}

// The index of entries

test("paths are in the order of the tree, and numbers by value", () => {
  const keys = ["users/10", "users/9", "users", "users-old/1", "a", "users/9/posts"];
  const sorted = keys.sort((a, b) => (sortKey(a.split("/")) < sortKey(b.split("/")) ? -1 : 1));
  assert.deepEqual(sorted, ["a", "users", "users/9", "users/9/posts", "users/10", "users-old/1"]);
  assert.notEqual(sortKey(["01"]), sortKey(["1"]));
});

test("entries are grouped by path, with counts, and a group can be an entry itself", () => {
  const index = makeIndex(row("users/2"), row("users"), row("users/1"), row("settings"));
  assert.deepEqual(shownKeys(index), ["settings", "users/ 3", "users/1", "users/2"]);
  assert.equal(index.items[1].entry.row.key, "users");
});

test("a group is the path of its entries, whatever is in a component", () => {
  const at = (number) => row(`users%2Feu/100%25/${number}`, { path: ["users/eu", "100%", `${number}`] });
  const index = makeIndex(at(1), at(2), row("users/eu/7"), row("users/eu/8"));
  assert.deepEqual(index.items.filter(({ group }) => group).map(({ group, label }) => [group, label]),
    [["users", "users"], ["users/eu", "eu"], ["users%2Feu", "users/eu"], ["users%2Feu/100%25", "100%"]]);
});

test("events that were dropped are counted over all messages", () => {
  const facts = new Facts();
  facts.apply({ type: "events", client: 1, dropped: 7, events: [] });
  facts.apply({ type: "events", client: 1, dropped: 0, events: [event(9, "fresh")] });
  facts.apply({ type: "events", client: 1, dropped: 2, events: [event(12, "fresh")] });
  assert.equal(facts.dropped, 9);
});

test("a group of one entry is shown as the entry", () => {
  const index = makeIndex(row("teams/1/members"), row("teams/2/members"), row("a/b/c"));
  assert.deepEqual(shownKeys(index), ["a/b/c", "teams/ 2", "teams/1/members", "teams/2/members"]);
  assert.deepEqual(index.items.map(({ depth }) => depth), [0, 0, 1, 1]);
});

test("large groups are closed until they are opened or searched", () => {
  const index = makeIndex(...Array.from({ length: 100 }, (_, number) => row(`users/${number}`)), row("settings"));
  assert.deepEqual(shownKeys(index), ["settings", "users/ 100"]);
  index.setOpen("users", true);
  finish(index.rebuild());
  assert.equal(index.items.length, 102);
  index.choices.clear();
  index.search("users/7");
  finish(index.rebuild());
  assert.equal(index.shownCount, 11);
  assert.equal(index.items.length, 12);
});

test("rows that change are counted at once, and the list is made anew only if it is needed", () => {
  const first = row("users/1");
  const index = makeIndex(first, row("users/2"));
  index.isTree = false;
  finish(index.rebuild());
  index.set({ ...first, observers: 2 });
  assert.equal(index.counts.observed, 1);
  assert.equal(index.needsRebuild, false);
  index.setChip("observed", true);
  finish(index.rebuild());
  assert.deepEqual(shownKeys(index), ["users/1"]);
  index.set({ ...first, observers: 0 });
  assert.equal(index.needsRebuild, true);
  finish(index.rebuild());
  assert.deepEqual(shownKeys(index), []);
  index.remove(first.id);
  assert.equal(index.row("users/1"), null);
});

test("rows that come and go while the list is made are not lost", () => {
  const index = new EntryIndex();
  const rows = Array.from({ length: 5000 }, (_, number) => row(`users/${number}`));
  for (const item of rows) index.set(item);
  const work = index.rebuild();
  work.next();
  index.set(row("late"));
  index.remove(rows[0].id);
  finish(work);
  assert.equal(index.needsRebuild, true);
  index.isTree = false;
  finish(index.rebuild());
  assert.equal(index.items.length, 5000);
  assert.ok(shownKeys(index).includes("late"));
});

test("a clear while the list is made wins", () => {
  const index = new EntryIndex();
  for (let number = 0; number < 5000; number++) index.set(row(`users/${number}`));
  const work = index.rebuild();
  work.next();
  index.clear();
  index.set(row("new"));
  finish(work);
  finish(index.rebuild());
  assert.deepEqual(shownKeys(index), ["new"]);
});

test("the flat list is sorted by a column, rows without a value last", () => {
  const index = makeIndex(row("a", { bytes: 5 }), row("b", { bytes: null }), row("c", { bytes: 50 }));
  index.isTree = false;
  index.sort = { by: "size", isDown: false };
  finish(index.rebuild());
  assert.deepEqual(shownKeys(index), ["c", "a", "b"]);
  index.sort = { by: "size", isDown: true };
  finish(index.rebuild());
  assert.deepEqual(shownKeys(index), ["a", "c", "b"]);
});

test("searches have words, tags and types", () => {
  const index = makeIndex(row("users/1", { tags: ["team"] }), row("users/2", { type: "Note" }), row("notes/1"));
  const found = (text) => {
    index.search(text);
    finish(index.rebuild());
    return index.shownCount;
  };
  assert.deepEqual([found("USERS 1"), found("tag:te"), found("type:note"), found("users tag:x"), found("")], [1, 1, 1, 0, 3]);
  assert.deepEqual(parseSearch("Tag:A b"), [{ field: "tag", value: "a" }, { field: null, value: "b" }]);
});

test("sorting in steps is stable and complete", () => {
  const items = Array.from({ length: 3000 }, (_, number) => ({ value: (number * 7919) % 100, number }));
  const sorted = finish(sortInSteps(items, (a, b) => a.value - b.value));
  assert.deepEqual(sorted, [...items].sort((a, b) => a.value - b.value));
  assert.deepEqual(finish(sortInSteps([], () => 0)), []);
});

// Spans

test("a fetch with retries and a pause is one span with parts", () => {
  const spans = new Spans();
  spans.addAll([event(1, "fetching"), event(2, "retrying"), event(3, "fetching"), event(4, "paused"), event(5, "resumed"), event(6, "fresh"), event(7, "stale")]);
  const [lane] = spans.lanes.values();
  assert.equal(lane.spans.length, 1);
  assert.deepEqual(lane.spans[0].parts.map(({ what, start, end }) => [what, start, end]),
    [["attempt", 10, 20], ["waiting", 20, 30], ["attempt", 30, 40], ["paused", 40, 50], ["attempt", 50, 60]]);
  assert.deepEqual([lane.spans[0].attempts, lane.spans[0].outcome, lane.spans[0].end], [2, "fresh", 60]);
  assert.deepEqual(lane.marks.map((mark) => mark.event.kind), ["stale"]);
});

test("what ended before the history began is a mark", () => {
  const spans = new Spans();
  spans.addAll([event(1, "fresh"), event(2, "fetching"), event(3, "cancelled")]);
  const [lane] = spans.lanes.values();
  assert.deepEqual([lane.marks.length, lane.spans.length, lane.spans[0].outcome], [1, 1, "cancelled"]);
});

test("page loads and fetches of one entry do not end each other", () => {
  const spans = new Spans();
  spans.addAll([event(1, "loadingPage"), event(2, "fetching", { fetch: 2 }), event(3, "fresh", { fetch: 2 }), event(4, "page")]);
  const [lane] = spans.lanes.values();
  assert.deepEqual(lane.spans.map(({ kind, end, outcome }) => [kind, end, outcome]), [["page", 40, "page"], ["fetch", 30, "fresh"]]);
});

test("a removed entry ends what runs", () => {
  const spans = new Spans();
  spans.addAll([event(1, "fetching"), event(2, "removed")]);
  const [lane] = spans.lanes.values();
  assert.equal(lane.spans[0].end, 20);
  assert.equal(lane.open.size, 0);
});

test("mutations have lanes of their own, at the top, and overlap", () => {
  const spans = new Spans();
  spans.addAll([event(1, "invalidated"), mutation(2, "mutating"), mutation(3, "mutating", "Rename", 2), mutation(4, "mutated", "Rename", 2), mutation(5, "mutationFailed"), event(6, "stale")]);
  const lanes = spans.visible(0, 100);
  assert.deepEqual(lanes.map(({ name }) => name), ["Rename", "users/1"]);
  assert.deepEqual(lanes[0].spans.map(({ start, end, outcome }) => [start, end, outcome]), [[20, 50, "mutationFailed"], [30, 40, "mutated"]]);
  assert.equal(spans.running().length, 0);
});

test("a mutation that waits for its turn does not take the place of the next one", () => {
  const spans = new Spans();
  spans.addAll([mutation(1, "mutating"), mutation(2, "mutating", "Rename", 2), mutation(3, "mutationPaused", "Rename", 2), mutation(4, "mutated"), mutation(5, "mutated", "Rename", 2)]);
  const [lane] = spans.lanes.values();
  assert.deepEqual(lane.spans.map(({ end, parts }) => [end, ...parts.map(({ what }) => what)]), [[40, "attempt"], [50, "attempt", "paused"]]);
});

test("the attempts of a durable mutation are one span", () => {
  const spans = new Spans();
  spans.addAll(["enqueued", "mutating", "retrying", "mutating", "mutationPaused", "mutating", "setAside"].map((kind, index) => mutation(index + 1, kind)));
  const [lane] = spans.lanes.values();
  assert.equal(lane.spans.length, 1);
  assert.deepEqual(lane.spans[0].parts.map(({ what }) => what), ["attempt", "waiting", "attempt", "paused", "attempt"]);
  assert.equal(lane.spans[0].outcome, "setAside");
});

test("a fetch that is paused at once begins with the pause", () => {
  const spans = new Spans();
  spans.addAll([event(1, "paused"), event(2, "resumed"), event(3, "fetching"), event(4, "fresh")]);
  const [{ spans: [span] }] = spans.lanes.values();
  assert.deepEqual([span.start, span.end, span.attempts, span.parts[0].what], [10, 40, 1, "paused"]);
});

test("a page load that is paused at once is a page load", () => {
  const spans = new Spans();
  spans.addAll([event(1, "paused"), event(2, "resumed"), event(3, "loadingPage"), event(4, "page")]);
  const [lane] = spans.lanes.values();
  assert.deepEqual(lane.spans.map(({ kind, start, end }) => [kind, start, end]), [["page", 10, 40]]);
});

test("an answer that came too late does not end the fetch that overtook it", () => {
  const spans = new Spans();
  spans.addAll([event(1, "fetching"), event(2, "fetching", { fetch: 2 }), event(3, "dropped"), event(4, "fresh", { fetch: 2 })]);
  const [lane] = spans.lanes.values();
  assert.deepEqual(lane.spans.map(({ end, outcome }) => [end, outcome]), [[30, "dropped"], [40, "fresh"]]);
});

test("a page load that a refresh postpones is one page load", () => {
  const spans = new Spans();
  spans.addAll([event(1, "loadingPage"), event(2, "fetching", { fetch: 2 }), event(3, "fresh", { fetch: 2 }), event(4, "loadingPage", { fetch: 3 }), event(5, "page", { fetch: 3 })]);
  const [lane] = spans.lanes.values();
  assert.deepEqual(lane.spans.map(({ kind, start, end }) => [kind, start, end]), [["page", 10, 50], ["fetch", 20, 30]]);
});

test("what is discarded or cleared does not go on", () => {
  const spans = new Spans();
  spans.addAll([mutation(1, "mutationPaused"), mutation(2, "discarded"), mutation(3, "mutating", "Rename", 2), event(4, "cleared", { key: null })]);
  assert.deepEqual(spans.lanes.get("mutation Rename").spans.map(({ end }) => end), [20, 40]);
  assert.equal(spans.running().length, 0);
});

test("lanes are visible only in their time", () => {
  const spans = new Spans();
  spans.addAll([event(1, "fetching"), event(2, "fresh"), event(50, "fetching", { key: "b" })]);
  assert.deepEqual(spans.visible(100, 200).map(({ name }) => name), []);
  assert.deepEqual(spans.visible(1000, 2000).map(({ name }) => name), ["b"]);
  assert.equal(lastActivity(spans.lanes.get("entry users/1"), 0, 15), 15);
  spans.trim(300);
  assert.equal(spans.lanes.has("entry users/1"), false);
});

// Requests in the timeline

const request = (id, t, more = {}) => ({ id, t, key: "users/1", method: "GET", url: "https://example.org/users/1", status: 200, bytes: 5, headMs: 4, ms: 10, error: null, curl: "curl", ...more });
const shownRequests = (lane) => lane.requests.map((span) => [span.request.id, span.start, span.end]);

test("a request is in the lane of its entry, in the order of time, and ends when it has a duration", () => {
  const spans = new Spans();
  spans.addAll([event(1, "fetching"), event(3, "fresh")]);
  for (const each of [request(1, 12, { ms: null, status: null }), request(2, 40), request(3, 20)]) spans.setRequest(each);
  const [lane] = spans.lanes.values();
  assert.equal(spans.lanes.size, 1);
  assert.deepEqual(shownRequests(lane), [[1, 12, null], [3, 20, 30], [2, 40, 50]]);
  const [first] = lane.requests;
  spans.setRequest(request(1, 12, { ms: 15 }));
  assert.deepEqual(shownRequests(lane), [[1, 12, 27], [3, 20, 30], [2, 40, 50]]);
  assert.equal(lane.requests[0], first);
  spans.setRequest(request(4, 60, { ms: null, status: null, error: "lost" }));
  assert.equal(lane.requests[3].end, 64);
});

test("requests without an entry have a lane only while there are any, and rows while they overlap", () => {
  const spans = new Spans();
  spans.addAll([event(1, "cleared", { key: null })]);
  assert.deepEqual([...spans.lanes.values()].map(({ name }) => name), ["client"]);
  for (const each of [request(1, 10, { key: null }), request(2, 15, { key: null }), request(3, 60, { key: null })]) spans.setRequest(each);
  const lane = spans.lanes.get("client requests");
  assert.deepEqual([lane.name, lane.requests.map(({ row }) => row)], ["requests", [0, 1, 0]]);
  for (const id of [1, 2, 3]) spans.removeRequest(id);
  assert.deepEqual([...spans.lanes.values()].map(({ name }) => name), ["client"]);
});

test("a lane is visible in the time of its requests, and while one runs", () => {
  const spans = new Spans();
  spans.setRequest(request(1, 100, { ms: null, status: null }));
  const names = (from, to) => spans.visible(from, to).map(({ name }) => name);
  assert.deepEqual([names(0, 90), names(90, 200), names(900, 1000)], [[], ["users/1"], ["users/1"]]);
  spans.setRequest(request(1, 100, { ms: 50 }));
  assert.deepEqual([names(120, 200), names(900, 1000)], [["users/1"], []]);
  assert.equal(lastActivity(spans.lanes.get("entry users/1"), 0, 1000), 150);
  spans.setRequest(request(2, 50, { ms: 10 }));
  assert.deepEqual(names(0, 90), ["users/1"]);
});

test("requests that the page forgot, or that ended before the history, leave the timeline", () => {
  const spans = new Spans();
  const facts = new Facts();
  const take = (...requests) => {
    const { requests: changed, removed } = facts.apply({ type: "requests", client: 1, requests });
    for (const each of changed) spans.setRequest(each);
    for (const id of removed) spans.removeRequest(id);
  };
  take(...Array.from({ length: 5000 }, (_, id) => request(id, id * 10)));
  take(request(5000, 50_000), request(5001, 50_010, { ms: null, status: null }));
  const lane = spans.lanes.get("entry users/1");
  assert.deepEqual([lane.requests.length, lane.requests[0].request.id, spans.requests.size, facts.requests.size], [5000, 2, 5000, 5000]);
  spans.trim(50_000);
  assert.deepEqual([...spans.requests.keys()], [4999, 5000, 5001]);
  assert.equal(lane.requests.length, 3);
  spans.trim(90_000);
  assert.deepEqual([...spans.requests.keys()], [5001]);
  spans.setRequest(request(5001, 50_010));
  spans.trim(99_000);
  assert.deepEqual([spans.lanes.size, spans.requests.size], [0, 0]);
});

// Facts

test("events that arrive late, or twice, are put where they belong", () => {
  const facts = new Facts();
  facts.client = 1;
  const take = (...numbers) => facts.apply({ type: "events", client: 1, events: numbers.map((n) => event(n, "fresh")) });
  take(5, 6);
  const change = take(1, 2, 5);
  assert.equal(change.isRebuilt, true);
  assert.deepEqual(facts.events.map(({ n }) => n), [1, 2, 5, 6]);
  assert.equal(take(7).isRebuilt, false);
});

test("messages of another client are ignored", () => {
  const facts = new Facts();
  facts.client = 1;
  assert.equal(facts.apply({ type: "state", client: 2 }), null);
  assert.equal(facts.state, null);
});

test("old events are trimmed", () => {
  const facts = new Facts(100);
  const change = facts.apply({ type: "events", client: 1, events: Array.from({ length: 120 }, (_, n) => event(n, "fresh")) });
  assert.equal(change.isTrimmed, true);
  assert.equal(facts.events.length, 100);
  assert.equal(facts.events[0].n, 20);
});

test("what a mutation caused is found by its name, until its next run", () => {
  const run = mutation(1, "mutating", "Rename");
  const events = [run, event(2, "invalidated", { causes: ["mutation Rename"] }), event(3, "fetching", { causes: ["invalidated", "mutation Rename"] }),
    { ...mutation(4, "mutated", "Rename"), causes: ["mutation Rename"] }, event(5, "invalidated", { causes: ["mutation RenameUser"] }), mutation(6, "mutating", "Rename"), event(7, "invalidated", { causes: ["mutation Rename"] })];
  events[1].mutationNumber = 2;
  assert.deepEqual(effects(events, run).map(({ n }) => n), [2, 3]);
  assert.deepEqual(effects([run, event(2, "optimistic", { mutationNumber: 1 }), event(3, "optimistic", { mutationNumber: 2 })], run).map(({ n }) => n), [2]);
  assert.deepEqual(effects(events, events[1]).map(({ n }) => n), [3]);
});

test("newer items that other entries took are caused by the value that brought them, up to the next one", () => {
  const took = (n, key, cause) => event(n, "written", { key, causes: [cause] });
  const events = [event(1, "fresh"), took(2, "users", "newer item in users/1"), took(3, "users", "newer item in users/12"), took(4, "users/1", "newer item in users/1, page 2"),
    took(5, "list", "newer item in users/1, page 2"), event(6, "stale"), event(7, "written", { causes: ["requested"] }), took(8, "users", "newer item in users/1")];
  assert.deepEqual(effects(events, events[0]).map(({ n }) => n), [2, 4, 5]);
  assert.deepEqual(effects(events, events[6]).map(({ n }) => n), [8]);
  assert.deepEqual(effects(events, events[5]), []);
});

test("what comes next is said with its time", () => {
  assert.equal(nextText({ what: "stale", at: 12_000 }, 0, span), "stale in 12 s");
  assert.equal(nextText({ what: "poll", at: 5 }, 10, span), "polls now");
  assert.equal(nextText(null, 0, span), "");
});

// Recordings

const hello = { type: "hello", version: 1, program: { name: "demo", pid: 1, system: "Linux" }, features: [], clients: [{ id: 1, name: "QueryClient" }] };
const state = { type: "state", client: 1, now: 5, origin: 0 };
const entries = (rows, more = {}) => ({ type: "entries", client: 1, reset: false, more: false, rows, removed: [], ...more });

test("where an item stands is known by its type and its identifier, and is part of a recording", () => {
  const places = (type, key) => ({ type: "item", client: 1, item: { type, id: "1" }, count: 1, entries: [{ key, isBehind: false }], origin: { key, page: null } });
  const facts = new Facts();
  const sent = [hello, state, places("User", "users"), places("Post", "posts"), places("User", "users/1")];
  facts.client = 1;
  assert.deepEqual(sent.map((message) => facts.apply(message)?.topic), ["hello", "state", "item", "item", "item"]);
  assert.equal(facts.apply({ ...sent[2], client: 2 }), null);
  assert.deepEqual(facts.places.get(itemKey({ type: "User", id: "1" })), sent[4]);
  assert.deepEqual([...facts.messages()].filter(({ type }) => type === "item"), [sent[3], sent[4]]);
  facts.forget();
  assert.equal(facts.places.size, 0);
});

test("a recording that is saved and read has the same messages", () => {
  const ring = new Ring();
  ring.clear(1);
  const sent = [hello, state, entries([row("users/1")], { reset: true }), { type: "events", client: 1, events: [event(1, "fresh")] }];
  sent.forEach((message, index) => ring.push(JSON.stringify(message), 100 + index));
  const text = [...ring.lines({ program: hello.program, client: { id: 1, name: "QueryClient" }, savedAt: 1000 })].join("\n");
  const recording = readRecording(`${text}\n`);
  assert.deepEqual(recording.messages.map(({ message }) => message), sent);
  assert.deepEqual(recording.messages.map(({ at }) => at), [100, 101, 102, 103]);
  assert.equal(recording.program.name, "demo");
});

test("a ring that is full keeps what it dropped as facts", () => {
  const ring = new Ring(2000);
  ring.clear(1);
  const full = new Facts();
  full.client = 1;
  const push = (message, at) => {
    ring.push(JSON.stringify(message), at);
    full.apply(message, at);
  };
  push(hello, 0);
  push(state, 1);
  push(entries([row("a"), row("b")], { reset: true }), 2);
  for (let n = 1; n < 60; n++) push({ type: "events", client: 1, events: [event(n, "fresh")] }, 3 + n);
  push(entries([row("c")]), 100);
  assert.ok(ring.size <= 2000);
  assert.ok(ring.count < 20);
  const recording = readRecording([...ring.lines({ program: hello.program, client: { id: 1 }, savedAt: 1 })].join("\n"));
  const replayed = new Facts();
  replayed.client = 1;
  for (const { message, at } of recording.messages) replayed.apply(message, at);
  assert.deepEqual([...replayed.rows.values()], [...full.rows.values()]);
  assert.deepEqual(replayed.events, full.events);
  assert.deepEqual(replayed.hello, full.hello);
});

test("a recording has every set of options that its rows name, whatever the ring dropped", () => {
  const ring = new Ring(1500);
  ring.clear(1);
  const set = (id) => ({ id, staleAfter: 1000 * id });
  ring.push(JSON.stringify(hello), 0);
  ring.push(JSON.stringify(state), 1);
  ring.push(JSON.stringify(entries([row("a", { options: 3 })], { reset: true, options: [set(3)] })), 2);
  ring.push(JSON.stringify(entries([row("b", { options: 4 })], { options: [set(4)] })), 3);
  for (let n = 1; n < 60; n++) ring.push(JSON.stringify({ type: "events", client: 1, events: [event(n, "fresh")] }), 3 + n);
  ring.push(JSON.stringify(entries([row("c", { options: 5 })], { options: [set(5)] })), 100);
  assert.equal(ring.base.rows.size, 2);
  const { messages } = readRecording([...ring.lines({ program: hello.program, client: { id: 1 }, savedAt: 1 })].join("\n"));
  const written = messages.map(({ message }) => message).filter(({ type }) => type === "entries");
  assert.deepEqual(written.map(({ options }) => options), [[set(3), set(4)], [set(5)]]);
});

test("sets of options are written once, and those before a reset are forgotten", () => {
  const facts = new Facts();
  facts.client = 1;
  facts.apply(state);
  facts.apply(entries([row("a", { options: 1 })], { reset: true, options: [{ id: 1 }] }));
  facts.apply(entries(Array.from({ length: 2500 }, (_, number) => row(`users/${number}`, { options: 2 })), { reset: true, options: [{ id: 2 }] }));
  const written = [...facts.messages()].filter(({ type }) => type === "entries");
  assert.deepEqual(written.map(({ options }) => options), [[{ id: 2 }], []]);
  facts.forget();
  assert.equal(facts.options.size, 0);
});

test("a player goes forward and back in time", () => {
  const messages = [[1, hello], [2, state], [3, entries([row("a")], { reset: true })], [4, entries([row("b")])]].map(([at, message]) => ({ at, message }));
  const facts = new Facts();
  let restarts = 0;
  const player = new Player({ messages }, { restart: () => { restarts += 1; facts.forget(); }, received: (message, at) => facts.apply(message, at) });
  player.seek(4);
  assert.equal(facts.rows.size, 2);
  player.seek(3);
  assert.deepEqual([facts.rows.size, restarts], [1, 2]);
  player.seek(99);
  assert.deepEqual([facts.rows.size, player.position, restarts], [2, 4, 2]);
});

test("files that are no recordings are refused with a reason", () => {
  assert.throws(() => readRecording(""), /not a recording/);
  assert.throws(() => readRecording("{\"type\":\"x\"}"), /not a recording/);
  assert.throws(() => readRecording("{\"type\":\"recording\",\"version\":2}"), /version 2/);
  assert.throws(() => readRecording("{\"type\":\"recording\",\"version\":1}\n{]"), /damaged in line 2/);
  assert.throws(() => readRecording("{\"type\":\"recording\",\"version\":1}\n{\"at\":1}"), /Line 2/);
  assert.throws(() => readRecording("{\"type\":\"recording\",\"version\":1}"), /empty/);
});

// The connection, and a desk

class FakeSocket {
  static all = [];
  readyState = 0;
  sent = [];
  constructor(address) {
    this.address = address;
    FakeSocket.all.push(this);
  }
  send(text) { this.sent.push(text); }
  open() {
    this.readyState = 1;
    this.onopen?.();
  }
  close() {
    assert.notEqual(this.readyState, 0, "closed before it was open");
    this.readyState = 3;
    this.onclose();
  }
}

/** A connection over sockets that a test holds. Messages are taken at once. */
function connect() {
  globalThis.WebSocket = FakeSocket;
  FakeSocket.all = [];
  const received = [];
  const standings = [];
  const connection = new Connection({ address: "ws://desk/socket?token=t",
    received: (message) => received.push(message), changed: () => standings.push(connection.standing) });
  connection.arrived = (text) => connection.take(text);
  const give = (message, socket = FakeSocket.all.at(-1)) => socket.onmessage({ data: JSON.stringify(message) });
  FakeSocket.all[0].open();
  return { connection, received, standings, give, sockets: FakeSocket.all };
}
const shop = { id: 1, name: "Shop", pid: 77, system: "iOS 26.1", address: "192.168.1.7" };
const cart = { ...shop, id: 2, name: "Cart", pid: 78 };
const desk = (program, ...programs) => ({ type: "programs", programs, program, dial: [], recording: null });

test("a desk without a program is waited for, and joining connects anew without a loss", () => {
  const { connection, received, standings, give, sockets } = connect();
  give(desk(null));
  assert.equal(connection.standing, "waiting");
  give(desk(null, shop));
  connection.join(1);
  sockets[1].open();
  assert.deepEqual(sockets.map(({ address, readyState }) => [address, readyState]), [["ws://desk/socket?token=t", 3], ["ws://desk/socket?token=t&program=1", 1]]);
  give(desk(1, shop));
  give(hello);
  assert.deepEqual(standings, ["waiting", "connecting", "open"]);
  assert.deepEqual(received.map(({ type }) => type), ["programs", "programs", "programs", "hello"]);
});

test("after another program was chosen, messages of the one before are not taken", async () => {
  const { connection, received, give, sockets } = connect();
  give(desk(1, shop, cart));
  give(hello);
  const question = connection.ask({ type: "do" });
  connection.texts = [JSON.stringify(state)];
  connection.join(2);
  assert.equal(connection.texts.length, 0);
  await assert.rejects(question, /Another program/);
  give(state, sockets[0]);
  assert.deepEqual(received.map(({ type }) => type), ["programs", "hello"]);
  await assert.rejects(connection.ask({ type: "do" }), /no connection/);
});

test("programs that are chosen quickly leave one connection", () => {
  const { connection, standings, sockets } = connect();
  connection.join(1);
  connection.join(2);
  for (const socket of sockets.slice(1)) socket.open();
  assert.deepEqual(sockets.map(({ readyState }) => readyState), [3, 3, 1]);
  assert.ok(!standings.includes("lost"));
});

test("when the program leaves, what was asked for fails, and the next connection is to the desk alone", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { connection, give, sockets } = connect();
  connection.join(1);
  sockets[1].open();
  give(desk(1, shop));
  give(hello);
  const question = connection.ask({ type: "do" });
  give(desk(null));
  assert.equal(connection.standing, "waiting");
  await assert.rejects(question, /has left/);
  sockets[1].close();
  assert.equal(connection.standing, "lost");
  context.mock.timers.tick(500);
  assert.equal(sockets[2].address, "ws://desk/socket?token=t");
});

test("a lost connection to a desk joins the same program again", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { connection, give, sockets } = connect();
  connection.join(2);
  sockets[1].open();
  give(desk(2, shop, cart));
  give(hello);
  sockets[1].close();
  assert.equal(connection.standing, "lost");
  connection.take(JSON.stringify(hello));
  assert.equal(connection.standing, "lost");
  context.mock.timers.tick(500);
  assert.equal(sockets[2].address, "ws://desk/socket?token=t&program=2");
});

test("a program that is chosen while the connection is lost is connected to once", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { connection, sockets } = connect();
  sockets[0].close();
  connection.join(1);
  context.mock.timers.tick(5000);
  assert.deepEqual(sockets.map(({ address }) => address), ["ws://desk/socket?token=t", "ws://desk/socket?token=t&program=1"]);
});

test("the page joins the program of the remembered name, else the newest, unless one was chosen", () => {
  const other = { ...cart, id: 3 };
  assert.equal(programToJoin(desk(null), null, false), undefined);
  assert.equal(programToJoin(desk(null, shop, cart), null, false), cart);
  assert.equal(programToJoin(desk(null, shop, cart), "Shop", false), shop);
  assert.equal(programToJoin(desk(null, cart, other, shop), "Cart", true), other);
  assert.equal(programToJoin(desk(null, cart), "Shop", false), cart);
  assert.equal(programToJoin(desk(null, cart), "Shop", true), undefined);
});

test("the page stays with the program that it has joined, unless its number now means another one", () => {
  assert.equal(programToJoin(desk(1, shop, cart), "Shop", false), undefined);
  assert.equal(programToJoin(desk(1, shop, { ...shop, id: 3 }), "Shop", true), undefined);
  assert.equal(programToJoin(desk(2, shop, cart), "Shop", true), shop);
  assert.equal(programToJoin(desk(2, cart), "Shop", true), undefined);
});

test("a ring tells what was last known", () => {
  const ring = new Ring(1200);
  ring.clear(1);
  const full = new Facts();
  full.client = 1;
  for (const [at, message] of [hello, state, ...["a", "b", "c", "d", "e", "f"].map((key, place) => entries([row(key)], { reset: place === 0 }))].entries()) {
    ring.push(JSON.stringify(message), at);
    full.apply(message, at);
  }
  assert.ok(ring.count < 8);
  const known = new Facts();
  known.client = 1;
  for (const { text, at } of ring.texts()) known.apply(JSON.parse(text), at);
  assert.deepEqual([...known.rows.keys()], [...full.rows.keys()]);
  assert.deepEqual(known.hello, full.hello);
});

// Values

const marksOf = (item) => [[item.node.name ?? item.node.text, item.mark], ...(item.children ?? []).flatMap(marksOf)].filter(([, mark]) => mark);

test("fields that changed, came and went are marked", () => {
  const before = object("note", leaf("title", "\"Milk\""), leaf("done", "false"), leaf("old", "1"));
  const after = object("note", leaf("title", "\"Bread\""), leaf("done", "false"), leaf("new", "2"));
  const result = diff(before, after);
  assert.deepEqual(marksOf(result), [["note", "inside"], ["title", "changed"], ["new", "added"], ["old", "removed"]]);
  assert.equal(result.children[0].before, "\"Milk\"");
  assert.deepEqual(marksOf(diff(before, structuredClone(before))), []);
});

test("elements of lists are compared from both ends", () => {
  const marks = (before, after) => marksOf(diff(list(...before), list(...after)));
  assert.deepEqual(marks(["a", "b", "c"], ["a", "x", "c"]), [["items", "inside"], ["x", "changed"]]);
  assert.deepEqual(marks(["a", "b"], ["a", "n", "b"]), [["items", "inside"], ["n", "added"]]);
  assert.deepEqual(marks(["a", "b", "c"], ["c"]), [["items", "inside"], ["a", "removed"], ["b", "removed"]]);
  assert.deepEqual(marks(["a", "b", "c", "d"], ["b", "c", "x"]), [["items", "inside"], ["x", "added"], ["a", "removed"], ["d", "removed"]]);
});

test("a value of another type changed as a whole, and a count that differs is a change", () => {
  assert.equal(diff(leaf("a", "1", "Int"), object("a", leaf("b", "1"))).mark, "changed");
  const cut = (count) => ({ ...list("a"), count });
  assert.equal(diff(cut(500), cut(501)).mark, "changed");
  assert.equal(diff(null, leaf("a", "1")).mark, null);
});

test("values have a short text", () => {
  assert.equal(summary(object(null, leaf("id", "1"), object("edit", leaf("by", "x")))), "id: 1, edit: …");
  assert.equal(plain(object(null, leaf("id", "1"))).children[0].mark, null);
});

test("JSON is indented, unless digits would be lost", () => {
  const json = "{\"id\":12345678901234567890,\"a\":[1,{}]}";
  assert.equal(pretty(json), json);
  assert.equal(pretty("{\"a\":[1]}"), "{\n  \"a\": [\n    1\n  ]\n}");
});

test("records are said with their size, time and cache", () => {
  const origin = new Date(2026, 10, 27, 9, 30, 0).getTime();
  const record = { cache: "SQLiteQueryCache", bytes: 321, savedAt: -1000, isStale: false };
  assert.equal(recordText(record, origin), "321 B, saved at 27/11/2026, 09:29:59, in SQLiteQueryCache");
  assert.equal(recordText({ ...record, isStale: true, savedAt: null }, origin), "321 B, stale, in SQLiteQueryCache");
});

test("times and sizes have short texts", () => {
  assert.deepEqual([0, 4.26, 340, 1234, 12_000].map(duration), ["0 ms", "4.3 ms", "340 ms", "1.2 s", "12 s"]);
  assert.deepEqual([900, 99_000, 200_000, 7_200_000, 3e8].map(span), ["1 s", "99 s", "3 min", "2 h", "3 d"]);
  assert.deepEqual([null, 999, 1200, 45_000, 3.2e6].map(bytes), ["–", "999 B", "1.2 KB", "45 KB", "3.2 MB"]);
});
