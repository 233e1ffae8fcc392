/** The runbooks that put what exists under management: an account, and what a lost state had. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import type { WebhookState } from "../../provider/src/partner-api/operations.ts";
import { LONG } from "../support/random.ts";
import { follow, nothing } from "./follow-steps.ts";
import { countRequests, stackFor, statesOf, UNCHANGED, WEBHOOKS } from "./support.ts";

const PAGE = "docs/adopt.md";
const YAML = "name: test\nruntime: yaml\n";
const NPM = "name: test\nruntime: nodejs\nmain: index.ts\n";
const OLD_KEYS = ["pk_live_old_0123456789abcdef", "pk_live_old_fedcba9876543210"] as const;

/** Forty webhooks, every fourth of them disabled. */
const FORTY = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [101 + index, index % 4 === 0 ? "disabled" : "active"]),
) as Record<number, WebhookState>;

it.runIf(LONG)(
  "an account with forty webhooks and two keys is adopted by the native plugin, without a change",
  async () => {
    const { api, stack, run } = await stackFor(undefined, {
      files: { "Pulumi.yaml": YAML },
      webhooks: FORTY,
    });
    for (const key of OLD_KEYS) api.keys.add(key);
    const read = (file: string) => readFile(join(stack.projectDir, file), "utf8");
    const addCode = async () => {
      const files = await Promise.all(["webhooks.txt", "keys.txt"].map(read));
      const resources = files.map((code) => code.replace(/^[^]*^resources:\n/m, ""));
      await stack.write("Pulumi.yaml", `${YAML}resources:\n${resources.join("")}`);
      countRequests(api);
    };
    const people = [
      ["waits for the token", () => ({ typed: api.accessToken })],
      ["waits for a key", () => ({ typed: OLD_KEYS.join("\n") })],
      ["Add the code", addCode],
    ] as const;
    const here = { "https://partners.example.com": api.url };
    const printed = await follow(PAGE, "## Import an account", { stack, people, here });
    expect(printed.at(-1)).toContain("43 unchanged");
    expect([statesOf(api), [...api.keys]]).toEqual([FORTY, OLD_KEYS]);
    expect(countRequests(api)).toEqual({ GET: 1 });
    expect(await stack.stateFile()).not.toContain(OLD_KEYS[0]);
    expect(await run("up", UNCHANGED)).toMatchObject({ error: "", requests: {} });
    expect(await run("destroy")).toMatchObject({ error: "", requests: { DELETE: 2 } });
    expect([statesOf(api), api.keys.size]).toEqual([FORTY, 0]);
  },
);

it.runIf(LONG)(
  "the webhooks of an account are adopted by a program with the npm package, without a change",
  async () => {
    const files = { "Pulumi.yaml": NPM };
    const { api, stack, run } = await stackFor(undefined, { files, webhooks: FORTY });
    const people = [["A webhook with `null`", nothing]] as const;
    const printed = await follow(PAGE, "## Import webhooks with the npm package", { stack, people });
    expect(printed.at(-1)).toContain("+ 1 created");
    expect(printed.at(-1)).not.toContain("The declared state changes");
    expect(statesOf(api)).toEqual(FORTY);
    expect(Object.keys(countRequests(api))).toEqual(["GET"]);
    expect(await run("up", "--refresh", UNCHANGED)).toMatchObject({ error: "", requests: { GET: 1 } });
  },
);

it.runIf(LONG)(
  "a webhook whose state is not shown is adopted with a state that a person writes, and one request",
  async () => {
    const files = { "Pulumi.yaml": NPM };
    const { api, stack } = await stackFor(undefined, { files });
    api.answers.listWebhooks = () => ({
      body: [{ webhookId: 101, state: "active" }, { webhookId: 102 }, { webhookId: 103 }],
    });
    const states = join(stack.projectDir, "states.json");
    const write = async () => {
      expect(JSON.parse(await readFile(states, "utf8"))).toEqual({ 101: "active", 102: null, 103: null });
      await stack.write("states.json", JSON.stringify({ 101: "active", 102: "active" }));
      countRequests(api);
    };
    const people = [["A webhook with `null`", write]] as const;
    await follow(PAGE, "## Import webhooks with the npm package", { stack, people });
    expect([statesOf(api), countRequests(api)]).toEqual([WEBHOOKS, expect.objectContaining({ PATCH: 1 })]);
  },
);

it.runIf(LONG)("keys in use are kept when the state is lost", async () => {
  const rest =
    "  orders: { type: partners:PartnerWebhookState, properties: { webhookId: 101, state: active } }\n";
  const plain = `${YAML}resources:\n  checkout: { type: partners:PartnerApiKey }\n${rest}outputs: { apiKey: "\${checkout.apiKey}" }\n`;
  const rotated = plain.replace(
    "PartnerApiKey }",
    "PartnerApiKey, properties: { rotation: { afterDays: 90, overlapDays: 7 } } }",
  );
  const { api, stack, run } = await stackFor(undefined, { files: { "Pulumi.yaml": rotated } });
  const shell = async (script: string): Promise<void> => {
    expect(await stack.shell(script)).toMatchObject({ code: 0 });
  };
  // A stack as `pulumi stack init` creates it, with a secret in its settings.
  const remove = "rm -f ../backend/.pulumi/stacks/test/dev.json*";
  await shell(`${remove} Pulumi.dev.yaml; pulumi stack init dev; pulumi config set --secret other secret`);
  expect(await run("up")).toMatchObject({ error: "" });
  const [key = ""] = api.keys;
  api.keys.add("pk_live_of_this_stack_that_nobody_has");
  await shell(remove);
  countRequests(api);
  const people = [
    ["Remove `rotation`", () => stack.write("Pulumi.yaml", plain)],
    ["waits for the key", () => ({ typed: key })],
    [
      "Ask the service to delete the other keys",
      () => {
        expect([statesOf(api)[101], countRequests(api)]).toEqual(["active", { GET: 3 }]);
        for (const other of api.keys) if (other !== key) api.keys.delete(other);
      },
    ],
    ["Put `rotation` back", () => stack.write("Pulumi.yaml", rotated)],
  ] as const;
  const [, , preview = ""] = await follow("docs/runbooks.md", "### Keep the keys in use", { stack, people });
  expect(preview).not.toMatch(/PartnerApiKey .*create/);
  await shell("pulumi config get other");
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1, POST: 1 } });
  expect([...api.keys]).toContain(key);
});
