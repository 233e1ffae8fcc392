import { Violation } from "../loss/evidence.ts";
import { heldIn } from "../loss/held.ts";
import type { Entry, Program } from "../loss/stack-state.ts";

const DAY = 86_400_000;

interface Rotation {
  readonly trigger?: string | null;
  readonly afterDays?: number;
}

/** Knows which key belongs to which trigger, from the updates that succeeded. */
export class RotationRules {
  readonly #seen = new Map<string, { readonly trigger: string; readonly apiKey: unknown }>();

  /**
   * Makes sure, after an update that succeeded, that each key is the one that the program asks for.
   *
   * @param busy Resources for which something else came first, so that a rotation is left to the next update.
   * @throws {Violation}
   */
  assertRotated(program: Program, entries: readonly Entry[], busy: ReadonlySet<string>): void {
    for (const { id, name, kind, outputs } of entries) {
      if (kind !== "key" || busy.has(id)) continue;
      const { trigger } = (program.get(name)?.args["rotation"] ?? {}) as Rotation;
      if (trigger == null) continue;
      const { apiKey } = outputs;
      const before = this.#seen.get(id);
      if (before && before.trigger !== trigger && before.apiKey === apiKey)
        throw new Violation(`${name} was to be rotated, and was not`);
      if (before?.trigger === trigger && before.apiKey !== apiKey && !isAging(program, name))
        throw new Violation(`${name} was rotated, and nobody asked for it`);
      this.#seen.set(id, { trigger, apiKey });
    }
  }
}

/** The resources whose key is still to be found in a kept response: one thing is done at a time. */
export function busyIn(entries: readonly Entry[]): ReadonlySet<string> {
  const busy = entries.filter(({ kind, outputs }) => kind === "key" && heldIn(outputs).unread !== null);
  return new Set(busy.map(({ id }) => id));
}

function isAging(program: Program, name: string): boolean {
  return ((program.get(name)?.args["rotation"] ?? {}) as Rotation).afterDays !== undefined;
}

/** When nothing is left to do, no key is too old, and none from before is there after its time. @throws {Violation} */
export function assertInTime(program: Program, entries: readonly Entry[], now: number): void {
  for (const { name, kind, outputs } of entries) {
    if (kind !== "key") continue;
    const { previousApiKey, previousExpiresAt, rotatedAt, createdAt } = outputs;
    if (previousApiKey !== null && !(Date.parse(String(previousExpiresAt)) > now))
      throw new Violation(`the time of the previous key of ${name} is up`);
    const { afterDays = Infinity } = (program.get(name)?.args["rotation"] ?? {}) as Rotation;
    const since = Date.parse(String(rotatedAt ?? createdAt));
    if (!(now - since < (afterDays + 1) * DAY)) throw new Violation(`the key of ${name} is too old`);
  }
}
