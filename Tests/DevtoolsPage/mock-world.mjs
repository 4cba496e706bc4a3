// A world that behaves like a program with a Pigeon client: entries that are observed, fetched, polled, fail and age,
// pages, mutations with optimistic changes, and an outbox. It knows nothing of sockets.

const names = ["Ada", "Grace", "Linus", "Barbara", "Edsger", "Margaret", "Ken", "Radia", "Donald", "Frances"];
const words = ["Milk", "Bread", "Plan the release", "Call the plumber", "Water the plants", "Read the paper", "Fix the fence", "Book a train"];

/** Random numbers that are the same in each run. */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function node(value, type, name = null) {
  if (Array.isArray(value)) {
    const shown = value.slice(0, 200);
    return { name, type: type ?? "Array", text: null, children: shown.map((item) => node(item)), count: value.length > 200 ? value.length : null };
  }
  if (value === null) return { name, type: "Optional", text: "nil", children: null, count: null };
  if (typeof value === "object") {
    const { $type, ...fields } = value;
    return { name, type: type ?? $type ?? "Dictionary", text: null, children: Object.entries(fields).map(([key, item]) => node(item, undefined, key)), count: null };
  }
  const kind = { string: "String", number: Number.isInteger(value) ? "Int" : "Double", boolean: "Bool" }[typeof value];
  return { name, type: kind, text: JSON.stringify(value), children: null, count: null };
}

const fetchKinds = new Set(["fetching", "joined", "paused", "resumed", "retrying", "fresh", "notModified", "failed", "cancelled"]);

export class World {
  entries = new Map();
  byKey = new Map();
  events = [];
  waiting = [];
  setAside = [];
  requests = [];
  counters = { fetches: 0, hits: 0, joined: 0, failures: 0, events: 0, dropped: 0 };
  isOnline = true;
  isActive = true;
  nextId = 1;
  changed = new Set();
  removed = [];
  newEvents = [];
  newRequests = [];
  outboxChanged = false;
  timers = new Set();

  constructor({ entries = 300, canAdvance = false, seed = 7, isQuiet = false } = {}) {
    this.random = random(seed);
    this.pictureRandom = random(seed + 1);
    this.start = performance.now() - 600_000;
    this.origin = Date.now() - 600_000;
    this.canAdvance = canAdvance;
    this.shift = 0;
    this.makeEntries(entries);
    this.makeOutbox();
    if (!isQuiet) this.live();
  }

  now() {
    return this.canAdvance ? 600_000 + this.shift : performance.now() - this.start;
  }

  stop() {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.isStopped = true;
  }

  after(ms, work) {
    if (this.isStopped) return null;
    const timer = setTimeout(() => { this.timers.delete(timer); work(); }, ms);
    this.timers.add(timer);
    return timer;
  }

  pick(items) {
    return items[Math.floor(this.random() * items.length)];
  }

  // Entries

  makeEntries(count) {
    this.add(["session"], "Session", { isPrivate: true, observers: 1 });
    this.add(["settings"], "Settings", { observers: 1, tags: ["local"], isPersisted: true, isEditable: true });
    this.add(["feed"], "[Story]", { observers: 1, pages: ["1", "2"], tags: ["feed"] });
    this.add(["users"], "[User]", { observers: 1, tags: ["team"] });
    this.add(["search", "plants"], "[Note]", {});
    this.add(["search", "release <script>alert(1)</script>"], "[Note]", {});
    this.add(["weather", "berlin"], "Weather", { observers: 2, poll: 5000, validators: [["ETag", "\"w-81\""], ["Last-Modified", "Thu, 26 Nov 2026 09:00:00 GMT"]] });
    this.add(["weather", "lima"], "Weather", { observers: 1, poll: 8000 });
    for (let index = 1; index <= 12; index++) this.add(["teams", String(index), "members"], "[User]", { tags: ["team"] });
    for (let index = 1; this.entries.size < count; index++) {
      if (index % 3 === 0) this.add(["notes", String(index / 3)], "Note", { isPersisted: true, isEditable: true, observers: index < 40 ? 1 : 0 });
      else this.add(["users", String(index - Math.floor(index / 3))], "User", { tags: ["team"], observers: index < 9 ? 1 : 0 });
    }
  }

  add(path, type, options) {
    const id = this.nextId++;
    const now = this.now();
    const age = this.random() * 240_000;
    const isPrivate = Boolean(options.isPrivate);
    const key = isPrivate ? `private ${id}` : path.join("/");
    const staleAfter = options.poll ?? 30_000 + this.random() * 300_000;
    const entry = {
      row: { id, key, path: isPrivate ? [key] : path, type, state: "empty", activity: "idle", observers: options.observers ?? 0, waiters: 0, isOptimistic: false,
        tags: options.tags ?? [], bytes: null, updatedAt: null, error: null, fault: null, isPrivate, next: null, options: options.poll ? 2 : 1 },
      ...options, staleAfter, version: 0, versions: [], layers: [], causes: ["observed"], generation: 0, value: null,
    };
    this.entries.set(id, entry);
    this.byKey.set(key, entry);
    if (this.random() < 0.92 || options.observers) {
      entry.value = this.makeValue(entry);
      entry.version = 1;
      entry.row.bytes = isPrivate ? null : JSON.stringify(entry.value).length;
      entry.row.updatedAt = now - age;
      entry.row.state = age > staleAfter ? "stale" : "fresh";
      entry.row.next = entry.row.state === "fresh" ? { what: "stale", at: now - age + staleAfter } : null;
      if (!options.observers && this.random() < 0.04) Object.assign(entry.row, { state: "failed", error: "HTTP status 503", next: null });
    }
    return entry;
  }

  makeValue({ row: { type, path } }) {
    const name = this.pick(names);
    const user = (id) => ({ $type: "User", id: Number(id), name: this.pick(names), mail: `${name.toLowerCase()}@example.org`, isActive: this.random() > 0.2, age: 20 + Math.floor(this.random() * 50), manager: null });
    if (type === "User") return user(path[1]);
    if (type === "Note") return { $type: "Note", id: Number(path[1]), title: this.pick(words), isDone: this.random() > 0.5, labels: ["home", this.pick(["now", "later"])], edited: { $type: "Edit", by: name, at: Math.floor(this.random() * 1e6) } };
    if (type === "Weather") return { $type: "Weather", city: path[1], temperature: Math.round(this.random() * 300) / 10, wind: Math.round(this.random() * 100) / 10, sky: this.pick(["clear", "cloudy", "rain"]), hours: [3, 6, 9, 12].map((hour) => ({ $type: "Hour", hour, temperature: Math.round(this.random() * 300) / 10 })) };
    if (type === "Settings") return { $type: "Settings", theme: this.pick(["light", "dark"]), language: "en", notifications: true };
    if (type === "[Story]") return [1, 2, 3, 4, 5, 6].map((id) => ({ $type: "Story", id, title: this.pick(words), points: Math.floor(this.random() * 300) }));
    if (type === "Session") return { token: "never sent" };
    return [1, 2, 3].map(user);
  }

  touch(entry) {
    this.changed.add(entry.row.id);
  }

  // Events

  event(kind, { entry = null, fetch = null, mutation = null, mutationNumber = null, text = kind, causes = [], isFailure = false }) {
    this.counters.events += 1;
    if (fetchKinds.has(kind)) fetch = entry.fetchNumber;
    const event = { n: this.counters.events, t: this.now(), id: entry?.row.id ?? null, key: entry?.row.key ?? null, fetch, mutation, mutationNumber, kind, text, causes, isFailure };
    this.events.push(event);
    if (this.events.length > 5000) this.events.shift();
    this.newEvents.push(event);
    if (entry) this.touch(entry);
    return event;
  }

  fetch(entry, causes, attempt = 1) {
    if (entry.row.activity === "fetching" && attempt === 1) {
      this.counters.joined += 1;
      return this.event("joined", { entry, causes: ["requested"] });
    }
    const generation = ++entry.generation;
    if (attempt === 1) entry.fetchNumber = generation;
    entry.causes = causes;
    entry.row.activity = this.isOnline ? "fetching" : "paused";
    this.counters.fetches += 1;
    this.event("fetching", { entry, text: attempt > 1 ? "fetching again" : "fetching", causes });
    if (!this.isOnline) {
      entry.isWaiting = true;
      entry.row.next = null;
      return this.event("paused", { entry, causes });
    }
    entry.row.next = { what: "timeLimit", at: this.now() + 30_000 };
    const { fault } = entry.row;
    const delay = fault === "slow" ? entry.faultDelay : 60 + this.random() ** 3 * 2500;
    const request = this.request(entry.row.isPrivate ? null : entry.row.key, `v1/${entry.row.path.map(encodeURIComponent).join("/")}`);
    if (fault === "hang") return;
    this.after(delay, () => {
      if (entry.generation !== generation) return;
      this.answered(entry, request, delay, attempt, fault === "fail" || this.random() < (entry.row.path[0] === "search" ? 0.5 : 0.06));
    });
  }

  request(key, path) {
    const url = `https://api.example.org/${path}`;
    const request = { id: this.nextId++, t: this.now(), key, method: "GET", url, status: null, bytes: null, headMs: null, ms: null, error: null, curl: `curl -H 'Accept: application/json' '${url}'` };
    this.newRequest(request);
    return request;
  }

  /** Pictures belong to no entry. Some are loaded at the same time. Their chances are their own, so that entries have the same fate without them. */
  loadPictures() {
    const chance = this.pictureRandom;
    for (let count = 1 + Math.floor(chance() * 4); count > 0; count--) {
      const request = this.request(null, `pictures/${Math.floor(chance() * 900)}.jpg`);
      const ms = 200 + chance() * 1800;
      const status = chance() < 0.2 ? 404 : 200;
      this.after(ms, () => this.newRequest(Object.assign(request, { ms, headMs: ms * 0.3, status, bytes: 48_000 })));
    }
    this.after(2000 + chance() * 4000, () => this.loadPictures());
  }

  newRequest(request) {
    const known = this.requests.findIndex(({ id }) => id === request.id);
    if (known < 0) this.requests.push(request);
    if (this.requests.length > 500) this.requests.shift();
    if (!this.newRequests.includes(request)) this.newRequests.push(request);
  }

  answered(entry, request, ms, attempt, hasFailed) {
    const { row } = entry;
    Object.assign(request, { ms, headMs: ms * 0.8, status: hasFailed ? this.pick([503, 503, null]) : 200 });
    if (request.status === null) request.error = "The network connection was lost.";
    if (hasFailed) return this.attemptFailed(entry, request, attempt);
    const isSame = this.random() < 0.15 && entry.validators;
    if (isSame) request.status = 304;
    if (!isSame) this.newValue(entry, this.changedValue(entry), "fresh");
    request.bytes = isSame ? 0 : row.bytes ?? 640;
    this.newRequest(request);
    this.settle(entry);
    this.event(isSame ? "notModified" : "fresh", { entry, text: isSame ? "not modified" : "fresh" });
  }

  attemptFailed(entry, request, attempt) {
    const { row } = entry;
    this.newRequest(request);
    const reason = request.error ? "network connection lost" : "HTTP status 503";
    if (attempt < 3) {
      const wait = 600 * attempt;
      row.next = { what: "retry", at: this.now() + wait };
      this.event("retrying", { entry, text: `retrying in ${wait} ms after ${reason}`, causes: entry.causes, isFailure: true });
      const { generation } = entry;
      this.after(wait, () => {
        if (entry.generation === generation) this.fetch(entry, [`retry ${attempt} after ${reason}`, ...entry.causes.filter((cause) => !cause.startsWith("retry"))], attempt + 1);
      });
      return;
    }
    this.counters.failures += 1;
    Object.assign(row, { state: "failed", activity: "idle", error: reason, next: entry.poll ? { what: "poll", at: this.now() + entry.poll } : null });
    if (entry.poll) this.after(entry.poll, () => this.fetch(entry, ["poll"]));
    this.event("failed", { entry, text: `failed: ${reason}`, causes: entry.causes, isFailure: true });
  }

  settle(entry) {
    const { row } = entry;
    Object.assign(row, { state: "fresh", activity: "idle", error: null, updatedAt: this.now() });
    const after = entry.poll ?? Math.min(entry.staleAfter, 6000 + this.random() * 60_000);
    row.next = { what: entry.poll ? "poll" : "stale", at: this.now() + after };
    const { generation } = entry;
    this.after(after, () => {
      if (entry.generation !== generation || row.activity !== "idle") return;
      if (entry.poll) return this.fetch(entry, ["poll"]);
      row.state = "stale";
      row.next = row.observers === 0 ? { what: "collect", at: this.now() + 120_000 } : null;
      this.event("stale", { entry, causes: ["aged"] });
    });
  }

  changedValue(entry) {
    const fresh = this.makeValue(entry);
    if (Array.isArray(entry.value) && Array.isArray(fresh)) {
      const value = structuredClone(entry.value);
      const place = Math.floor(this.random() * value.length);
      value[place] = { ...value[place], ...Object.fromEntries(Object.entries(fresh[0]).slice(2)) };
      if (this.random() < 0.4) value.push(fresh[fresh.length - 1]);
      return value;
    }
    return fresh;
  }

  newValue(entry, value, cause) {
    entry.value = value;
    entry.version += 1;
    entry.row.bytes = entry.row.isPrivate ? null : JSON.stringify(value).length;
    entry.versions.push({ version: entry.version, t: this.now(), cause, value: node(value) });
    if (entry.versions.length > 50) entry.versions.shift();
    this.touch(entry);
  }

  invalidate(entry, causes) {
    if (entry.row.state === "fresh") entry.row.state = "stale";
    this.event("invalidated", { entry, causes });
    if (entry.row.observers > 0 && entry.row.activity === "idle") this.after(5, () => this.fetch(entry, ["invalidated", ...causes]));
  }

  // What happens by itself

  live() {
    const again = (least, most, work) => {
      const next = () => this.after(least + this.random() * (most - least), () => {
        if (this.byKey.size > 0) work();
        next();
      });
      next();
    };
    const some = () => this.pick([...this.byKey.values()].slice(0, 120));
    for (const entry of this.byKey.values()) if (entry.poll) this.after(this.random() * entry.poll, () => this.fetch(entry, ["poll"]));
    again(200, 900, () => { this.counters.hits += 1 + Math.floor(this.random() * 4); });
    again(300, 1200, () => this.fetch(some(), [this.pick(["observed", "requested", "prefetched"])]));
    again(2500, 6000, () => this.invalidate(some(), ["requested"]));
    again(3000, 6000, () => this.mutate());
    again(4000, 9000, () => this.observe(some()));
    again(6000, 9000, () => this.loadPage());
    again(9000, 16_000, () => this.enqueue());
    this.after(2000, () => this.loadPictures());
    again(12_000, 20_000, () => this.event("hydrated", { entry: some(), causes: ["another process"] }));
    again(20_000, 40_000, () => this.event("misuse", { entry: some(), text: "misuse: the key is used with another type", isFailure: true }));
    again(15_000, 25_000, () => this.createAndRemove());
  }

  observe(entry) {
    entry.row.observers = this.random() < 0.5 ? Math.max(0, entry.row.observers - 1) : entry.row.observers + 1;
    entry.row.waiters = 0;
    this.touch(entry);
    if (entry.row.state === "stale" && entry.row.observers > 0) this.fetch(entry, ["observed"]);
  }

  createAndRemove() {
    const entry = this.add(["search", `words ${this.nextId}`], "[Note]", {});
    this.fetch(entry, ["requested"]);
    this.after(14_000, () => this.remove(entry, ["unused"]));
  }

  remove(entry, causes) {
    entry.generation += 1;
    this.entries.delete(entry.row.id);
    this.byKey.delete(entry.row.key);
    this.removed.push(entry.row.id);
    this.event("removed", { entry, causes });
    this.changed.delete(entry.row.id);
  }

  loadPage() {
    const entry = this.byKey.get("feed");
    if (!entry || entry.row.activity !== "idle") return;
    if (entry.pages.length > 7) entry.pages.splice(2);
    entry.row.activity = "fetching";
    const fetch = ++entry.generation;
    this.event("loadingPage", { entry, fetch, text: "loading next page", causes: ["next page", "requested"] });
    this.after(400 + this.random() * 800, () => {
      entry.row.activity = "idle";
      if (this.random() < 0.1) return this.event("pageFailed", { entry, fetch, text: "next page failed: HTTP status 503", causes: ["next page"], isFailure: true });
      entry.pages.push(String(Number(entry.pages.at(-1)) + 1));
      this.newValue(entry, [...entry.value, { $type: "Story", id: entry.value.length + 1, title: this.pick(words), points: 1 }].slice(-300), "next page");
      this.event("page", { entry, fetch, text: "next page" });
    });
  }

  mutate(name = this.pick(["RenameUser", "RenameNote", "ToggleNote"])) {
    const pool = [...this.byKey.values()].filter(({ row, value }) => row.type === (name === "RenameUser" ? "User" : "Note") && !row.isOptimistic && value !== null).slice(0, 8);
    const entry = this.pick(pool);
    if (!entry) return;
    const before = structuredClone(entry.value);
    const value = { ...before, ...(name === "RenameUser" ? { name: this.pick(names) } : name === "RenameNote" ? { title: this.pick(words) } : { isDone: !before.isDone }) };
    const mutationNumber = this.nextId++;
    this.event("mutating", { mutation: name, mutationNumber, causes: ["requested"] });
    Object.assign(entry, { base: before, layers: [{ mutation: name, value: node(value) }] });
    entry.row.isOptimistic = true;
    this.newValue(entry, value, "optimistic");
    this.event("optimistic", { entry, mutationNumber, text: "changed optimistically", causes: [`mutation ${name}`] });
    this.after(1200 + this.random() * 2500, () => {
      const hasFailed = this.random() < 0.2;
      entry.row.isOptimistic = false;
      entry.layers = [];
      entry.base = null;
      if (hasFailed) {
        this.newValue(entry, before, "rolled back");
        this.event("rolledBack", { entry, mutationNumber, text: "rolled back", causes: [`mutation ${name}`] });
        this.event("mutationFailed", { mutation: name, mutationNumber, text: "failed: HTTP status 409", causes: ["requested"], isFailure: true });
      } else {
        this.event("mutated", { mutation: name, mutationNumber, text: "succeeded", causes: ["requested"] });
        this.invalidate(entry, [`mutation ${name}`]);
        const list = this.byKey.get("users");
        if (name === "RenameUser" && list) this.invalidate(list, [`mutation ${name}`]);
      }
    });
  }

  // The outbox

  makeOutbox() {
    const item = (name, note, stage, more) => ({ id: this.nextId++, name, scope: `notes/${note}`, enqueuedAt: this.now() - this.random() * 400_000, attempts: 0, stage, reason: "network", error: null, edits: [`notes/${note}`], ...more });
    this.waiting.push(item("RenameNote", 7, "waiting", { attempts: 3, error: "HTTP status 503", reason: "retry" }), item("DeleteNote", 9, "waiting", {}));
    this.setAside.push(item("RenameNote", 2, "setAside", { attempts: 5, error: "HTTP status 422: the title is too long", reason: "refused" }));
  }

  enqueue() {
    if (this.waiting.length > 5) return;
    const note = 1 + Math.floor(this.random() * 20);
    const item = { id: this.nextId++, name: "RenameNote", scope: `notes/${note}`, enqueuedAt: this.now(), attempts: 1, stage: "running", reason: null, error: null, edits: [`notes/${note}`] };
    this.waiting.push(item);
    this.outboxChanged = true;
    this.event("enqueued", { mutation: "RenameNote", mutationNumber: item.id, causes: ["requested"] });
    this.after(4000, () => this.finish(item));
  }

  finish(item) {
    this.waiting = this.waiting.filter(({ id }) => id !== item.id);
    this.outboxChanged = true;
  }

  // What the page asks for

  matching({ kind, value }) {
    const all = [...this.byKey.values()];
    if (kind === "all") return all;
    if (kind === "key") return all.filter(({ row }) => row.key === value);
    if (kind === "tag") return all.filter(({ row }) => row.tags.includes(value));
    return all.filter(({ row }) => row.key === value || row.key.startsWith(`${value}/`));
  }

  do(request) {
    const { action } = request;
    const entries = request.filter ? this.matching(request.filter) : [];
    const said = (text) => ({ text: `${entries.length} ${entries.length === 1 ? "entry" : "entries"} ${text}` });
    switch (action) {
      case "refetch": for (const entry of entries) this.fetch(entry, ["requested"]); return said("refetched");
      case "invalidate": for (const entry of entries) this.invalidate(entry, ["requested"]); return said("invalidated");
      case "cancel": for (const entry of entries) this.cancel(entry); return said("cancelled");
      case "reset": for (const entry of entries) this.reset(entry); return said("reset");
      case "remove": for (const entry of entries) this.remove(entry, ["requested"]); return said("removed");
      case "fault": for (const entry of entries) this.setFault(entry, request); return said(request.fault ? `set to ${request.fault}` : "without a fault");
      case "edit": return this.edit(request);
      case "online": this.setOnline(request.on); return { text: request.on ? "The client is online" : "The client is offline" };
      case "active": this.isActive = request.on; return { text: request.on ? "In the foreground" : "In the background" };
      case "memoryPressure": return { text: "14 entries evicted" };
      case "advance": this.shift += request.ms; return { text: `The clock advanced by ${request.ms} ms` };
      case "clear": for (const entry of [...this.byKey.values()]) this.remove(entry, ["cleared"]); this.event("cleared", {}); return { text: "The client was cleared" };
      case "retry": case "discard": return this.outboxAction(request);
      default: return { error: `There is no action ${action}.` };
    }
  }

  cancel(entry) {
    if (entry.row.activity === "idle") return;
    entry.generation += 1;
    entry.row.activity = "idle";
    entry.row.next = null;
    this.event("cancelled", { entry, causes: ["requested"] });
  }

  reset(entry) {
    this.cancel(entry);
    Object.assign(entry, { value: null, layers: [] });
    Object.assign(entry.row, { state: "empty", updatedAt: null, bytes: null, error: null, next: null, isOptimistic: false });
    this.touch(entry);
  }

  setFault(entry, { fault, ms }) {
    entry.row.fault = fault;
    entry.faultDelay = ms;
    this.touch(entry);
  }

  edit({ key, json }) {
    const entry = this.byKey.get(key);
    if (!entry) return { error: "The entry is gone." };
    this.newValue(entry, { $type: entry.row.type, ...JSON.parse(json) }, "written");
    this.settle(entry);
    this.event("written", { entry, causes: ["requested"] });
    return { text: "Written" };
  }

  setOnline(isOnline) {
    this.isOnline = isOnline;
    if (!isOnline) return;
    for (const entry of this.byKey.values()) {
      if (!entry.isWaiting) continue;
      entry.isWaiting = false;
      this.event("resumed", { entry, causes: ["reconnect"] });
      const { generation } = entry;
      this.after(300, () => {
        if (entry.generation !== generation) return;
        this.settle(entry);
        this.event("fresh", { entry });
      });
    }
  }

  outboxAction({ action, item }) {
    const known = [...this.waiting, ...this.setAside].find(({ id }) => id === item);
    if (!known) return { error: "The mutation is no longer in the outbox." };
    this.setAside = this.setAside.filter(({ id }) => id !== item);
    this.waiting = this.waiting.filter(({ id }) => id !== item);
    this.outboxChanged = true;
    if (action === "discard") return { text: `${known.name} was discarded` };
    Object.assign(known, { stage: "running", error: null, reason: null });
    this.waiting.push(known);
    this.after(3000, () => this.finish(known));
    return { text: `${known.name} is tried again` };
  }

  // What the page is told

  get options() {
    return [{ id: 1, staleAfter: 30_000 }, { id: 2, staleAfter: 0, pollEvery: 5000 }];
  }

  state(client) {
    let bytes = 0;
    for (const { row } of this.entries.values()) bytes += row.bytes ?? 0;
    return { type: "state", client, now: this.now(), origin: this.origin, isOnline: this.isOnline, isActive: this.isActive, canAdvance: this.canAdvance, budget: Math.max(100_000, Math.round(bytes * 1.5)), bytes, entryCount: this.entries.size, counters: this.counters,
      caches: [{ name: "SQLiteQueryCache", records: 118, bytes: 262_144, oldestAt: -86_400_000, newestAt: Math.floor(this.now() / 20_000) * 20_000 },
        { name: "InMemoryQueryCache", records: null, bytes: null, oldestAt: null, newestAt: null }] };
  }

  outbox(client) {
    return { type: "outbox", client, waiting: this.waiting, setAside: this.setAside, problems: [] };
  }

  /** The last two observers are at one place. */
  observers({ type, observers }) {
    const name = type.replace(/\W/g, "");
    const lone = Array.from({ length: Math.max(0, observers - 2) }, (_, index) => ({ name: "observer", place: index === 0 ? null : `Shop/${name}Row.swift:${12 + index * 9}`, count: 1 }));
    return observers === 0 ? [] : [...lone, { name: "observer", place: `Shop/${name}View.swift:42`, count: Math.min(2, observers) }];
  }

  /** A record is read from disk, which takes a moment. */
  record(entry) {
    const { row, isPersisted } = entry;
    if (!isPersisted) return null;
    if (!entry.hasReadRecord) {
      this.after(600, () => { entry.hasReadRecord = true; this.touch(entry); });
      return { isReading: true };
    }
    return { cache: "SQLiteQueryCache", savedAt: row.updatedAt, bytes: 321, isStale: row.state === "stale" };
  }

  /** The identifiers of the items in an entry, with the name of their type. Null if it contains none. */
  items({ row, value }) {
    const type = { User: "User", "[User]": "User", "[Story]": "Story" }[row.type];
    if (!type || value === null) return null;
    return { type, ids: [...new Set([value].flat().map(({ id }) => String(id)))].sort((a, b) => a - b) };
  }

  /** Where an item stands. The newest came from the entry that was updated last. */
  places(client, { type, id }) {
    const found = [...this.byKey.values()].filter((entry) => {
      const items = this.items(entry);
      return items?.type === type && items.ids.includes(id);
    });
    const [newest] = [...found].sort((a, b) => b.row.updatedAt - a.row.updatedAt);
    const entries = found.map(({ row }) => ({ key: row.key, isBehind: row.isOptimistic })).sort((a, b) => (a.key < b.key ? -1 : 1));
    return { type: "item", client, item: { type, id }, count: entries.length, entries: entries.slice(0, 200), origin: newest ? { key: newest.row.key, page: newest.pages ? 1 : null } : null };
  }

  detail(key) {
    const entry = this.byKey.get(key);
    if (!entry) return null;
    const { row } = entry;
    const hasValue = entry.value !== null && !row.isPrivate;
    const items = this.items(entry);
    const why = [`It is ${row.activity === "idle" ? row.state : row.activity}${row.activity !== "idle" ? ` because of: ${entry.causes[0]}` : row.state === "stale" ? ", since its stale time of 30 s passed" : ""}.`,
      ...entry.causes.map((cause) => `Before that: ${cause}.`)];
    return {
      row, why, value: hasValue ? node(entry.value) : null, base: entry.layers.length > 0 ? node(entry.base) : null, layers: entry.layers,
      versions: hasValue ? (entry.versions.length > 0 ? entry.versions : [{ version: entry.version, t: row.updatedAt ?? 0, cause: "fresh", value: node(entry.value) }]) : [],
      pages: entry.pages ? { ids: entry.pages, hasNext: true, hasPrevious: false } : null,
      items: items && [{ type: items.type, isPrivate: false, count: items.ids.length, behind: 0, items: items.ids.slice(0, 200).map((id) => ({ id, isBehind: false })) }],
      options: [["stale after", "30 s"], ["retries", "3, exponential"], ["when offline", "wait"], ["collected after", "2 min"]],
      deadlines: row.next ? [row.next] : [],
      observers: this.observers(row),
      validators: entry.validators ?? [], record: this.record(entry),
      source: "GET /v1", face: "PigeonREST", error: row.error, isEditable: Boolean(entry.isEditable), json: entry.isEditable && hasValue ? JSON.stringify({ ...entry.value, $type: undefined }) : null,
    };
  }
}
