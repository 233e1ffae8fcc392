import type { CheckFailure, ResourceProvider } from "@pulumi/pulumi/dynamic";

import { PartnerError } from "../api/errors.js";
import { assertOwnAccount } from "./account-guard.js";
import { answering } from "./lifetime.js";
import { configureSession, inOwnTerms } from "./session.js";
import { toWire, type Wire } from "./wire.js";

/** Properties as they come from the host; anything may be in them, from any version of the program. */
export type Properties = Readonly<Record<string, unknown>>;

/** What a resource's handlers are, before the boundary makes them safe for the host. */
export interface Handlers {
  /** Completes and judges inputs. @param olds The inputs in state; empty for a new resource. */
  check(olds: Properties, news: Properties): Promise<{ inputs: Properties; problems: readonly string[] }>;
  /** Compares outputs in state with checked inputs; asks nobody. */
  diff(olds: Properties, news: Properties): { changes: boolean; replaces: string[] };
  create(inputs: Properties): Promise<{ id: string; outs: Properties }>;
  /** @returns `null` for a resource that is gone; `inputs` only where they can have drifted. */
  read(id: string, olds: Properties): Promise<{ props: Properties; inputs?: Properties } | null>;
  update(id: string, olds: Properties, news: Properties): Promise<{ outs: Properties }>;
  delete(id: string, olds: Properties): Promise<void>;
}

/**
 * Thrown by `create` and `update` when the resource exists and must be kept in state although something is still to be
 * done. The host recognises it by `id`, so no other error may have a member of that name.
 */
export class InitializationError extends Error {
  readonly id: string;
  readonly properties: Wire;
  readonly reasons: string[];

  constructor(id: string, properties: Properties, reason: string) {
    super(reason);
    this.id = id;
    this.properties = toWire(properties);
    this.reasons = [reason]; // The engine prints these and not the message.
  }
}

/**
 * Wraps handlers so that nothing can reach the host which it does not stand: no `undefined`, no error from `check` and
 * `diff`, no stack trace (the host prints those of `read` and `delete`), and no foreign message, as the messages of Node
 * and JSON.parse repeat their input.
 */
export function atBoundary(handlers: Handlers): ResourceProvider {
  return {
    // Not async: the host does not wait for it before it calls the rest.
    configure: ({ config }) => {
      configureSession(config);
      return Promise.resolve();
    },
    check: (olds: Properties, news: Properties) =>
      answering(async () => {
        try {
          const { inputs, problems } = await handlers.check(olds, news);
          return { inputs: toWire(inputs), failures: problems.map(failure) };
        } catch (error) {
          return { inputs: toWire(news), failures: [failure(messageOf(error))] };
        }
      }),
    diff: (_id, olds: Properties, news: Properties) => {
      try {
        return Promise.resolve(handlers.diff(olds, news));
      } catch {
        return Promise.resolve({ changes: true }); // `update` observes for itself, and can say what is wrong.
      }
    },
    create: (inputs: Properties) =>
      answering(async () => {
        const { id, outs } = await handlers.create(inputs).catch(rethrow);
        return { id, outs: toWire(outs) };
      }),
    read: (id, olds: Properties = {}) =>
      answering(async () => {
        const found = await owned(olds, () => handlers.read(id, olds)).catch(rethrow);
        if (!found) return { id: "" };
        return {
          id,
          props: toWire(found.props),
          ...(found.inputs && { inputs: toWire(found.inputs) }),
        };
      }),
    update: (id, olds: Properties, news: Properties) =>
      answering(async () => {
        const { outs } = await owned(olds, () => handlers.update(id, olds, news)).catch(rethrow);
        return { outs: toWire(outs) };
      }),
    delete: (id, olds: Properties) =>
      answering(() => owned(olds, () => handlers.delete(id, olds)).catch(rethrow)),
  };
}

/** Runs what touches an existing resource, if it is ours to touch. */
async function owned<Result>(olds: Properties, handle: () => Promise<Result>): Promise<Result> {
  assertOwnAccount(olds);
  return handle();
}

/** Names no property, because the engine prints the value of one that is named, be it secret or not. */
function failure(reason: string): CheckFailure {
  return { property: "", reason };
}

function rethrow(error: unknown): never {
  if (error instanceof InitializationError) throw error;
  throw withoutStack(messageOf(error));
}

/** The host prints `${error}: ${error.stack}` for some handlers, and the message for all: so the former is kept to a word. */
function withoutStack(message: string): Error {
  const error = new Error(message);
  error.stack = "the resource's own error follows";
  error.toString = () => "pulumi-partners";
  return error;
}

/** What a person may read of an error: all of ours, of any other only its kind and place. */
export function messageOf(error: unknown): string {
  if (error instanceof PartnerError) return `${inOwnTerms(error.message)} [${error.code}]`;
  const kind = error instanceof Error ? error.name : typeof error;
  return `An unexpected ${kind} in pulumi-partners${placeOf(error)}. This is a bug: please report it with this line. [PARTNERS_BUG]`;
}

/** File and line of the innermost frame in our own code: enough for a report, and free of anybody's data. */
function placeOf(error: unknown): string {
  const frame = error instanceof Error ? /[\\/]([a-z-]+\.(?:js|ts):\d+)/.exec(error.stack ?? "") : null;
  return frame ? ` at ${frame[1] ?? ""}` : "";
}
