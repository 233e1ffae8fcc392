/** The runbooks, followed step by step in both forms. */
import { runInThisContext } from "node:vm";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";

import { LONG } from "../support/random.ts";
import { follow } from "./follow-steps.ts";
import { shopFor } from "./shop-stack.ts";
import {
  blocksOf,
  countRequests,
  declareKey,
  HOSTS,
  refuse,
  replaceAnswers,
  stackFor,
  statesOf,
  UNCHANGED,
} from "./support.ts";
import { page, sectionOf } from "../unit/docs/pages.ts";

const PAGE = "docs/runbooks.md";
const ALL_KEYS = "**:PartnerApiKey::*";
const PROJECT = { "my-stack": "test" };
/** What a person does who only needs to know, or to wait. */
const nothing = () => undefined;

describe.each(HOSTS)("with the %s form,", (host) => {
  const it = LONG ? test : test.skip;

  describe("a state that is older than the service", () => {
    /** Replaces the key, and then restores the state from before. */
    const olderState = async () => {
      const shop = await shopFor(host);
      const { api, run, shell } = shop;
      await shell("pulumi stack export --file ../old.json");
      expect(await run("up", "--replace", ALL_KEYS)).toMatchObject({ error: "" });
      await shell("pulumi up --stack shop");
      await shell("pulumi stack import --file ../old.json");
      // Nothing warns of it: that is why there is a runbook.
      expect(await run("up", "--refresh", UNCHANGED)).toMatchObject({ error: "" });
      expect(api.keys).not.toContain(await shop.keyOf("dev"));
      countRequests(api);
      return shop;
    };

    it("gets new keys that its consumers have", async () => {
      const { api, stack, keyOf, readers, service } = await olderState();
      const people = [
        ["Note the time of the copy", nothing] as const,
        readers,
        service("ask the service to delete", [...api.keys]),
      ];
      const [replaced = ""] = await follow(PAGE, "## The state is older than the service", { stack, people });
      expect(replaced).toMatch(/warning: .* counts as deleted/);
      expect(replaced).toContain("+-1 replaced");
      expect([await keyOf("dev"), await keyOf("shop")]).toEqual([...api.keys, ...api.keys]);
      expect(countRequests(api)).toMatchObject({ POST: 1, DELETE: 1 });
    });

    it("needs the fourth step first if the service allows one key at a time", async () => {
      const { api, stack, run, keyOf, readers } = await olderState();
      replaceAnswers(api, "createApiKey", (usual) =>
        api.keys.size > 0 ? { status: 409, body: { error: "only one key" } } : usual(),
      );
      expect((await run("up", "--replace", ALL_KEYS)).error).toContain("409");
      api.keys.clear();
      const people = [
        ["Note the time of the copy", nothing] as const,
        readers,
        ["ask the service to delete", nothing] as const,
      ];
      await follow(PAGE, "## The state is older than the service", { stack, people });
      expect([await keyOf("dev"), await keyOf("shop")]).toEqual([...api.keys, ...api.keys]);
    });
  });

  it("a replacement that failed for one of two keys is repeated for that one alone", async () => {
    const { api, stack, run } = await stackFor(() => {
      const [one, two] = ["one", "two"].map((name) => declareKey(host, name).apiKey);
      return { one, two };
    });
    expect(await run("up")).toMatchObject({ error: "" });
    api.keys.clear();
    let creations = 0;
    replaceAnswers(api, "createApiKey", (usual) => ((creations += 1) === 2 ? { status: 403 } : usual()));
    expect((await run("up", "--replace", ALL_KEYS)).error).toContain("403");
    // A plain run is no repetition: it succeeds, and leaves a deleted key.
    expect(await run("up")).toMatchObject({ error: "" });
    const dead = async () =>
      Object.entries(await stack.outputs()).filter(([, key]) => !api.keys.has(String(key)));
    const [[name] = [""], ...others] = await dead();
    expect(others).toEqual([]);
    expect(page(PAGE)).toContain("repeat it with their URNs instead of the pattern");
    expect(await run("up", "--replace", `**:PartnerApiKey::${name}`)).toMatchObject({ error: "" });
    expect([await dead(), api.keys.size]).toEqual([[], 2]);
  });

  describe("a state that is lost", () => {
    /** Removes the state and everything that the stack `dev` has in the backend, except for the backups. */
    const lostState = async () => {
      const shop = await shopFor(host);
      const { stack, run, shell } = shop;
      expect(await run("up", "--replace", ALL_KEYS)).toMatchObject({ error: "" });
      await shell("pulumi up --stack shop");
      await shell("rm ../backend/.pulumi/stacks/test/dev.json*");
      expect((await stack.shell("pulumi stack select dev")).stderr).toContain("no stack named 'dev' found");
      expect((await run("up")).error).toContain("no stack selected");
      return shop;
    };

    it("comes back from a backup of a file backend", async () => {
      const { api, stack, keyOf } = await lostState();
      const people = [
        ["Change to the folder of the backend", () => ({ folder: stack.backendDir })] as const,
        ["If keys were rotated after the backup", nothing] as const,
      ];
      countRequests(api);
      await follow(PAGE, "### Restore a backup", { stack, people, here: PROJECT });
      expect([await keyOf("dev"), await keyOf("shop")]).toEqual([...api.keys, ...api.keys]);
      expect(countRequests(api)).toEqual({ GET: 1 });
    });

    it("is replaced by new keys", async () => {
      const { api, stack, run, keyOf, readers, service } = await lostState();
      const people = [readers, service("ask the service to delete", [...api.keys])];
      await follow(PAGE, "### Create new keys", { stack, people });
      expect([await keyOf("dev"), await keyOf("shop")]).toEqual([...api.keys, ...api.keys]);
      expect(await run("up", "--refresh", UNCHANGED)).toMatchObject({ error: "" });
    });
  });

  it("a leaked access token is replaced, and a later destroy uses the new one", async () => {
    const { api, stack, run, shell } = await shopFor(host, { isUp: false });
    const leaked = api.accessToken;
    await stack.configure({ baseUrl: api.url, accessToken: leaked });
    expect(await run("up")).toMatchObject({ error: "" });
    const mine = [...api.keys];
    api.keys.add("pk_live_of_whoever_found_it_0001");
    api.webhooks.set(101, "disabled");
    const issued = "ptk_issued_0123456789abcdef";
    const people = [
      ["Let the service issue a second token", () => api.otherTokens.add(issued)],
      ["waits for the token", () => ({ typed: issued })],
      ["Revoke the leaked token", () => (api.accessToken = issued)],
      ["Ask the service which keys", () => api.keys.delete("pk_live_of_whoever_found_it_0001")],
    ] as const;
    const [, doctor = ""] = await follow(PAGE, "## An access token leaked", { stack, people });
    expect(doctor).toMatch(/^ok +webhooks +3 listed/m);
    expect([[...api.keys], statesOf(api)[101]]).toEqual([mine, "active"]);
    await shell("command pulumi destroy --skip-preview");
    expect([...api.keys]).toEqual([]);
  });

  it("a stack whose token was revoked first changes nothing until it has the new one", async () => {
    const { api, stack, run } = await shopFor(host, { isUp: false });
    await stack.configure({ baseUrl: api.url, accessToken: api.accessToken });
    expect(await run("up")).toMatchObject({ error: "" });
    const before = [[...api.keys], statesOf(api)];
    api.accessToken = "ptk_issued_0123456789abcdef";
    for (const flags of [["--refresh"], ["--replace", ALL_KEYS]])
      expect((await run("up", ...flags)).error).toContain("401");
    expect([[...api.keys], statesOf(api)]).toEqual(before);
    await stack.configure({ accessToken: api.accessToken });
    expect(await run("up", "--refresh", "--run-program", UNCHANGED)).toMatchObject({ error: "" });
  });

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
    const [shown = ""] = await follow(PAGE, "## Do the consumers have the new key", { stack, people });
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
    await follow(PAGE, "## Go back to the previous key", { stack, people });
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
    const [, runs = ""] = await follow(PAGE, heading, { stack, people, here });
    const days = sectionOf(page(PAGE), heading).matchAll(/^\| +(\d+) \| `([^`]+)`/gm);
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

  test.runIf(LONG || host === "native")(
    "drift is found without being repaired, by its exit code",
    async () => {
      const { api, stack, run } = await shopFor(host, { isUp: false });
      expect(await run("up")).toMatchObject({ error: "" });
      countRequests(api);
      for (const change of ["createApiKey", "deleteApiKey", "setWebhookState"] as const)
        refuse(api, change, 403, 1e9);
      const people = [["Read the exit code", nothing]] as const;
      const heading = "## Find drift without repairing it";
      await follow(PAGE, heading, { stack, people });
      const [check = ""] = (await blocksOf(PAGE, "sh", "   ")).filter((block) =>
        block.includes("--non-interactive"),
      );
      api.webhooks.set(101, "disabled");
      const drifted = await stack.shell(check);
      const [, found = "none"] = /names the webhook: `([^`]+)`/.exec(page(PAGE)) ?? [];
      expect(drifted).toMatchObject({ code: 7, stdout: expect.stringContaining(found) as string });
      api.webhooks.delete(101);
      expect(await stack.shell(check)).toMatchObject({ code: 1 });
      expect(Object.keys(countRequests(api))).toEqual(["GET"]);
    },
  );
});

/** Returns the file that shifts the clock of Node. */
async function clockShift(): Promise<string> {
  return (await blocksOf(PAGE, "js", "   ")).join("");
}
