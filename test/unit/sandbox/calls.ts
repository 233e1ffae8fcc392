import { connect } from "node:net";
import { once } from "node:events";
import { API_ROOT, OPERATIONS, type Operation } from "../../../provider/src/api/operations.js";
import type { Sandbox } from "../../../provider/src/sandbox/index.js";

/** The path of an operation, as a careful client writes it. */
export function pathOf(operation: Operation, parameter: string | number = ""): string {
  return API_ROOT + OPERATIONS[operation].template.replace(/\{\w+\}/, () => encodeURIComponent(parameter));
}

/** Calls an operation with fetch and the valid token. */
export function call(
  sandbox: Sandbox,
  operation: Operation,
  parameter?: string | number,
  init?: RequestInit,
): Promise<Response> {
  return fetch(sandbox.url + pathOf(operation, parameter), {
    method: OPERATIONS[operation].method,
    headers: { authorization: `Bearer ${sandbox.accessToken}` },
    redirect: "manual",
    ...init,
  });
}

/** What came over a connection, and how it ended. */
export interface Wire {
  readonly text: string;
  readonly end: "fin" | "reset" | "open";
}

/** Calls an operation over a bare socket, and watches it until it ends, or `patience` milliseconds have passed in silence. */
export async function watch(sandbox: Sandbox, operation: Operation, patience = 0): Promise<Wire> {
  const socket = connect(Number(new URL(sandbox.url).port), "127.0.0.1");
  const chunks: Buffer[] = [];
  let end: Wire["end"] = "open";
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("end", () => (end = "fin"));
  socket.on("error", (error: NodeJS.ErrnoException) => (end = error.code === "ECONNRESET" ? "reset" : end));
  if (patience > 0) socket.setTimeout(patience, () => socket.destroy());
  const { method } = OPERATIONS[operation];
  const closed = once(socket, "close").catch(() => once(socket, "close")); // A reset comes as "error" first.
  socket.write(`${method} ${pathOf(operation)} HTTP/1.1\r\nhost: sandbox\r\nconnection: close\r\n`);
  socket.write(`authorization: Bearer ${sandbox.accessToken}\r\n\r\n`);
  await closed;
  return { text: Buffer.concat(chunks).toString(), end };
}

/** The body behind the head of a response. */
export function bodyOf(wire: Wire): string {
  return wire.text.slice(wire.text.indexOf("\r\n\r\n") + 4);
}

/** Resolves when the sandbox has received this many requests. */
export async function received(sandbox: Sandbox, count: number): Promise<void> {
  while (sandbox.requests.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}
