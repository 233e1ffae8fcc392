/** What the pages say of the rotations of a key, followed step by step in both forms. */
import { runInThisContext } from "node:vm";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";

import { LONG } from "../support/random.ts";
import { page, sectionOf } from "../unit/docs/pages.ts";
import { follow, nothing } from "./follow-steps.ts";
import { shopFor } from "./shop-stack.ts";
import { blocksOf, countRequests, HOSTS, UNCHANGED } from "./support.ts";

const KEYS = "docs/keys.md";
const TESTING = "docs/testing.md";

describe.runIf(LONG).each(HOSTS)("with the %s form,", (host) => {
  it("a rotation is followed up until all consumers have the new key", async () => {
    const rotation = { afterDays: 90, overlapDays: 7, trigger: "1" };
    const { api, stack, run, shell, program, keyOf, readers } = await shopFor(host, { rotation });
    program.rotation = { ...rotation, trigger: "2" };
    expect(await run("up")).toMatchObject({ error: "" });
    // The preview of step 2 finds the stack that has not been updated.
    const { code } = await stack.shell("pulumi preview --expect-no-changes --stack shop");
    expect(code).toBe(7);
    const people = [
      ["run `pulumi up` there", readers[1]],
      ["Compare", nothing],
      ["Ask the service whether", nothing],
      [
        "raise `overlapDays` and run `pulumi up`",
        async () => {
          program.rotation = { ...rotation, trigger: "2", overlapDays: 30 };
          await shell("pulumi up");
        },
      ],
    ] as const;
    const [shown = ""] = await follow(KEYS, "### Do the consumers have the new key", { stack, people });
    const current = [...api.keys][1] ?? "";
    expect([await keyOf("dev"), await keyOf("shop")]).toEqual([current, current]);
    expect(shown).toMatch(RegExp(`checkout ends in ${current.slice(-4)}, previous key until \\d{4}-`));
    expect(await run("up", UNCHANGED)).toMatchObject({ error: "" });
    await shell("pulumi preview --expect-no-changes --stack shop");
  });

  it("consumers go back to the previous key, and get the current one when the overlap ends", async () => {
    const rotation = { afterDays: 90, overlapDays: 7, trigger: "1" };
    const { api, stack, run, program, keyOf } = await shopFor(host, { rotation });
    program.rotation = { ...rotation, trigger: "2" };
    expect(await run("up")).toMatchObject({ error: "" });
    const [previous = "", current = ""] = api.keys;
    let fallback = program.choose;
    await stack.write("shift.cjs", await clockShift());
    const inDays = (days: number) =>
      stack.shell(`NODE_OPTIONS="--require $PWD/shift.cjs" REHEARSE_DAYS=${days} pulumi up --skip-preview`);
    const people = [
      [
        "raise `overlapDays`",
        (block: string) => {
          program.rotation = { ...rotation, trigger: "2", overlapDays: 30 };
          const choose = runInThisContext(`(pulumi, checkout) => { ${block}; return apiKey }`) as (
            ...values: unknown[]
          ) => pulumi.Output<string>;
          program.choose = (checkout) => choose(pulumi, checkout);
        },
      ],
      [
        "pass `checkout.apiKey` again",
        async () => {
          expect(await keyOf("dev")).toBe(previous);
          // The old overlap is over, and the consumer still has a valid key.
          expect(await inDays(10)).toMatchObject({ code: 0 });
          expect([await keyOf("dev"), [...api.keys]]).toEqual([previous, [previous, current]]);
          fallback = program.choose;
          delete program.choose;
          expect(await run("up")).toMatchObject({ error: "" });
          expect(await keyOf("dev")).toBe(current);
        },
      ],
    ] as const;
    await follow(KEYS, "### Go back to the previous key", { stack, people });
    // Whoever forgets the last step gets the current key at the end of the overlap.
    program.choose = fallback;
    expect(await inDays(31)).toMatchObject({ code: 0 });
    expect([await keyOf("dev"), [...api.keys]]).toEqual([current, [current]]);
    // The former advice: the previous key alone. The run succeeds, and the consumer has nothing.
    program.choose = ({ previousApiKey }) => previousApiKey;
    await run("up");
    expect(await keyOf("dev")).toBeNull();
  });

  it("each day of a rehearsed rotation shows what the table says", async () => {
    const rotation = { afterDays: 90, overlapDays: 7 };
    const { api, stack } = await shopFor(host, { isUp: false, rotation });
    const people = [["Start the sandbox", nothing]] as const;
    const here = {
      "http://127.0.0.1:4010": api.url,
      "demo-token": api.accessToken,
    };
    const heading = "## Rehearse a rotation";
    const [, runs = ""] = await follow(TESTING, heading, { stack, people, here });
    const days = sectionOf(page(TESTING), heading).matchAll(/^\| +(\d+) \| `([^`]+)`/gm);
    const said = [...days].map(([, day, words]) => [day, words]);
    expect(said.length).toBeGreaterThan(5);
    const shown = [...runs.matchAll(/^day (\d+)\n([^]*?)(?=^day|(?![^]))/gm)];
    for (const [index, [, day, output]] of shown.entries()) {
      const [listed, words = ""] = said[index] ?? [];
      expect([day, output]).toEqual([listed, expect.stringContaining(words)]);
      const isQuiet = words === "unchanged";
      expect(/updated|created|deletes/.test(output ?? ""), output).toBe(!isQuiet);
    }
    expect([shown.length, api.keys.size]).toEqual([said.length, 0]);
    expect(countRequests(api)).toMatchObject({ POST: 2, DELETE: 2 });
  });
});

/** Returns the file that shifts the clock of Node. */
async function clockShift(): Promise<string> {
  return (await blocksOf(TESTING, "js", "   ")).join("");
}
