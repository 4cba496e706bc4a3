// What the page knows of a client, from the messages that it received.

const requestLimit = 5_000;
const detailLimit = 200;

/** Everything that messages told about one client. It knows nothing of the page, so that recordings use it too. */
export class Facts {
	hello = null;
	clients = [];
	client = null;

	/** `eventLimit` is how many events it keeps. */
	constructor(eventLimit = 50_000) {
		this.eventLimit = eventLimit;
		this.forget();
	}

	/** Forgets what belongs to the client. Its name and the program stay. */
	forget() {
		this.state = null;
		// When the state was received, on the clock of whoever applies messages.
		this.stateAt = 0;
		this.rows = new Map();
		// Sets of options, which rows name. Only replays need them.
		this.options = new Map();
		this.isLoading = true;
		this.events = [];
		this.dropped = 0;
		this.outbox = { waiting: [], setAside: [], problems: [] };
		this.requests = new Map();
		this.details = new Map();
		// The entries that contain an item, by the item.
		this.places = new Map();
	}

	/** Takes a message that arrived at a time, and returns what changed, or null if nothing here did. */
	apply(message, at = 0) {
		// After a switch of clients, messages of the other one still arrive.
		if ("client" in message && this.client !== null && message.client !== this.client) return null;
		switch (message.type) {
			case "hello":
				this.hello = message;
				this.clients = message.clients ?? [];
				return { topic: "hello" };
			case "clients":
				this.clients = message.clients;
				return { topic: "clients" };
			case "state":
				this.state = message;
				this.stateAt = at;
				return { topic: "state" };
			case "outbox":
				this.outbox = message;
				return { topic: "outbox" };
			case "entries": return this.takeEntries(message);
			case "events": return this.takeEvents(message);
			case "requests": return this.takeRequests(message);
			case "entry": return this.takeDetail(message);
			case "item": return this.takePlaces(message);
			default: return null;
		}
	}

	takeEntries(message) {
		const removed = message.removed ?? [];
		if (message.reset) {
			this.rows.clear();
			this.options.clear();
		}
		for (const set of message.options ?? []) this.options.set(set.id, set);
		for (const id of removed) this.rows.delete(id);
		for (const row of message.rows) this.rows.set(row.id, row);
		this.isLoading = Boolean(message.more);
		return { topic: "entries", reset: Boolean(message.reset), rows: message.rows, removed };
	}

	/** The history can arrive after newer events, and again after a new `watch`. So numbers decide, not the order. */
	takeEvents(message) {
		// Each message tells of those since the one before.
		this.dropped += message.dropped ?? 0;
		const last = this.events.at(-1)?.n ?? -Infinity;
		const isInOrder = message.events.length === 0 || message.events[0].n > last;
		if (isInOrder) {
			for (const event of message.events) this.events.push(event);
		} else {
			const all = new Map(this.events.map((event) => [event.n, event]));
			for (const event of message.events) all.set(event.n, event);
			this.events = [...all.values()].sort((a, b) => a.n - b.n);
		}
		// Trimmed in large steps, since each one moves the whole array.
		const isTrimmed = this.events.length > this.eventLimit * 1.1;
		if (isTrimmed) this.events = this.events.slice(-this.eventLimit);
		return { topic: "events", events: message.events, isRebuilt: !isInOrder, isTrimmed };
	}

	takeRequests(message) {
		for (const request of message.requests) this.requests.set(request.id, request);
		const excess = this.requests.size - requestLimit;
		const removed = excess > 0 ? [...this.requests.keys()].slice(0, excess) : [];
		for (const id of removed) this.requests.delete(id);
		return { topic: "requests", requests: message.requests, removed };
	}

	takeDetail(message) {
		keepNewest(this.details, message.key, message.detail);
		return { topic: "entry", key: message.key };
	}

	takePlaces(message) {
		keepNewest(this.places, itemKey(message.item), message);
		return { topic: "item" };
	}

	/** Messages that bring another one to what this one knows. */
	*messages() {
		if (this.hello) yield { ...this.hello, clients: this.clients };
		if (this.client === null || !this.state) return;
		const { client } = this;
		yield this.state;
		const rows = [...this.rows.values()];
		for (let start = 0; start === 0 || start < rows.length; start += 2000) {
			const chunk = rows.slice(start, start + 2000);
			const options = start === 0 ? [...this.options.values()] : [];
			yield { type: "entries", client, reset: start === 0, more: start + 2000 < rows.length, options, rows: chunk, removed: [] };
		}
		yield { type: "events", client, dropped: this.dropped, events: this.events };
		yield { ...this.outbox, type: "outbox", client };
		if (this.requests.size > 0) yield { type: "requests", client, requests: [...this.requests.values()] };
		for (const [key, detail] of this.details) yield { type: "entry", client, key, detail };
		yield* this.places.values();
	}
}

function keepNewest(map, key, value) {
	map.delete(key);
	map.set(key, value);
	if (map.size > detailLimit) map.delete(map.keys().next().value);
}

/** A text that tells items apart, also those of two types with one identifier. */
export const itemKey = ({ type, id }) => JSON.stringify([type, id]);

/** True if a request had no answer, or one that says so. */
export const hasFailed = ({ error, status }) => error !== null || status >= 400;

/** A row in a few words, as a person would say it. */
export function stateText(row) {
	if (row.activity === "fetching") return row.state === "empty" ? "first fetch" : `${row.state}, fetching`;
	if (row.activity === "paused") return `${row.state}, paused`;
	return row.state;
}

const nextTexts = { stale: "stale", poll: "polls", retry: "retries", collect: "removed", timeLimit: "times out" };

/** What happens next to an entry, as in "stale in 12 s". */
export function nextText(next, now, spanText) {
	if (!next) return "";
	return `${nextTexts[next.what] ?? next.what} ${next.at <= now ? "now" : `in ${spanText(next.at - now)}`}`;
}

/** The name of the mutation that an event is of, or whose change it is about. */
export const mutationOf = (events, event) => event.mutation ?? (event.mutationNumber == null ? null
	: events.find((other) => other.mutation && other.mutationNumber === event.mutationNumber)?.mutation ?? `number ${event.mutationNumber}`);

/** Events that name an event as one of their causes, or that took items from its value: those after it, until the same happened again. */
export function effects(events, subject, limit = 50) {
	const found = [];
	const words = causeWords(subject);
	// True while no later value of the entry can have brought the items.
	let isNewest = subject.key !== null && valueKinds.has(subject.kind);
	const news = `newer item in ${subject.key}`;
	const isFromSubject = (cause) => cause.startsWith(news) && /^(, page \d+)?$/.test(cause.slice(news.length));
	const isEdit = (event) => subject.key === null && event.mutationNumber != null && event.mutationNumber === subject.mutationNumber;
	for (let index = firstAfter(events, subject.n); index < events.length && found.length < limit && (isNewest || words.length > 0); index++) {
		const event = events[index];
		const isSame = event.key === subject.key && event.mutation === subject.mutation;
		if (isNewest && event.causes?.some(isFromSubject)) {
			found.push(event);
			continue;
		}
		if (isSame && event.kind === subject.kind) break;
		if (isSame && valueKinds.has(event.kind)) isNewest = false;
		// How a mutation ended is no effect of it.
		if (isSame && event.key === null) continue;
		if (subject.key !== null && event.key !== subject.key) continue;
		if (isEdit(event) || event.causes?.some((cause) => words.some((word) => names(cause, word)))) found.push(event);
	}
	return found;
}

/** The kinds of events that can bring newer items than other entries have. */
const valueKinds = new Set(["fresh", "notModified", "page", "written", "hydrated"]);

/** The words by which causes name an event: a mutation by its name, others by what happened to the same entry. */
function causeWords({ key, mutation, kind }) {
	if (key === null && mutation !== null) return [`mutation ${mutation}`];
	const words = { invalidated: ["invalidated"], written: ["written"], hydrated: ["cached"], cleared: ["cleared"],
		retrying: ["retry"], stale: ["aged"] };
	return words[kind] ?? [];
}

function names(cause, word) {
	if (!cause.includes(word)) return false;
	// "mutation Rename" is not named by "mutation RenameUser".
	const after = cause[cause.indexOf(word) + word.length];
	return after === undefined || !/[\w]/.test(after);
}

/** The index of the first item whose value is greater, in items ordered by it. */
export function firstAfter(items, value, valueOf = (item) => item.n) {
	let low = 0;
	let high = items.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (valueOf(items[middle]) > value) high = middle;
		else low = middle + 1;
	}
	return low;
}
