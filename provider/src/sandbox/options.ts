import type { WebhookState } from "../api/operations.js";
import type { Fault } from "./faults.js";
import type { Shape, ShapeName } from "./shapes.js";

/** A webhook as the sandbox is given it. */
export interface WebhookSeed {
  /** The id, a positive integer. */
  readonly webhookId: number;
  /** The state it starts in. */
  readonly state: WebhookState;
}

/**
 * How many requests the sandbox lets through; what exceeds it is answered with 429 and changes nothing.
 *
 * @example
 * ```ts
 * const rateLimit = { requests: 20, perSeconds: 1, retryAfter: "none" } as const;
 * ```
 */
export interface RateLimit {
  /** Requests allowed in any window of `perSeconds`, 1 or more. */
  readonly requests: number;
  /** Length of the window, in seconds, above 0. */
  readonly perSeconds: number;
  /**
   * How the `retry-after` header of a 429 is written.
   * @default "seconds"
   */
  readonly retryAfter?: "seconds" | "date" | "none";
}

/** Settings of {@link startSandbox}; all optional. */
export interface SandboxOptions {
  /**
   * The port on 127.0.0.1, up to 65535; 0 takes any free one.
   * @default 0
   */
  readonly port?: number;
  /**
   * The token that every request has to carry, visible ASCII characters.
   * @default a random one
   */
  readonly accessToken?: string;
  /**
   * A path that everything is served below, such as `/gateway/eu`.
   * @default ""
   */
  readonly basePath?: string;
  /**
   * The webhooks that exist.
   * @default 101 and 102 active, 103 disabled
   */
  readonly webhooks?: readonly WebhookSeed[];
  /**
   * API keys that exist already.
   * @default []
   */
  readonly apiKeys?: readonly string[];
  /**
   * What the bodies of responses look like: a preset of {@link SHAPES}, or functions of your own.
   * @default "flat"
   */
  readonly shape?: ShapeName | Shape;
  /**
   * Which characters new keys are made of; `"hostile"` ones always contain `/`, `+`, `=`, `%`, `?` and `#`, so
   * that a client which forgets to percent-encode them is found out.
   * @default "base64url"
   */
  readonly keyAlphabet?: KeyAlphabet;
  /**
   * What goes wrong, in this order; see {@link Sandbox.inject}.
   * @default []
   */
  readonly faults?: readonly Fault[];
  /**
   * Milliseconds between the effect of a request and its answer. A client that gives up in between has
   * changed the account all the same.
   * @default 0
   */
  readonly latency?: number;
  /**
   * A limit on requests.
   * @default none
   */
  readonly rateLimit?: RateLimit;
  /**
   * Answer 409 to the creation of a key while another one exists.
   * @default false
   */
  readonly oneKeyAtATime?: boolean;
}

/** The characters of new keys: those of base64url, or all that mean something in a URL as well. */
export type KeyAlphabet = "base64url" | "hostile";
