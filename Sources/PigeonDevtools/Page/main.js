// The page as a whole: the connection or a recording, the bar, the tabs, and the keys.

import { ClientTab } from "./client-tab.js";
import { EntriesTab } from "./entries-tab.js";
import { EntryIndex } from "./entry-index.js";
import { Connection, pageTime, Player, programToJoin, readRecording, Ring } from "./feed.js";
import { LogTab, MutationsTab, RequestsTab } from "./activity-tabs.js";
import { Facts } from "./model.js";
import { Spans } from "./spans.js";
import { TimelineTab } from "./timeline-tab.js";
import { button, bytes, clockTime, duration, el, inNextFrame, mono, renew, setAttribute, setPressed, setText, toggle } from "./dom.js";
import { copyButton } from "./values.js";

const byId = (id) => document.getElementById(id);
/** Messages that wait while the page is paused. More are not kept; the state is asked for anew instead. */
const pauseLimit = 1000;

class App {
	facts = new Facts();
	index = new EntryIndex();
	spans = new Spans();
	ring = new Ring();
	player = null;
	/** The last message of the desk about its programs. */
	desk = null;
	pausedAt = null;
	liveClient = null;
	waiting = [];
	openKey = null;
	/** The item that is selected in the open entry: its type and its identifier. */
	openItem = null;
	topics = new Set();

	constructor() {
		this.flush = this.flush.bind(this);
		this.makeBar();
		this.makeTabs();
		this.connect();
		document.addEventListener("keydown", (event) => this.keyDown(event));
		this.acceptFiles();
		setInterval(() => this.changed("clock"), 500);
		this.showTab(sessionStorage.getItem("pigeon-tab") ?? "entries");
	}

	// Time

	/** The time by which messages are received: of the page, of the moment it was paused, or of a recording. */
	wall() {
		return this.player ? this.player.position : this.pausedAt ?? pageTime();
	}

	/** The client's clock. It stands still between messages if the program moves it by hand. */
	now() {
		const { state, stateAt } = this.facts;
		if (!state) return 0;
		return state.canAdvance ? state.now : state.now + Math.max(0, this.wall() - stateAt);
	}

	epoch(time) {
		return (this.facts.state?.origin ?? 0) + time;
	}

	// Messages

	connect() {
		const token = new URLSearchParams(location.search).get("token") ?? sessionStorage.getItem("pigeon-token");
		this.token = token;
		if (token !== null) {
			sessionStorage.setItem("pigeon-token", token);
			// The token must not stay where it is seen and copied.
			history.replaceState(null, "", location.pathname + location.hash);
		}
		this.connection = new Connection({
			address: `${location.protocol.replace("http", "ws")}//${location.host}/socket?token=${encodeURIComponent(token ?? "")}`,
			received: (message, text) => this.received(message, text),
			changed: () => this.changed("connection"),
		});
	}

	received(message, text) {
		if (message.type === "problem") return this.toast(message.text, true);
		if (message.type === "programs") return this.deskChanged(message);
		if (message.type === "hello") this.greeted(message);
		const at = pageTime();
		this.ring.push(text, at);
		if (message.clients) this.liveHello = { ...this.liveHello, clients: message.clients };
		// The connection goes on while a recording is shown. On the way back, the state is asked for anew.
		if (this.player) return;
		if (this.pausedAt === null) this.apply(message, at);
		else if (this.waiting.length < pauseLimit) this.waiting.push({ message, at });
		else this.hasMissed = true;
	}

	/** A program said hello: the same one again after a lost connection, or another one. */
	greeted(message) {
		// Programs on two devices can have one pid.
		const isOther = this.liveHello && JSON.stringify(this.liveHello.program) !== JSON.stringify(message.program);
		this.liveHello = message;
		const known = this.liveClient ?? Number(sessionStorage.getItem("pigeon-client"));
		const client = (message.clients.find(({ id }) => id === known) ?? message.clients[0])?.id ?? null;
		if (isOther) this.waiting = [];
		if (!this.player && (isOther || this.facts.client === null)) this.restart(client);
		if (isOther || this.ring.base.client === null) this.ring.clear(client);
		this.watch(client);
	}

	deskChanged(desk) {
		const isFirst = this.desk === null;
		this.desk = desk;
		const program = programToJoin(desk, sessionStorage.getItem("pigeon-program"), this.hasChosen);
		if (program) this.join(program);
		if (isFirst && desk.recording) this.openRecording(desk.recording);
		this.changed("programs");
	}

	join({ id, name }) {
		sessionStorage.setItem("pigeon-program", name);
		this.connection.join(id);
	}

	switchProgram(id) {
		const program = this.desk.programs.find((each) => each.id === id);
		if (!program) return;
		this.hasChosen = true;
		this.open(null);
		this.join(program);
	}

	watch(client) {
		this.liveClient = client;
		if (client === null) return;
		this.connection.send({ type: "watch", client });
		if (this.openKey !== null && !this.player) this.connection.send({ type: "open", client, key: this.openKey });
		this.sendItem();
	}

	switchClient(client) {
		sessionStorage.setItem("pigeon-client", client);
		this.openKey = this.openItem = null;
		this.ring.clear(client);
		this.ring.push(JSON.stringify(this.liveHello), pageTime());
		this.restart(client);
		this.watch(client);
	}

	restart(client) {
		this.facts.forget();
		this.facts.client = client;
		this.index.clear();
		this.spans.clear();
		for (const tab of this.tabs) tab.restart?.();
		this.changed("everything");
	}

	apply(message, at) {
		const change = this.facts.apply(message, at);
		if (!change) return;
		if (change.topic === "clients" && this.facts.client === null && message.clients.length > 0 && !this.player) {
			this.switchClient(message.clients[0].id);
		}
		if (change.topic === "entries") this.applyEntries(change);
		if (change.topic === "events") this.applyEvents(change);
		if (change.topic === "requests") this.applyRequests(change);
		this.changed(change.topic);
	}

	applyEntries({ reset, rows, removed }) {
		if (reset) this.index.clear();
		for (const id of removed) this.index.remove(id);
		for (const row of rows) this.index.set(row);
	}

	applyEvents({ events, isRebuilt, isTrimmed }) {
		if (isRebuilt) {
			this.spans.clear();
			this.spans.addAll(this.facts.events);
			for (const request of this.facts.requests.values()) this.spans.setRequest(request);
			this.changed("history");
		} else this.spans.addAll(events);
		if (isTrimmed) {
			this.spans.trim(this.facts.events[0].t);
			this.changed("history");
		}
	}

	applyRequests({ requests, removed }) {
		for (const request of requests) this.spans.setRequest(request);
		for (const id of removed) this.spans.removeRequest(id);
	}

	/** Notes that something changed, for the next frame. */
	changed(topic) {
		this.topics.add(topic);
		inNextFrame(this.flush);
	}

	flush() {
		const topics = this.topics;
		this.topics = new Set();
		if (topics.size > 1 || !topics.has("clock")) this.updateBar();
		this.tab.update(topics);
		if (topics.has("clock")) for (const element of document.querySelectorAll(".live")) setText(element, element.live());
	}

	/** A text that changes with the clock. */
	live(text) {
		const element = el("span.live", { text: text() });
		element.live = text;
		return element;
	}

	// What the program is asked to do

	get canAct() {
		return !this.player && this.connection.standing === "open" && this.facts.client !== null;
	}

	/** Asks the program, shows how it went, and returns true if it was done. */
	async act(request) {
		try {
			const { text } = await this.connection.ask({ type: "do", client: this.facts.client, ...request });
			this.toast(text || "Done");
			return true;
		} catch (error) {
			this.toast(error.message, true);
			return false;
		}
	}

	preview(filter) {
		return this.connection.ask({ type: "preview", client: this.facts.client, filter });
	}

	toast(text, isProblem = false) {
		const toast = el(isProblem ? "div.toast.problem" : "div.toast", { text },
			button("×", () => toast.remove(), { "aria-label": "Close this message", class: "plain" }));
		byId("toasts").append(toast);
		setTimeout(() => toast.remove(), isProblem ? 12_000 : 4000);
	}

	/** Asks for a confirmation, and returns whether it was given. */
	confirm(title, text, action) {
		return new Promise((resolve) => {
			let isSure = false;
			const dialog = this.dialog(title, [el("p", { text }), el("div.buttons", {}, button("Cancel", () => dialog.close()),
				button(action, () => { isSure = true; dialog.close(); }, { class: "danger" }))]);
			dialog.addEventListener("close", () => resolve(isSure));
		});
	}

	dialog(title, content) {
		const dialog = el("dialog", { "aria-label": title }, el("h2", { text: title }), content);
		dialog.addEventListener("close", () => dialog.remove());
		dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
		document.body.append(dialog);
		dialog.showModal();
		return dialog;
	}

	// Entries

	/** Opens an entry, or none. With an item, selects it there. */
	open(key, item = null) {
		if (key === this.openKey) return;
		this.openKey = key;
		this.openItem = item;
		if (!this.player) this.connection.send(key === null ? { type: "close" } : { type: "open", client: this.facts.client, key });
		this.sendItem();
		this.changed("selection");
	}

	/** Selects an item that the open entry contains. */
	selectItem(item) {
		this.openItem = item;
		this.sendItem();
		this.changed("selection");
	}

	sendItem() {
		if (this.openItem === null || this.player) return;
		this.connection.send({ type: "select", client: this.facts.client, key: this.openKey, selected: this.openItem });
	}

	/** A link to an entry, in which an item can be selected, or its key if there is no such entry. */
	link(key, item = null) {
		if (!this.index.row(key)) return mono(key);
		return button(key, () => {
			this.open(key, item);
			this.showTab("entries");
			this.tabNamed("entries").reveal(key);
		}, { class: "link", title: "Show this entry" });
	}

	// Tabs

	makeTabs() {
		this.tabs = [EntriesTab, TimelineTab, MutationsTab, RequestsTab, LogTab, ClientTab].map((Tab) => new Tab(this));
		for (const tab of this.tabs) {
			tab.tabButton = el("button", { type: "button", role: "tab", id: `tab-${tab.name}`, "aria-controls": `panel-${tab.name}`,
				onclick: () => this.showTab(tab.name) }, el("span", { text: tab.name[0].toUpperCase() + tab.name.slice(1) }), tab.badge = el("span.badge"));
			setAttribute(tab.element, "id", `panel-${tab.name}`);
			setAttribute(tab.element, "role", "tabpanel");
			setAttribute(tab.element, "aria-labelledby", `tab-${tab.name}`);
			tab.element.hidden = true;
			byId("tabs").append(tab.tabButton);
			byId("panels").append(tab.element);
		}
		this.tab = this.tabs[0];
		byId("tabs").addEventListener("keydown", (event) => this.tabKeyDown(event));
	}

	tabNamed(name) {
		return this.tabs.find((tab) => tab.name === name) ?? this.tabs[0];
	}

	get shownTabs() {
		return this.tabs.filter((tab) => !tab.tabButton.hidden);
	}

	showTab(name) {
		this.tab.element.hidden = true;
		this.tab = this.tabNamed(name);
		this.tab.element.hidden = false;
		sessionStorage.setItem("pigeon-tab", this.tab.name);
		for (const { tabButton } of this.tabs) {
			setAttribute(tabButton, "aria-selected", String(tabButton === this.tab.tabButton));
			tabButton.tabIndex = tabButton === this.tab.tabButton ? 0 : -1;
		}
		this.changed("everything");
	}

	tabKeyDown(event) {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (!step) return;
		const tabs = this.shownTabs;
		this.showTab(tabs.at((tabs.indexOf(this.tab) + step) % tabs.length).name);
		this.tab.tabButton.focus();
	}

	// The bar

	makeBar() {
		const act = (action, name) => async (on) => {
			// The next state can be half a second away, and the one before must not turn the switch back.
			if (await this.act({ action, on })) this.facts.state[name] = on;
		};
		this.online = toggle("Online", true, act("online", "isOnline"), { "data-acts": true });
		this.foreground = toggle("Foreground", true, act("active", "isActive"), { "data-acts": true });
		byId("switches").append(this.online, this.foreground);
		this.pause = toggle("Pause", false, (isOn) => this.setPaused(isOn), { title: "Stop changes of this page. The program goes on. (p)" });
		this.file = el("input.offscreen", { type: "file", accept: ".pigeon", tabindex: "-1", "aria-label": "Recording to open",
			onchange: () => this.openFile(this.file.files[0]) });
		this.save = button("Save recording", () => this.saveRecording());
		byId("record").append(this.save, button("Open…", () => this.file.click()), this.file);
		byId("view").append(this.pause, this.theme = button("", () => this.nextTheme(), { class: "icon" }),
			button("?", () => this.showKeys(), { class: "icon", title: "Keys", "aria-label": "Show the keys" }));
		byId("programs").addEventListener("change", ({ target }) => this.switchProgram(Number(target.value)));
		byId("client").addEventListener("change", ({ target }) => this.switchClient(Number(target.value)));
		this.setTheme(localStorage.getItem("pigeon-theme") ?? "system");
	}

	updateBar() {
		const { hello, state, clients } = this.facts;
		const { program } = hello ?? {};
		const isJoined = this.updatePrograms();
		setText(byId("program"), !program ? "" : isJoined ? program.system : `${program.name} · pid ${program.pid} · ${program.system}`);
		document.title = program ? `${program.name} – Pigeon devtools` : "Pigeon devtools";
		this.updateClients(clients);
		this.updateConnection();
		setPressed(this.online, state?.isOnline ?? true);
		setPressed(this.foreground, state?.isActive ?? true);
		this.save.disabled = this.player !== null || this.ring.count === 0;
		this.pause.disabled = this.player !== null;
		this.tabNamed("requests").tabButton.hidden = !(hello?.features ?? []).includes("requests");
		if (this.tab.tabButton.hidden && hello) this.showTab("entries");
		for (const tab of this.tabs) setText(tab.badge, tab.badgeText?.() ?? "");
		for (const element of document.querySelectorAll("[data-acts]")) element.disabled = !this.canAct;
	}

	/** Shows the programs of the desk, and returns whether one of them is joined. */
	updatePrograms() {
		const programs = this.player ? [] : this.desk?.programs ?? [];
		const joined = programs.find(({ id }) => id === this.connection.program)?.id ?? null;
		byId("programs-label").hidden = programs.length === 0;
		renew(byId("programs"), [programs, joined === null], () => [
			joined === null && el("option", { value: "", text: "Choose a program" }),
			...programs.map(({ id, name, pid, address }) => el("option", { value: id, text: `${name} · pid ${pid} · ${address}` })),
		]);
		byId("programs").value = joined ?? "";
		return joined !== null;
	}

	updateClients(clients) {
		byId("client-label").hidden = clients.length < 2 || this.player !== null;
		renew(byId("client"), clients, () => clients.map(({ id, name }) => el("option", { value: id, text: `${name} ${id}` })));
		if (this.facts.client !== null) byId("client").value = this.facts.client;
	}

	updateConnection() {
		const element = byId("connection");
		const { standing } = this.connection;
		const shown = this.player ? "recording" : this.pausedAt !== null ? "paused" : standing;
		element.dataset.standing = shown;
		setText(element, { recording: "Recording", paused: "Paused", open: "Connected", connecting: "Connecting…", waiting: "Waiting for a program",
			lost: "Disconnected" }[shown]);
		const notice = this.player ? null : this.notice(standing);
		byId("notice").hidden = notice === null;
		byId("notice").dataset.standing = standing;
		renew(byId("notice"), notice, ([text, ...addresses]) => [text, ...addresses.map((address) => (
			el("div.line", {}, mono(address), copyButton("Copy", () => address, { "aria-label": `Copy ${address}` }))))]);
	}

	/** What must be said of the connection, with addresses that can be copied. */
	notice(standing) {
		if (standing === "waiting") {
			return this.liveHello ? ["The program has left. What you see is what was last known."]
				: ["No program is connected. Start one with PIGEON_DEVTOOLS=ws://… in its environment.", ...this.desk.dial];
		}
		if (standing !== "lost") return null;
		if (this.token === null) return ["The address has no token. Open the address that the program printed."];
		return [this.liveHello ? "The connection to the program was lost. What you see is what was last known. Connecting again…"
			: `The ${this.desk ? "desk" : "program"} cannot be reached, or the token is of another run. Connecting again…`];
	}

	setPaused(isPaused) {
		setPressed(this.pause, isPaused);
		if (isPaused) this.pausedAt = pageTime();
		else this.resume();
		this.changed("everything");
	}

	resume() {
		this.pausedAt = null;
		const waiting = this.waiting;
		this.waiting = [];
		for (const { message, at } of waiting) this.apply(message, at);
		if (this.hasMissed) this.watch(this.liveClient);
		this.hasMissed = false;
	}

	nextTheme() {
		const themes = ["system", "light", "dark"];
		this.setTheme(themes[(themes.indexOf(this.themeName) + 1) % themes.length]);
	}

	setTheme(name) {
		this.themeName = name;
		localStorage.setItem("pigeon-theme", name);
		document.documentElement.dataset.theme = name;
		setText(this.theme, { system: "◐", light: "☀", dark: "☾" }[name]);
		const text = `Colours: ${name === "system" ? "as the system" : name}`;
		setAttribute(this.theme, "aria-label", text);
		setAttribute(this.theme, "title", text);
		if (this.tabs) this.changed("everything");
	}

	// Recordings

	saveRecording() {
		const { program } = this.liveHello;
		const savedAt = Date.now();
		const client = this.liveHello.clients.find(({ id }) => id === this.liveClient);
		const blob = new Blob([...this.ring.lines({ program, client, savedAt })].map((line) => `${line}\n`), { type: "application/x-ndjson" });
		const time = new Date(savedAt).toISOString().slice(0, 19).replace("T", "-").replaceAll(":", "");
		const link = el("a", { href: URL.createObjectURL(blob), download: `${program.name.replace(/[^\w.-]+/g, "-")}-${time}.pigeon` });
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
		this.toast(`Recording saved, ${bytes(blob.size)}`);
	}

	acceptFiles() {
		const accept = (event) => {
			if (!event.dataTransfer?.types.includes("Files")) return;
			event.preventDefault();
			if (event.type === "drop") this.openFile(event.dataTransfer.files[0]);
		};
		addEventListener("dragover", accept);
		addEventListener("drop", accept);
	}

	async openFile(file) {
		this.file.value = "";
		if (!file) return;
		try {
			this.play(readRecording(await file.text()));
		} catch (error) {
			this.toast(error.message, true);
		}
	}

	/** Plays the recording with which the desk was started. */
	async openRecording(name) {
		try {
			const answer = await fetch(`/recording?token=${encodeURIComponent(this.token ?? "")}`);
			if (!answer.ok) throw new Error(`The desk answered with status ${answer.status}.`);
			this.play(readRecording(await answer.text()));
		} catch (error) {
			this.toast(`${name} cannot be opened. ${error.message}`, true);
		}
	}

	play(recording) {
		if (this.pausedAt !== null) this.setPaused(false);
		this.open(null);
		clearInterval(this.player?.timer);
		this.player = new Player(recording, {
			restart: () => this.restart(recording.client?.id ?? null),
			received: (message, at) => this.apply(message, at),
		});
		this.makePlayerBar(recording);
		this.seek(this.player.to);
	}

	makePlayerBar({ program, savedAt }) {
		const { from, to } = this.player;
		this.slider = el("input", { type: "range", min: "0", max: Math.max(1, to - from), step: "any", "aria-label": "Time in the recording",
			oninput: () => this.seek(from + Number(this.slider.value)) });
		this.playButton = button("Play", () => this.setPlaying(!this.player.isPlaying));
		this.playTime = el("span");
		byId("player").replaceChildren(
			el("strong", { text: `Recording of ${program?.name ?? "a program"} from ${new Date(savedAt).toLocaleString("en-GB")}` }),
			this.playButton, this.slider, this.playTime, button("Back to live", () => this.goLive(), { class: "primary" }));
		byId("player").hidden = false;
	}

	seek(position) {
		const { player } = this;
		player.seek(position);
		this.slider.value = player.position - player.from;
		const text = `${duration(player.position - player.from)} of ${duration(player.to - player.from)}`;
		setAttribute(this.slider, "aria-valuetext", text);
		setText(this.playTime, `${clockTime(player.position)} · ${text}`);
		this.changed("clock");
	}

	setPlaying(isPlaying) {
		const { player } = this;
		player.isPlaying = isPlaying;
		setText(this.playButton, isPlaying ? "Pause" : "Play");
		clearInterval(player.timer);
		if (!isPlaying) return;
		if (player.position >= player.to) this.seek(player.from);
		let last = pageTime();
		player.timer = setInterval(() => {
			const now = pageTime();
			this.seek(player.position + now - last);
			last = now;
			if (player.position >= player.to) this.setPlaying(false);
		}, 100);
	}

	goLive() {
		clearInterval(this.player.timer);
		this.player = null;
		this.openKey = this.openItem = null;
		byId("player").hidden = true;
		if (!this.liveHello) this.showTab("entries");
		this.facts.hello = this.liveHello ?? null;
		this.facts.clients = this.liveHello?.clients ?? [];
		this.restart(this.liveClient);
		this.watch(this.liveClient);
		// Nobody sends the state anew. What was last known is in the ring.
		if (this.connection.standing !== "open") for (const { text, at } of this.ring.texts()) this.apply(JSON.parse(text), at);
	}

	// Keys

	keyDown(event) {
		if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
		const isTyping = event.target.closest("input:not([type=range]), textarea, select");
		if (event.key === "Escape") return isTyping ? this.tab.focus() : this.tab.escape?.();
		if (isTyping) return;
		const tab = this.shownTabs[Number(event.key) - 1];
		if (tab) {
			this.showTab(tab.name);
			tab.focus();
		} else if (event.key === "/") this.tab.focusSearch?.();
		else if (event.key === "?") this.showKeys();
		else if (event.key === "p" && !this.player) this.setPaused(this.pausedAt === null);
		else if ((event.key === "j" || event.key === "k") && !event.defaultPrevented) this.tab.focus();
		else return;
		event.preventDefault();
	}

	showKeys() {
		const keys = [
			["1 – 6", "Show a tab"], ["/", "Search"], ["j  k  ↑  ↓", "Move in a list"], ["←  →", "Close and open in a tree"], ["Enter", "Open"],
			["Escape", "Close"], ["p", "Pause this page"], ["f", "Follow the newest (Timeline, Log)"], ["+  −  0", "Zoom the timeline"],
			["n  b", "Next and previous in a lane of the timeline"],
		];
		const dialog = this.dialog("Keys", [
			el("dl.keys", {}, keys.map(([key, text]) => [el("dt", {}, key.split("  ").map((part) => el("kbd", { text: part }))), el("dd", { text })]).flat()),
			el("div.buttons", {}, button("Close", () => dialog.close())),
		]);
	}
}

globalThis.pigeon = new App();
