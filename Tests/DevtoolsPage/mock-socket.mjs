// The server's side of WebSockets, as far as the page needs it: a handshake, text frames, and a close.

import { createHash } from "node:crypto";

const magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Accepts an upgrade. `received(text)` is called for each text, `closed()` once. */
export function accept(request, socket, { received, closed }) {
  const key = createHash("sha1").update(request.headers["sec-websocket-key"] + magic).digest("base64");
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`);
  socket.setNoDelay(true);
  let pending = Buffer.alloc(0);
  socket.on("data", (data) => {
    pending = Buffer.concat([pending, data]);
    for (let frame = readFrame(pending); frame; frame = readFrame(pending)) {
      pending = pending.subarray(frame.size);
      if (frame.opcode === 1) received(frame.payload.toString("utf8"));
      if (frame.opcode === 8) socket.end();
      if (frame.opcode === 9) socket.write(makeFrame(frame.payload, 10));
    }
  });
  socket.on("error", () => {});
  socket.on("close", closed);
  return { send: (text) => socket.write(makeFrame(Buffer.from(text, "utf8"), 1)), drop: () => socket.destroy() };
}

function readFrame(data) {
  if (data.length < 2) return null;
  let length = data[1] & 0x7f;
  let start = 2;
  if (length === 126) {
    if (data.length < 4) return null;
    length = data.readUInt16BE(2);
    start = 4;
  } else if (length === 127) {
    if (data.length < 10) return null;
    length = Number(data.readBigUInt64BE(2));
    start = 10;
  }
  const isMasked = (data[1] & 0x80) !== 0;
  const from = start + (isMasked ? 4 : 0);
  if (data.length < from + length) return null;
  const payload = Buffer.from(data.subarray(from, from + length));
  if (isMasked) for (let index = 0; index < length; index++) payload[index] ^= data[start + (index & 3)];
  return { opcode: data[0] & 0x0f, payload, size: from + length };
}

function makeFrame(payload, opcode) {
  const { length } = payload;
  const header = length < 126 ? Buffer.from([0x80 | opcode, length])
    : length < 65536 ? Buffer.from([0x80 | opcode, 126, length >> 8, length & 255]) : Buffer.alloc(10);
  if (length >= 65536) {
    header[0] = 0x80 | opcode;
    header[1] = 127;
    header.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([header, payload]);
}
