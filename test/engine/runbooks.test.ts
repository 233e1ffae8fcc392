/** The runbooks, followed step by step in both forms. */
import { describe, expect, test } from "vitest";

import { LONG } from "../support/random.ts";
import { follow, nothing } from "./follow-steps.ts";
import { shopFor } from "./shop-stack.ts";
import {
  countRequests,
  declareKey,
  HOSTS,
  replaceAnswers,
  stackFor,
  statesOf,
  UNCHANGED,
} from "./support.ts";
import { page } from "../unit/docs/pages.ts";

const PAGE = "docs/runbooks.md";
const ALL_KEYS = "**:PartnerApiKey::*";
const PROJECT = { "my-stack": "test" };

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
    expect(page(PAGE)).toContain(
      "repeat it with their [URNs](troubleshooting.md#urns) instead of the pattern",
    );
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
    const [, option = "no option"] = /add `(--cwd [^`]+)`/.exec(page(PAGE).replaceAll(/\s+/g, " ")) ?? [];
    const exitCodeFor = async (token: string): Promise<number> => {
      const variables = `PARTNERS_BASE_URL=${api.url} PARTNERS_ACCESS_TOKEN=${token}`;
      return (await stack.shell(`export ${variables}; npx --no -- pulumi-partners doctor ${option}`)).code;
    };
    expect([await exitCodeFor(issued), await exitCodeFor(leaked)]).toEqual([0, 1]);
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
});
