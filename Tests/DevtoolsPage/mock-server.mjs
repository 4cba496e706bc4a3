#!/usr/bin/env node
// Serves the page and plays a program, so that the page can be worked on and tested without one.
//
//   node mock-server.mjs [--port 8123] [--entries 300] [--can-advance] [--token t] [--desk]
//
// POST /mock/drop?ms=2000 drops all connections and refuses new ones for that long. POST /mock/burst?count=5000 makes
// events. POST /mock/restart plays a new run of the program.
//
// With --desk, it plays a desk to which no program is connected. POST /mock/join?name=Shop&pid=77 connects a program, and
// POST /mock/leave?name=Shop lets the newest one with this name go; without a name, all go. A pid that was there before
// is the same program again. POST /mock/recording?name=demo.pigeon gives the desk a recording, which is damaged if its name
// is damaged.pigeon. Without a name, it has none.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { accept } from "./mock-socket.mjs";
import { World } from "./mock-world.mjs";

const option = (name, otherwise) => {
  const place = process.argv.indexOf(`--${name}`);
  return place < 0 ? otherwise : process.argv[place + 1] ?? true;
};
const port = Number(option("port", 8123));
const token = option("token", "t0ken");
const folder = new URL(option("page", "../../Sources/PigeonDevtools/Page/"), import.meta.url);
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:";
const types = { html: "text/html; charset=utf-8", css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8" };

const isDesk = process.argv.includes("--desk");
let recording = null;
const makeWorlds = () => new Map([
  [1, new World({ entries: Number(option("entries", 300)), canAdvance: process.argv.includes("--can-advance") })],
  [2, new World({ entries: 20, seed: 11 })],
]);
const clients = [{ id: 1, name: "QueryClient" }, { id: 2, name: "PreviewClient" }];
/** Programs by their number, in the order in which they came. One that left keeps its worlds, since it can come back. */
const programs = new Map();
const gone = new Map();
let lastProgram = 0;
const pages = new Set();

function join(name, pid, system = "iOS 26.1") {
  const id = ++lastProgram;
  programs.set(id, { id, name, pid, system, address: `192.168.1.${6 + id}`, worlds: gone.get(pid) ?? makeWorlds() });
  gone.delete(pid);
  tellPrograms();
}

function leave(program) {
  programs.delete(program.id);
  gone.set(program.pid, program.worlds);
  for (const page of pages) if (page.program === program) Object.assign(page, { program: null, client: null, open: null, selected: null });
  tellPrograms();
}

function tellPrograms() {
  for (const page of pages) sendPrograms(page);
}

function sendPrograms(page) {
  if (!isDesk) return;
  const listed = [...programs.values()].map(({ id, name, pid, system, address }) => ({ id, name, pid, system, address }));
  const dial = ["ws://192.168.1.5:4775/?token=dial", "ws://[2001:db8:85a3:8d3:1319:8a2e:370:7348]:4775/?token=8f3a61c07be24d5f9a1e60c3b7d28e4f8f3a61c07be24d5f9a1e60c3b7d28e4f"];
  send(page, { type: "programs", programs: listed, program: page.program?.id ?? null, dial, recording });
}

let refusesUntil = 0;

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  if (url.pathname.startsWith("/mock/")) return control(url, response);
  if (url.pathname === "/recording") return sendRecording(url, response);
  const name = url.pathname === "/" ? "index.html" : url.pathname.slice(1);
  try {
    if (!/^[\w-]+\.(html|css|js)$/.test(name)) throw new Error("no such file");
    const data = await readFile(fileURLToPath(new URL(name, folder)));
    response.writeHead(200, { "Content-Type": types[name.split(".").pop()], "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" });
    response.end(data);
  } catch {
    response.writeHead(404, { "Content-Type": "text/plain" });
    response.end("Not found");
  }
});

/** What a browser would have saved of a program that ran for a moment. */
function sendRecording(url, response) {
  if (recording === null || url.searchParams.get("token") !== token) {
    response.writeHead(recording === null ? 404 : 403, { "Content-Type": "text/plain" });
    return response.end("No");
  }
  response.writeHead(200, { "Content-Type": "text/plain; charset=utf-8" });
  if (recording === "damaged.pigeon") return response.end("{]");
  const world = new World({ entries: 30, isQuiet: true });
  const program = { name: "Recorded", pid: 5, system: "Linux" };
  const messages = [{ type: "hello", version: 1, program, features: ["requests"], clients }, ...allMessages(world, 1)];
  const lines = messages.map((message, index) => ({ at: world.origin + index * 1000, message }));
  response.end([{ type: "recording", version: 1, program, client: clients[0], savedAt: Date.now() }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
}

function control(url, response) {
  const number = (name, otherwise) => Number(url.searchParams.get(name) ?? otherwise);
  if (url.pathname === "/mock/drop") {
    refusesUntil = Date.now() + number("ms", 0);
    for (const page of pages) page.socket.drop();
  } else if (url.pathname === "/mock/burst") {
    const world = first().worlds.get(1);
    const entries = [...world.byKey.values()];
    for (let count = number("count", 5000); count > 0; count--) world.event("written", { entry: world.pick(entries), causes: ["requested"] });
  } else if (url.pathname === "/mock/mutate") {
    first().worlds.get(1).mutate(url.searchParams.get("name") ?? undefined);
  } else if (url.pathname === "/mock/restart") {
    const program = first();
    for (const world of program.worlds.values()) world.stop();
    program.worlds = makeWorlds();
    program.pid += 1;
    for (const page of pages) page.socket.drop();
  } else if (url.pathname === "/mock/join") {
    join(url.searchParams.get("name"), number("pid", process.pid + lastProgram));
  } else if (url.pathname === "/mock/recording") {
    recording = url.searchParams.get("name");
  } else if (url.pathname === "/mock/leave") {
    const name = url.searchParams.get("name");
    const leaving = [...programs.values()].filter((program) => name === null || program.name === name);
    for (const program of name === null ? leaving : leaving.slice(-1)) leave(program);
  }
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ pages: pages.size, watched: [...pages].map((page) => page.client), joined: [...pages].map((page) => page.program?.name ?? null) }));
}

const first = () => programs.values().next().value;

server.on("upgrade", (request, socket) => {
  const url = new URL(request.url, "http://localhost");
  if (url.pathname !== "/socket" || url.searchParams.get("token") !== token || Date.now() < refusesUntil) return socket.destroy();
  const program = isDesk ? programs.get(Number(url.searchParams.get("program"))) ?? null : first();
  const page = { client: null, open: null, selected: null, isDirty: false, program };
  page.socket = accept(request, socket, { received: (text) => receive(page, JSON.parse(text)), closed: () => pages.delete(page) });
  pages.add(page);
  sendPrograms(page);
  if (!program) return;
  const { name, pid, system } = program;
  send(page, { type: "hello", version: 1, program: { name, pid, system }, features: ["requests"], clients });
});

const send = (page, message) => page.socket.send(JSON.stringify(message));

function receive(page, message) {
  const world = page.program?.worlds.get(message.client);
  if (!world) return;
  switch (message.type) {
    case "watch":
      page.client = message.client;
      page.open = page.selected = null;
      return sendAll(page, world);
    case "open":
      page.open = message.key;
      page.selected = null;
      return sendDetail(page, world);
    case "close":
      page.open = page.selected = null;
      return;
    case "select":
      page.selected = message.selected;
      page.places = null;
      return sendPlaces(page, world);
    case "preview": {
      const found = world.matching(message.filter);
      return send(page, { type: "preview", id: message.id, count: found.length, keys: found.slice(0, 50).map(({ row }) => row.key) });
    }
    case "do":
      return send(page, { type: "done", id: message.id, ...world.do(message) });
    default:
      send(page, { type: "problem", text: `The message ${message.type} is not known.` });
  }
}

function sendAll(page, world) {
  for (const message of allMessages(world, page.client)) send(page, message);
}

function* allMessages(world, client) {
  yield world.state(client);
  const rows = [...world.entries.values()].map(({ row }) => row);
  for (let start = 0; start === 0 || start < rows.length; start += 2000) {
    yield { type: "entries", client, reset: start === 0, more: start + 2000 < rows.length, options: start === 0 ? world.options : [], rows: rows.slice(start, start + 2000), removed: [] };
  }
  yield { type: "events", client, dropped: 0, events: world.events };
  yield world.outbox(client);
  yield { type: "requests", client, requests: world.requests };
}

function sendDetail(page, world) {
  send(page, { type: "entry", client: page.client, key: page.open, detail: world.detail(page.open) });
}

function sendPlaces(page, world) {
  const places = world.places(page.client, page.selected);
  const text = JSON.stringify(places);
  if (text !== page.places) send(page, places);
  page.places = text;
}

/** Ten times a second: what changed since. */
function sendChanges(program) {
  for (const [client, world] of program.worlds) {
    const rows = [...world.changed].map((id) => world.entries.get(id)?.row).filter(Boolean);
    const watching = [...pages].filter((page) => page.program === program && page.client === client);
    for (const page of watching) {
      if (rows.length > 0 || world.removed.length > 0) send(page, { type: "entries", client, reset: false, more: false, options: [], rows, removed: world.removed });
      if (world.newEvents.length > 0) send(page, { type: "events", client, dropped: 0, events: world.newEvents });
      if (world.newRequests.length > 0) send(page, { type: "requests", client, requests: world.newRequests });
      if (world.outboxChanged) send(page, world.outbox(client));
      const open = page.open === null ? null : world.byKey.get(page.open);
      if (page.open !== null && (!open || world.changed.has(open.row.id))) {
        if (open || !page.isGone) sendDetail(page, world);
        page.isGone = !open;
      }
      if (page.selected) sendPlaces(page, world);
    }
    world.changed.clear();
    Object.assign(world, { removed: [], newEvents: [], newRequests: [], outboxChanged: false });
  }
}
setInterval(() => programs.forEach(sendChanges), 100);
setInterval(() => { for (const page of pages) if (page.client !== null) send(page, page.program.worlds.get(page.client).state(page.client)); }, 500);

if (!isDesk) join("demo", process.pid, "Linux");
server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/?token=${token}`));
