import fc from "fast-check";

import type { KeyAlphabet } from "../../support/sandbox.ts";
import { shapes } from "../loss/arbitraries.ts";
import type { ServiceOptions } from "../loss/service.ts";
import type { Declared } from "../loss/stack-state.ts";
import type { Command } from "./commands.ts";
import { runs } from "./engine-commands.ts";
import { WEBHOOKS } from "./model.ts";
import { configuration } from "./configuration-commands.ts";
import { edits } from "./program-commands.ts";
import { programs } from "./programs.ts";
import { calms, drift, storms, time } from "./service-commands.ts";
import type { Settings } from "./settings.ts";

/** What there is before anything happens. */
export interface Beginning {
  /** The service of each account. */
  readonly services: Readonly<Record<string, ServiceOptions>>;
  readonly mapping: Settings["mapping"];
  readonly program: readonly [string, Declared][];
  /** For the jitter of retries. */
  readonly jitter: number;
}

const services: fc.Arbitrary<ServiceOptions> = fc.record({
  shape: shapes,
  keyAlphabet: fc.constantFrom<KeyAlphabet[]>("base64url", "hostile"),
  strangers: fc.constantFrom(0, 1),
  webhooks: fc.constant(WEBHOOKS.map((webhookId) => ({ webhookId, state: "active" as const }))),
});

/** Any beginning. Nobody sets a mapping wrongly before it is missed. */
export const beginnings: fc.Arbitrary<Beginning> = fc.record({
  services: fc.record({ default: services, eu: services }),
  mapping: fc.constantFrom<Settings["mapping"][]>("right", "none"),
  program: programs,
  jitter: fc.nat(),
});

/** A run of Pulumi, with faults or without: those that come at other times have mostly passed when one begins. */
const struckRuns = fc
  .tuple(fc.array(storms, { maxLength: 2 }), runs)
  .map(([faults, run]): Command[] => [...faults, run]);

const alone = (command: Command): Command[] => [command];

/** Whatever may happen afterwards, in this order; what makes no sense when its turn comes is passed over. */
export const lives: fc.Arbitrary<Command[]> = fc
  .array(
    fc.oneof(
      { weight: 36, arbitrary: edits.map(alone) },
      { weight: 28, arbitrary: struckRuns },
      { weight: 8, arbitrary: drift.map(alone) },
      { weight: 5, arbitrary: configuration.map(alone) },
      { weight: 5, arbitrary: time.map(alone) },
      { weight: 18, arbitrary: calms.map(alone) },
    ),
    { maxLength: 60, size: "max" },
  )
  .map((parts) => parts.flat());
