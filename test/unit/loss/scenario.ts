import fc from "fast-check";

import type { Fault, KeyAlphabet, ShapeName } from "../../support/sandbox.ts";
import { faults, isSlow, shapes, SHORT_TIMEOUT } from "./arbitraries.ts";
import { Engine } from "./engine.ts";
import { Violation } from "./evidence.ts";
import type { Host } from "./host.ts";
import { obeyRemedies } from "./remedies.ts";
import { Service } from "./service.ts";
import type { Declared, Program } from "./stack-state.ts";
import { Observer } from "./witness.ts";

/** The life of some keys, with faults in every place of the operations that make and delete them. */
export interface Scenario {
  /** For the jitter of retries. */
  readonly jitter: number;
  readonly shape: ShapeName;
  readonly keyAlphabet: KeyAlphabet;
  readonly keys: number;
  readonly parallel: boolean;
  readonly deleteBeforeReplace: boolean;
  readonly oneKeyAtATime: boolean;
  /** Whether the mapping, where the shape needs one, is set only after the first attempts. */
  readonly mappedLate: boolean;
  /** What goes wrong while keys are made. */
  readonly making: readonly Fault[];
  /** How many times the stack is updated under these faults. */
  readonly attempts: number;
  /** Whether all keys are replaced, or rotated in place so that the one from before stays for a while. */
  readonly renewal: "none" | "replace" | "rotate";
  /** What goes wrong while keys are renewed, twice. */
  readonly renewing: readonly Fault[];
  /** What goes wrong while keys are deleted. */
  readonly deleting: readonly Fault[];
}

/** Any such scenario. */
export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  jitter: fc.nat(),
  shape: shapes,
  keyAlphabet: fc.constantFrom<KeyAlphabet[]>("base64url", "hostile"),
  keys: fc.constantFrom(1, 1, 2, 3),
  parallel: fc.boolean(),
  deleteBeforeReplace: fc.boolean(),
  oneKeyAtATime: fc.constantFrom(false, false, false, true),
  mappedLate: fc.boolean(),
  making: fc.array(faults("createApiKey", "createApiKey", undefined), { minLength: 1, maxLength: 3 }),
  attempts: fc.constantFrom(1, 1, 2, 3),
  renewal: fc.constantFrom<Scenario["renewal"][]>("none", "replace", "rotate"),
  renewing: fc.array(faults("createApiKey", "deleteApiKey", undefined), { maxLength: 2 }),
  deleting: fc.array(faults("deleteApiKey", "deleteApiKey", "listWebhooks", undefined), { maxLength: 3 }),
});

const ACCOUNT = "default";

/** What a run of a scenario counted. */
export interface Counts {
  readonly calls: number;
  readonly requests: number;
  readonly posts: number;
  /** Keys that are in no state in the end, each of which an error had announced. */
  readonly leaked: number;
  /** Errors that said that a key exists or may exist. */
  readonly alarms: number;
}

/**
 * Runs a scenario.
 *
 * @param open Starts a plugin process with such a configuration. The seed for its jitter is another one after the service
 * was well again: a process that was told to wait does so.
 * @throws {Violation}
 */
export async function play(
  scenario: Scenario,
  open: (config: Readonly<Record<string, string>>, jitter: number) => Host | Promise<Host>,
): Promise<Counts> {
  const { shape, keyAlphabet, oneKeyAtATime, parallel, jitter } = scenario;
  const strangers = oneKeyAtATime ? 0 : 1;
  const service = await Service.start({ shape, keyAlphabet, oneKeyAtATime, strangers });
  // Where keys are deleted by an id and nothing says so, a live key is not found under its name and counts as gone.
  let mapped = !scenario.mappedLate || shape === "byId";
  const services = new Map([[ACCOUNT, service]]);
  const observer = new Observer(services, () => mapped && service.faults.length === 0);
  const engine = new Engine(
    async () => open(configFor(service, mapped), jitter + service.calms),
    (call, run) => observer.witness(call, run),
  );
  const agree = (): void => {
    observer.ledger.assertAgreement(engine.entries, services);
  };
  try {
    service.inject(...scenario.making);
    for (let attempt = 0; attempt < scenario.attempts; attempt += 1) {
      await engine.up(programOf(scenario, "made"), { parallel });
      agree();
    }
    mapped = true;
    await engine.up(programOf(scenario, "made"), { parallel, refresh: true });
    agree();
    service.calm();
    service.inject(...scenario.renewing);
    for (const occasion of scenario.renewal === "none" ? [] : ["first", "second"]) {
      const program = programOf(scenario, occasion);
      const replace = new Set(scenario.renewal === "replace" ? program.keys() : []);
      await engine.up(program, { parallel, replace });
      agree();
    }
    service.calm();
    service.inject(...scenario.deleting);
    await engine.destroy(parallel);
    agree();
    service.calm();
    const counts = { leaked: observer.ledger.leaked.size, alarms: observer.ledger.alarms };
    if (counts.leaked > counts.alarms) throw new Violation("more keys are left than errors said");
    await obeyRemedies(engine, services, observer.ledger);
    await engine.destroy(parallel);
    assertNothingLeft(engine, service);
    return { ...observer.counts, ...counts };
  } finally {
    await service.sandbox.close();
  }
}

/** @param occasion What keys that rotate are rotated for. */
function programOf({ keys, deleteBeforeReplace, renewal }: Scenario, occasion: string): Program {
  const args = renewal === "rotate" ? { rotation: { trigger: occasion, overlapDays: 1 } } : {};
  const key: Declared = { kind: "key", account: ACCOUNT, args, deleteBeforeReplace };
  return new Map(Array.from({ length: keys }, (_, index) => [`key${index}`, key]));
}

function configFor(service: Service, mapped: boolean): Record<string, string> {
  return {
    "partners:baseUrl": service.sandbox.url,
    "partners:accessToken": service.sandbox.accessToken,
    "partners:requestTimeout": String((service.faults.some(isSlow) ? SHORT_TIMEOUT : 5_000) / 1000),
    ...(mapped && service.mapping && { "partners:responses": service.mapping }),
  };
}

function assertNothingLeft({ entries }: Engine, { sandbox, strangers }: Service): void {
  const left = [...entries.map(({ name }) => name), ...sandbox.apiKeys.filter((key) => !strangers.has(key))];
  if (left.length > 0)
    throw new Violation(`${left.join(", ")} could not be deleted although nothing was wrong`);
}
