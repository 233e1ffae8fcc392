import type { WebhookState } from "../../api/operations.js";
import { newKeyId } from "../../plugin/key-identity.js";
import { completeInputs as completeKeyInputs } from "../../plugin/key-inputs.js";
import { stamps } from "../../plugin/key-stamps.js";
import { knownKey, outputsOf, type HeldKey } from "../../plugin/key-state.js";
import { dayOf } from "../../plugin/rotation-days.js";
import { completeInputs, newWebhook } from "../../plugin/webhook-resource.js";
import { toWire, type Wire } from "../../plugin/wire.js";
import { PARTNER_API_KEY, PARTNER_WEBHOOK_STATE } from "../../resources/registration.js";
import { SECRET_OUTPUTS } from "../../resources/secret-outputs.js";

/** A resource in a file for `pulumi import`. With inputs and outputs, the engine asks no plugin, so a dynamic one can be imported. */
export interface ImportEntry {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly inputs: Wire;
  readonly outputs: Wire;
}

/** A webhook as the first `pulumi up` would leave it in state. */
export function webhookEntry(
  name: string,
  webhookId: number,
  state: WebhookState,
  account: string,
): ImportEntry {
  const { type, __provider } = PARTNER_WEBHOOK_STATE;
  const inputs = completeInputs({ webhookId, state }, account);
  const { id, outs } = newWebhook(inputs, state);
  return {
    type,
    name,
    id,
    inputs: toWire({ ...inputs, __provider }),
    outputs: toWire({ ...outs, __provider }),
  };
}

/** A key as it stands in state, with every secret marked as one. */
export function keyEntry(name: string, key: HeldKey, account: string): ImportEntry {
  const { type, __provider } = PARTNER_API_KEY;
  const inputs = { ...completeKeyInputs({}, account), ...stamps({}, {}, dayOf(Date.now())), __provider };
  const outputs = Object.entries(outputsOf(knownKey(key), inputs)).map(([output, value]) => [
    output,
    value !== null && SECRET_OUTPUTS.includes(output) ? secret(value) : value,
  ]);
  return { type, name, id: newKeyId(), inputs: toWire(inputs), outputs: toWire(Object.fromEntries(outputs)) };
}

/** The text of the file. */
export function importFile(resources: readonly ImportEntry[]): string {
  return `${JSON.stringify({ resources }, null, 2)}\n`;
}

/** How the engine marks a secret in JSON (sdk/go/common/resource/sig): without it, the key would be stored in clear. */
const SIGNATURE = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

function secret(value: unknown): Wire {
  return { ...SIGNATURE, plaintext: JSON.stringify(value) };
}
