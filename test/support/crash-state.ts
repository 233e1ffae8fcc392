import { fingerprint } from "../../provider/src/plugin/key-identity.js";
import type { States } from "./crash-scenario.ts";

/** What a stack's state says about keys and webhooks. */
export interface RecordedState {
  /** The fingerprints of the keys. */
  readonly keys: readonly string[];
  /** The states of the webhooks. */
  readonly webhooks: States;
  /** The states that the webhooks are said to have had before. */
  readonly initial: States;
  /** What was interrupted, as "creating" and the resource's name. */
  readonly pending: readonly string[];
}

interface Resource {
  readonly urn: string;
  readonly type: string;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

interface StateFile {
  readonly checkpoint: {
    readonly latest?: {
      readonly resources?: readonly Resource[];
      readonly pending_operations?: readonly { readonly type: string; readonly resource: Resource }[];
    };
  };
}

/** Reads a state file; nothing in it that is asked for here is encrypted. */
export function readState(text: string): RecordedState {
  const { resources = [], pending_operations = [] } = (JSON.parse(text) as StateFile).checkpoint.latest ?? {};
  const outputsOf = (type: string): NonNullable<Resource["outputs"]>[] =>
    resources.flatMap((resource) =>
      resource.type.endsWith(`:${type}`) && resource.outputs ? [resource.outputs] : [],
    );
  const webhooks = outputsOf("PartnerWebhookState");
  const statesBy = (name: string): States =>
    Object.fromEntries(webhooks.map((outputs) => [outputs["webhookId"], outputs[name]])) as States;
  return {
    keys: outputsOf("PartnerApiKey").map((outputs) => String(outputs["fingerprint"])),
    webhooks: statesBy("state"),
    initial: statesBy("initialState"),
    pending: pending_operations.map(
      ({ type, resource }) => `${type} ${resource.urn.slice(resource.urn.lastIndexOf("::") + 2)}`,
    ),
  };
}

/** The keys that no entry of the state knows. */
export function unknownKeys(apiKeys: readonly string[], { keys }: RecordedState): string[] {
  return apiKeys.filter((key) => !keys.includes(String(fingerprint(key))));
}
