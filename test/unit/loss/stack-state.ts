import { PARTNER_API_KEY, PARTNER_WEBHOOK_STATE } from "../../../provider/src/resources/registration.js";
import type { Properties } from "../../support/plugin-process.ts";
import type { Outcome } from "./host.ts";

/** The two kinds of resource. */
export type Kind = "key" | "webhook";

/** What the engine sends with the inputs of each kind, so that the host finds its handlers. */
export const PROVIDER: Readonly<Record<Kind, string>> = {
  key: PARTNER_API_KEY.__provider,
  webhook: PARTNER_WEBHOOK_STATE.__provider,
};

/** What a program says of one resource. */
export interface Declared {
  readonly kind: Kind;
  /** The provider instance it goes through. */
  readonly account: string;
  readonly args: Properties;
  readonly deleteBeforeReplace: boolean;
}

/** A program: its resources by name. */
export type Program = ReadonlyMap<string, Declared>;

/** One resource in the stack's state. */
export interface Entry {
  readonly name: string;
  readonly kind: Kind;
  account: string;
  readonly id: string;
  inputs: Properties;
  outputs: Properties;
  /** Its initialization failed: the next update calls `update`, changes or not. */
  failed: boolean;
  /** It was replaced and is still to be deleted. */
  condemned: boolean;
  /** It was deleted for a replacement that is still to be created. */
  awaitsReplacement: boolean;
}

/** One call of a handler, with what is needed to judge it. */
export interface Call {
  readonly verb: "check" | "diff" | "create" | "read" | "update" | "delete";
  readonly name: string;
  readonly kind: Kind;
  readonly account: string;
  /** `""` for a resource that is still to be made. */
  readonly id: string;
  /** For `check` the inputs in state, for all others the outputs. */
  readonly olds: Properties;
  readonly news: Properties;
  /** Whether this process has checked the webhook of `olds`: the program still declares it, under some name. */
  readonly declared: boolean;
}

/** Makes a call and looks at what it does. */
export type Witness = <Value>(call: Call, run: () => Promise<Value>) => Promise<Outcome<Value>>;
