#!/usr/bin/env node
// Serves the page and plays a program, so that the page can be worked on and tested without one.
//
//   node mock-server.mjs [--port 8123] [--entries 300] [--can-advance] [--token t]
//
// POST /mock/drop?ms=2000 drops all connections and refuses new ones for that long. POST /mock/burst?count=5000 makes
// events. POST /mock/restart plays a new run of the program.

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

let pid = process.pid;
const makeWorlds = () => new Map([
  [1, new World({ entries: Number(option("entries", 300)), canAdvance: process.argv.includes("--can-advance") })],
  [2, new World({ entries: 20, seed: 11 })],
]);
let worlds = makeWorlds();
const pages = new Set();
let refusesUntil = 0;

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  if (url.pathname.startsWith("/mock/")) return control(url, response);
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

function control(url, response) {
  const number = (name, otherwise) => Number(url.searchParams.get(name) ?? otherwise);
  if (url.pathname === "/mock/drop") {
    refusesUntil = Date.now() + number("ms", 0);
    for (const page of pages) page.socket.drop();
  } else if (url.pathname === "/mock/burst") {
    const world = worlds.get(1);
    const entries = [...world.byKey.values()];
    for (let count = number("count", 5000); count > 0; count--) world.event("written", { entry: world.pick(entries), causes: ["requested"] });
  } else if (url.pathname === "/mock/mutate") {
    worlds.get(1).mutate(url.searchParams.get("name") ?? undefined);
  } else if (url.pathname === "/mock/restart") {
    for (const world of worlds.values()) world.stop();
    worlds = makeWorlds();
    pid += 1;
    for (const page of pages) page.socket.drop();
  }
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ pages: pages.size, watched: [...pages].map((page) => page.client) }));
}

server.on("upgrade", (request, socket) => {
  const url = new URL(request.url, "http://localhost");
  if (url.pathname !== "/socket" || url.searchParams.get("token") !== token || Date.now() < refusesUntil) return socket.destroy();
  const page = { client: null, open: null, isDirty: false };
  page.socket = accept(request, socket, { received: (text) => receive(page, JSON.parse(text)), closed: () => pages.delete(page) });
  pages.add(page);
  const clients = [{ id: 1, name: "QueryClient" }, { id: 2, name: "PreviewClient" }];
  send(page, { type: "hello", version: 1, program: { name: "demo", pid, system: "Linux" }, features: ["requests"], clients });
});

const send = (page, message) => page.socket.send(JSON.stringify(message));

function receive(page, message) {
  const world = worlds.get(message.client);
  switch (message.type) {
    case "watch":
      page.client = message.client;
      page.open = null;
      return sendAll(page, world);
    case "open":
      page.open = message.key;
      return sendDetail(page, world);
    case "close":
      page.open = null;
      return;
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
  const { client } = page;
  send(page, world.state(client));
  const rows = [...world.entries.values()].map(({ row }) => row);
  for (let start = 0; start === 0 || start < rows.length; start += 2000) {
    send(page, { type: "entries", client, reset: start === 0, more: start + 2000 < rows.length, options: start === 0 ? world.options : [], rows: rows.slice(start, start + 2000), removed: [] });
  }
  send(page, { type: "events", client, dropped: 0, events: world.events });
  send(page, world.outbox(client));
  send(page, { type: "requests", client, requests: world.requests });
}

function sendDetail(page, world) {
  send(page, { type: "entry", client: page.client, key: page.open, detail: world.detail(page.open) });
}

/** Ten times a second: what changed since. */
function sendChanges() {
  for (const [client, world] of worlds) {
    const rows = [...world.changed].map((id) => world.entries.get(id)?.row).filter(Boolean);
    const watching = [...pages].filter((page) => page.client === client);
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
    }
    world.changed.clear();
    Object.assign(world, { removed: [], newEvents: [], newRequests: [], outboxChanged: false });
  }
}
setInterval(sendChanges, 100);
setInterval(() => { for (const page of pages) if (page.client !== null) send(page, worlds.get(page.client).state(page.client)); }, 500);

server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/?token=${token}`));
