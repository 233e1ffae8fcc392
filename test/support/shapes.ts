import { readFileSync } from "node:fs";

/** A response to the creation of a key, as a public service documents it. */
export interface KeyShape {
  /** The service. */
  readonly like: string;
  readonly body: unknown;
  /** Where a person finds the key; `null` if there is none. */
  readonly apiKey: string | null;
  /** Two values are needed, so any one of them, or a refusal, is right. */
  readonly pair?: true;
}

/** A list of webhooks, as a public service documents it. IDs are numbers, as in the Partner API. */
export interface ListShape {
  /** The service. */
  readonly like: string;
  readonly body: unknown;
  /** Where a person finds the list, and in a record the ID and the state; `null` if there is none. */
  readonly webhooks: string;
  readonly webhookId: string;
  readonly webhookState: string | null;
  /** The states of the webhooks; `null` if a person cannot tell either. */
  readonly states: readonly ("active" | "disabled" | null)[];
  readonly complete: boolean;
}

/** The bodies on which the readers are measured. */
export const SHAPES = JSON.parse(readFileSync(new URL("response-shapes.json", import.meta.url), "utf8")) as {
  readonly keys: readonly KeyShape[];
  readonly lists: readonly ListShape[];
};
