import { expect, it } from "vitest";

import { LARGE_BODIES } from "../support/large-bodies.ts";
import { startListing } from "../support/listing-plugin.ts";

const MIB = 8;
/** Twelve times the body. */
const HEAP = `--max-old-space-size=${12 * MIB}`;

it.each([
  ["numbers", /^GET \/webhooks at .*: the list has too many values/],
  ["nested arrays", /: the list has too many values/],
  ["objects with a name each", /: the list has too many values/],
  ["objects next to the list", /: the list has too many values/],
  ["long strings", /^\d{7,8} bytes$/],
  ["webhooks", /^\d{7,8} bytes$/],
])("a list of 8 MiB of %s takes no more than 12 times its size", async (what, expected) => {
  const { list, close } = await startListing(Buffer.from(LARGE_BODIES[what]?.(MIB) ?? ""), [HEAP]);
  try {
    expect(await list()).toMatch(expected);
  } finally {
    await close();
  }
});
