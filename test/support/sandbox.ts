/** The sandbox of the package, extended for our own tests: responses in many shapes, and network faults. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

import { json, type Answer } from "../../provider/dist/sandbox/partner-account.js";
import { runSandbox, type OperationCall } from "../../provider/dist/sandbox/sandbox.js";
import type * as published from "../../provider/dist/sandbox/sandbox.js";
import { applyFault, FaultQueue, takesEffect, type Fault } from "./faults.ts";
import { SHAPES, type Shape, type ShapeName } from "./shapes.ts";

export type {
  LoggedRequest,
  Operation,
  WebhookSeed,
  WebhookState,
} from "../../provider/dist/sandbox/sandbox.js";
export type { Fault } from "./faults.ts";
export { SHAPES, type IssuedKey, type Shape, type ShapeName } from "./shapes.ts";

/** Options of {@link startSandbox}. */
export interface SandboxOptions extends published.SandboxOptions {
  /** Overrides `keys` if it deletes by the ID. @default the answers of the sandbox of the package */
  readonly shape?: ShapeName | Shape;
  /** `"hostile"`: new keys contain every character with a special meaning in a URL. */
  readonly keyAlphabet?: "hostile";
  /** See {@link Sandbox.inject}. @default [] */
  readonly faults?: readonly Fault[];
  /** The prefix of every path. @default "" */
  readonly basePath?: string;
  /** Returns the answer to a call that the service treats in its own way. @default performs every call */
  readonly refuse?: (call: OperationCall) => Answer | null;
  /** The time that responses show, in milliseconds since the epoch. @default `Date.now` */
  readonly currentTime?: () => number;
}

/** A running sandbox that can fail on demand. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Starts the sandbox of the package with faults and shapes. */
export async function startSandbox(options: SandboxOptions = {}) {
  const shape = typeof options.shape === "string" ? SHAPES[options.shape] : options.shape;
  const faults = new FaultQueue();
  faults.add(options.faults ?? []);
  const perform = shape === undefined ? (call: OperationCall) => call.perform() : shaped(shape);

  const calls: { readonly method: string | undefined; readonly port: number }[] = [];

  const intercept = async (call: OperationCall): Promise<Answer | undefined> => {
    const { method, socket } = call.response.req;
    calls.push({ method, port: socket.remotePort ?? 0 });
    if (options.currentTime) call.response.setHeader("date", new Date(options.currentTime()).toUTCString());
    const fault = faults.next(call.operation);
    const answer = !fault || takesEffect(fault) ? (options.refuse?.(call) ?? perform(call)) : NOT_PERFORMED;
    return fault ? applyFault(call, answer, fault) : answer;
  };

  const keys = shape?.deleteBy === "id" ? { keys: "byId" as const } : {};
  const sandbox = await runSandbox(
    { ...options, ...keys },
    {
      intercept,
      basePath: options.basePath ?? "",
      ...(options.keyAlphabet === "hostile" && { generateKey: hostileKey }),
    },
  );
  return Object.assign(sandbox, {
    /** Adds faults. Each call triggers at most one: the first whose turn it is. */
    inject: (...more: readonly Fault[]): void => {
      faults.add(more);
    },
    /** Removes the pending faults. */
    clearFaults: (): void => {
      faults.clear();
    },
    /** Returns the client's port of each call with a method. Calls with the same port share a connection. */
    connections: (method: string): number[] =>
      calls.filter((call) => call.method === method).map(({ port }) => port),
    /**
     * Performs the next request, but holds back its response.
     *
     * @param skip The number of requests to let pass first.
     */
    hold: (skip = 0) => {
      const reached = Promise.withResolvers<ServerResponse>();
      const released = Promise.withResolvers<null>();
      const until = (response: ServerResponse): Promise<unknown> => {
        reached.resolve(response);
        return released.promise;
      };
      faults.add([{ kind: "hold", skip, until }]);
      return {
        /** Resolves when the request has been performed. */
        reached: reached.promise,
        /** Sends the response. Resolves when the operating system has accepted it. */
        release: async (): Promise<void> => {
          const sent = once(await reached.promise, "finish");
          released.resolve(null);
          await sent;
        },
      };
    },
  });
}

/** Starts a sandbox that is closed when the test ends. */
export async function sandboxFor(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** A placeholder for an answer that a fault replaces. Never sent. */
const NOT_PERFORMED = json(500, {});

/** The answer of the sandbox of the package to the creation of a key. It has an ID if that matters there. */
interface CreatedKey {
  readonly apiKey: string;
  readonly id?: string;
}

/** Returns a function that performs operations and shapes their answers. */
function shaped(shape: Shape): (call: OperationCall) => Answer {
  const render = ({ status }: Answer, value: unknown): Answer =>
    Buffer.isBuffer(value) ? { status, headers: {}, body: value } : json(status, value);

  return (call) => {
    const answer = call.perform();
    if (answer.status >= 300) return answer;
    const body: unknown = JSON.parse(String(answer.body));
    if (call.operation === "listWebhooks")
      return render(answer, shape.webhooks(body as published.WebhookSeed[], tokenOf(call)));
    if (call.operation !== "createApiKey") return answer;
    const { apiKey: key, id = `key_${randomBytes(6).toString("hex")}` } = body as CreatedKey;
    return render(answer, shape.apiKey({ key, id, createdAt: new Date().toISOString() }, tokenOf(call)));
  };
}

/** Returns the access token of a call. */
export function tokenOf({ response }: OperationCall): string {
  return (response.req.headers.authorization ?? "").replace("Bearer ", "");
}

/**
 * Generates a key. The random characters after "%" sometimes form a percent-escape, which must survive too.
 */
function hostileKey(): string {
  const random = (bytes: number): string => randomBytes(bytes).toString("base64url");
  return `pk_live_${["/", "+", "=", "%", "?", "$"].map((hostile) => random(3) + hostile).join("")}${random(9)}`;
}
