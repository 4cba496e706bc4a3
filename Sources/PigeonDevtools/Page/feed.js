// Where messages come from: a program, or a recording.

import { inSlices } from "./dom.js";
import { Facts } from "./model.js";

/** The time of this page, as an epoch time that never goes back. */
export const pageTime = () => performance.timeOrigin + performance.now();

/** The connection to a program. It connects again by itself. */
export class Connection {
	socket = null;
	/** "connecting", "open", or "lost" */
	standing = "connecting";
	tries = 0;
	number = 0;
	pending = new Map();
	texts = [];

	/** `received(message, text)` and `changed()` are called for messages and for changes of `standing`. */
	constructor({ address, received, changed }) {
		Object.assign(this, { address, received, changed });
		this.connect();
	}

	connect() {
		const socket = new WebSocket(this.address);
		this.socket = socket;
		socket.onmessage = ({ data }) => this.arrived(data);
		socket.onclose = () => this.lost(socket);
	}

	/** Messages come in batches, of which one can hold up the page. They are taken in slices. */
	arrived(text) {
		this.texts.push(text);
		this.timer ??= setTimeout(() => inSlices(this.takeAll(), () => { this.timer = null; }));
	}

	*takeAll() {
		while (this.texts.length > 0) {
			this.take(this.texts.shift());
			yield;
		}
	}

	take(text) {
		const message = JSON.parse(text);
		if (message.type === "hello") {
			this.tries = 0;
			this.stand("open");
		}
		const pending = this.pending.get(message.id);
		if (pending && (message.type === "done" || message.type === "preview")) {
			this.pending.delete(message.id);
			return message.error === undefined ? pending.resolve(message) : pending.reject(new Error(message.error));
		}
		this.received(message, text);
	}

	lost(socket) {
		if (socket !== this.socket) return;
		this.socket = null;
		for (const { reject } of this.pending.values()) reject(new Error("The connection was lost."));
		this.pending.clear();
		this.stand("lost");
		const wait = [500, 1000, 2000][this.tries] ?? 3000;
		this.tries += 1;
		setTimeout(() => this.connect(), wait);
	}

	stand(standing) {
		if (this.standing === standing) return;
		this.standing = standing;
		this.changed();
	}

	send(message) {
		if (this.standing === "open") this.socket.send(JSON.stringify(message));
	}

	/** Sends what is answered by `done` or `preview`, and returns the answer. */
	ask(message) {
		if (this.standing !== "open") return Promise.reject(new Error("There is no connection to the program."));
		const id = ++this.number;
		return new Promise((resolve, reject) => {
			this.pending.set(id, { resolve, reject });
			this.send({ ...message, id });
		});
	}
}

/** The last messages that were received, up to a size. What they replaced is kept as facts, so that it can be replayed. */
export class Ring {
	constructor(limit = 32 * 1024 * 1024) {
		this.limit = limit;
		this.clear(null);
	}

	clear(client) {
		this.items = [];
		this.head = 0;
		this.size = 0;
		this.base = new Facts(5000);
		this.base.client = client;
	}

	get count() {
		return this.items.length - this.head;
	}

	/** When the recording begins. */
	get from() {
		return this.items[this.head]?.at ?? null;
	}

	push(text, at) {
		this.items.push({ text, at });
		this.size += text.length;
		while (this.size > this.limit && this.count > 1) this.dropFirst();
		if (this.head > 1000 && this.head > this.items.length / 2) {
			this.items = this.items.slice(this.head);
			this.head = 0;
		}
	}

	dropFirst() {
		const { text, at } = this.items[this.head];
		this.items[this.head++] = null;
		this.size -= text.length;
		this.base.apply(JSON.parse(text), at);
	}

	/** The recording as lines: what it is, what was known at its beginning, and the messages. */
	*lines({ program, client, savedAt }) {
		yield JSON.stringify({ type: "recording", version: 1, program, client, savedAt });
		const from = this.from ?? savedAt;
		for (const message of this.base.messages()) yield JSON.stringify({ at: from, message });
		for (let index = this.head; index < this.items.length; index++) {
			const { text, at } = this.items[index];
			yield `{"at":${at},"message":${text}}`;
		}
	}
}

/** Reads a recording. Throws an error whose text can be shown. */
export function readRecording(text) {
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	const [header, ...messages] = lines.map((line, index) => {
		try {
			return JSON.parse(line);
		} catch {
			throw new Error(`This is not a recording, or it is damaged in line ${index + 1}.`);
		}
	});
	if (header?.type !== "recording") throw new Error("This is not a recording.");
	if (header.version !== 1) throw new Error(`This page cannot read version ${header.version} of recordings.`);
	if (messages.length === 0) throw new Error("The recording is empty.");
	const wrong = messages.findIndex(({ at, message }) => typeof at !== "number" || typeof message?.type !== "string");
	if (wrong >= 0) throw new Error(`Line ${wrong + 2} of the recording is not a message.`);
	return { ...header, messages };
}

/** Plays a recording: gives its messages up to a position in time. */
export class Player {
	next = 0;
	isPlaying = false;

	/** `restart()` is called before messages are given anew from the first. */
	constructor(recording, { restart, received }) {
		Object.assign(this, { recording, restart, received });
		this.from = recording.messages[0].at;
		this.to = Math.max(recording.messages.at(-1).at, this.from);
		this.position = this.to;
	}

	seek(position) {
		const { messages } = this.recording;
		const target = Math.min(this.to, Math.max(this.from, position));
		if (target < this.position || this.next === 0) {
			this.next = 0;
			this.restart();
		}
		this.position = target;
		while (this.next < messages.length && messages[this.next].at <= target) {
			const { message, at } = messages[this.next++];
			this.received(message, at);
		}
	}
}
