// Where messages come from: a program, a desk to which programs connect, or a recording.

import { inSlices } from "./dom.js";
import { Facts } from "./model.js";

/** The time of this page, as an epoch time that never goes back. */
export const pageTime = () => performance.timeOrigin + performance.now();

/** The connection to a program, or to a desk and one of its programs. It connects again by itself. */
export class Connection {
	socket = null;
	/** "connecting", "open", "waiting" (for a program of the desk), or "lost" */
	standing = "connecting";
	/** The program of the desk that is joined. */
	program = null;
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
		const socket = new WebSocket(this.program === null ? this.address : `${this.address}&program=${this.program}`);
		this.socket = socket;
		socket.onmessage = ({ data }) => { if (socket === this.socket) this.arrived(data); };
		socket.onclose = () => { if (socket === this.socket) this.lost(); };
	}

	/** Connects anew, to a program of the desk. What the program before has sent is no longer taken. */
	join(program) {
		const { socket } = this;
		this.program = program;
		this.texts = [];
		clearTimeout(this.retry);
		this.end("connecting", "Another program was chosen.");
		this.connect();
		// To close a socket that is not open yet is an error in the console.
		if (socket?.readyState === 0) socket.onopen = () => socket.close();
		else socket?.close();
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
		// What arrived before a loss says nothing of the connection any more.
		if (this.socket) this.look(message);
		const pending = this.pending.get(message.id);
		if (pending && (message.type === "done" || message.type === "preview")) {
			this.pending.delete(message.id);
			return message.error === undefined ? pending.resolve(message) : pending.reject(new Error(message.error));
		}
		this.received(message, text);
	}

	look({ type, program }) {
		if (type !== "hello" && type !== "programs") return;
		this.tries = 0;
		if (type === "hello") return this.stand("open");
		this.program = program;
		if (program === null) this.end("waiting", "The program has left.");
	}

	lost() {
		this.socket = null;
		this.end("lost", "The connection was lost.");
		const wait = [500, 1000, 2000][this.tries] ?? 3000;
		this.tries += 1;
		this.retry = setTimeout(() => this.connect(), wait);
	}

	/** What was asked for is not answered any more. */
	end(standing, reason) {
		for (const { reject } of this.pending.values()) reject(new Error(reason));
		this.pending.clear();
		this.stand(standing);
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

/**
 * The program of a desk that the page joins by itself, or undefined if it stays with what it has: the one with the
 * remembered name, or the newest if the user chose none.
 */
export function programToJoin({ programs, program }, name, isChosen) {
	const named = programs.findLast((each) => each.name === name);
	// The numbers of another run of the desk can mean other programs.
	if (program !== null) return programs.find(({ id }) => id === program)?.name === name ? undefined : named;
	return named ?? (isChosen ? undefined : programs.at(-1));
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

	/** What was known at the beginning, and the messages since, as texts. */
	*texts() {
		for (const message of this.base.messages()) yield { at: this.from, text: JSON.stringify(message) };
		yield* this.items.slice(this.head);
	}

	/** The recording as lines: what it is, and the messages. */
	*lines({ program, client, savedAt }) {
		yield JSON.stringify({ type: "recording", version: 1, program, client, savedAt });
		for (const { text, at } of this.texts()) yield `{"at":${at},"message":${text}}`;
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
