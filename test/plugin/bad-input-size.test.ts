import { describe, expect, it } from "vitest";

import { peakMemory } from "../support/process.ts";
import type { Plugin } from "../support/plugin-process.ts";
import { answeredWith, HOOK } from "./answered.ts";
import { errorOf, KEY } from "./partners.ts";

const MIB = 2 ** 20;

/** A body without end, as it seems, that counts what is taken of it. */
function gibibyte(): { body: Iterable<Buffer>; taken: () => number } {
  const piece = Buffer.alloc(64 * 1024, "x");
  let taken = 0;
  function* pieces(): Iterable<Buffer> {
    for (; taken < 1024 * MIB; taken += piece.length) yield piece;
  }
  return { body: pieces(), taken: () => taken / MIB };
}

/** The most memory that a plugin has had so far, in MiB; 0 where the system does not tell. */
function peakOf({ pid }: Plugin): number {
  return Math.round(peakMemory(pid) ?? 0);
}

describe("a body of 1 GiB", () => {
  it.each<[operation: string, limit: number, memory: number, call: (plugin: Plugin) => Promise<unknown>]>([
    ["listWebhooks", 64, 300, (plugin) => errorOf(plugin.read("101", HOOK))],
    [
      "deleteApiKey",
      1,
      64,
      (plugin) => plugin.delete("key-1", { ...KEY, apiKey: "k_0123456789", keyId: null }),
    ],
    // What is kept of it is too much for this test's client, but not for the engine: test/engine/canary.test.ts.
    ["createApiKey", 4, 300, (plugin) => errorOf(plugin.create(KEY))],
  ])(
    "in answer to %s is read up to %i MiB, and costs less than %i MiB",
    async (_operation, limit, memory, call) => {
      const { body, taken } = gibibyte();
      const plugin = await answeredWith(body);
      const before = peakOf(plugin);
      await call(plugin);
      expect(taken()).toBeLessThan(limit + 16); // And what is under way in buffers of the system.
      expect(peakOf(plugin) - before).toBeLessThan(memory);
    },
  );

  it("beside an error is read up to 1 MiB", async () => {
    const { body, taken } = gibibyte();
    const plugin = await answeredWith(body, { status: 403 });
    const before = peakOf(plugin);
    const { message } = await errorOf(plugin.read("101", HOOK));
    expect(message).toContain("the server answered 403");
    expect(taken()).toBeLessThan(17);
    expect(peakOf(plugin) - before).toBeLessThan(64);
  });
});

/** An array of JSON with so many elements. */
function arrayOf(length: number, element: (index: number) => string): string {
  return `[${Array.from({ length }, (_, index) => element(index)).join(",")}]`;
}

/** Half of what Node allows itself on a machine of 8 GB. */
const SMALL = { NODE_OPTIONS: "--max-old-space-size=1024" };

/**
 * Little more than a list of 200,000 needs (80 with Node 24, 104 with Node 22, measured). With more to spare, what a process
 * takes is mostly garbage, collected the later the busier the machine: 278 to 353 MiB.
 */
const TIGHT = { NODE_OPTIONS: "--max-old-space-size=112 --max-semi-space-size=4" };

describe("a list of webhooks", () => {
  it("may have 200,000 of them", async () => {
    const body = arrayOf(
      200_000,
      (index) =>
        `{"id":${index},"url":"https://hooks.example.com/${index}","status":"disabled","secret":"whsec_${index}"}`,
    ).replace('"id":0,', '"id":200000,');
    const plugin = await answeredWith(body, { env: TIGHT });
    expect(await plugin.read("101", HOOK)).toMatchObject({ id: "101", properties: { state: "disabled" } });
    expect((await errorOf(plugin.update("999999", HOOK, { ...HOOK, webhookId: 999_999 }))).message).toMatch(
      /^webhook 999999: it does not exist .* Webhooks that exist: (\d+, ){19}\d+, and 199980 more\./,
    );
    expect(peakOf(plugin)).toBeLessThan(350); // 248 to 284 measured, of which 137 are the SDK's host.
  });

  it("is refused before it is parsed if it has more than 4 million values, which could end the process", async () => {
    const plugin = await answeredWith(Buffer.from(`[${"{},".repeat(20_000_000)}{}]`), { env: SMALL });
    const { message } = await errorOf(plugin.read("101", HOOK));
    expect(message).toContain("It has more than 64 MiB or 4 million values. Check that partners:baseUrl is");
    expect(peakOf(plugin)).toBeLessThan(500);
  });

  it("may have a little less, and is read with 1 GiB of memory for objects", async () => {
    const plugin = await answeredWith(
      arrayOf(1_999_000, (index) => `{"id":${index + 1}}`),
      { env: SMALL },
    );
    expect(await plugin.read("101", HOOK, undefined, 100_000)).toMatchObject({ id: "101" });
    expect(peakOf(plugin)).toBeLessThan(1600);
  }, 120_000);
});
