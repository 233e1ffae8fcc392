/**
 * Advice is executed: each remedy in a message is followed to the letter, and must end its situation.
 * `test/engine/drills.test.ts` has the remedies that depend on the engine.
 */
import { expect, it } from "vitest";

import { KEY_DRILLS } from "./key-drills.ts";
import { WEBHOOK_DRILLS } from "./webhook-drills.ts";
import { expectPeace } from "./person.ts";

const DRILLS = { ...KEY_DRILLS, ...WEBHOOK_DRILLS };

it.each(Object.keys(DRILLS))("whoever follows %j ends the situation", async (words) => {
  const person = await DRILLS[words]?.(words);
  if (person === undefined) throw new Error("no drill");
  expect(person.followed).toContain(words);
  await expectPeace(person);
});
