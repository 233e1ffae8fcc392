import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { startSandbox, type Sandbox, type SandboxOptions } from "../support/sandbox.ts";
import { expect, it, onTestFinished } from "vitest";

import { CANARIES, findLeaks, readFolder, type Places, type Secrets } from "../support/canary.ts";
import { runPulumi } from "../support/cli.ts";
import type { Result } from "../support/operation.ts";
import type { TestStack } from "../support/stack.ts";
import { sandboxStack } from "./support.ts";

/** An account in which everything that can hold a secret holds one. */
const ACCOUNT: SandboxOptions = {
  accessToken: CANARIES.token,
  apiKeys: [CANARIES.existingKey],
  keyAlphabet: "hostile",
  shape: {
    apiKey: ({ key, id }) => ({ apiKey: key, id, clientSecret: CANARIES.clientSecret }),
    webhooks: (list) => list.map((webhook) => ({ ...webhook, secret: CANARIES.webhookSecret })),
  },
};

/** Stack configuration as a careful user sets it. */
const SECRET_TOKEN = { "partners:accessToken": { value: CANARIES.token, secret: true } };

/** Commands that look at a stack without being asked for secrets. */
const LOOKS = [
  ["about", "--json"],
  ["about"],
  ["config", "--json"],
  ["stack", "--show-ids", "--show-urns"],
  ["stack", "output", "--json"],
  ["stack", "export"],
  ["stack", "history", "--json"],
  ["stack", "history"],
  ["stack", "graph", "graph.dot"],
];

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "canary-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Variables for an engine whose token is in its configuration, and whose temporary files are all in one folder. */
function variables(temporary: string): Record<string, string> {
  return { TMPDIR: temporary, PARTNERS_ACCESS_TOKEN: "", PARTNERS_DEBUG: "1" };
}

/** What operations printed, and their event logs. */
function printed(results: Readonly<Record<string, Result>>): Places {
  return Object.fromEntries(
    Object.entries(results).flatMap(([name, { stdout, stderr, eventLog }]) => [
      [`${name}, stdout`, stdout],
      [`${name}, stderr`, stderr],
      [`${name}, event log`, eventLog],
    ]),
  );
}

/** All files that the engine has left: state, history, backups, project, Pulumi's home and temporary files. */
async function stored(stack: TestStack, temporary: string): Promise<Places> {
  const files = { ...(await readFolder(dirname(stack.backendDir))), ...(await readFolder(temporary)) };
  // Debug messages of the SDK are in there; without them, the logs are among what was printed. See canary-debug.test.ts.
  return Object.fromEntries(Object.entries(files).filter(([file]) => !/^events-\d+\.json$/.test(file)));
}

function keysOf(...sandboxes: Sandbox[]): Secrets {
  const keys = sandboxes.flatMap((sandbox) => sandbox.apiKeys);
  return Object.fromEntries(keys.map((key, index) => [`key ${index + 1}`, key]));
}

/** A refusal that repeats all that the server was told. */
function refusal(operation: "disableWebhook" | "deleteApiKey", secrets: Secrets) {
  const body = JSON.stringify({ error: "forbidden", ...secrets });
  const headers = { "x-request-id": CANARIES.token };
  return { kind: "status", operation, status: 403, body, headers, times: Infinity } as const;
}

it("no secret is in clear in anything that the life of a stack prints or stores", async () => {
  const temporary = await folder();
  const second = await startSandbox({ accessToken: CANARIES.secondToken, keyAlphabet: "hostile" });
  onTestFinished(() => second.close());
  let state: "active" | "disabled" = "active";
  let trigger = "first";
  const { sandbox, stack } = await sandboxStack(
    async () => {
      const key = new partners.PartnerApiKey("checkout", { rotation: { trigger, overlapDays: 7 } });
      new partners.PartnerApiKey("adopted", { existingApiKey: CANARIES.existingKey });
      new partners.PartnerWebhookState("orders", { webhookId: 101, state });
      const { length } = await partners.getPartnerWebhooks();
      const args = { baseUrl: second.url, accessToken: pulumi.output(CANARIES.secondToken) };
      const other = new partners.PartnerApiKey(
        "other",
        {},
        { provider: new partners.Provider("second", args) },
      );
      const header = pulumi.interpolate`Bearer ${other.apiKey}`;
      return { key: key.apiKey, header, length, webhooks: partners.getPartnerWebhooksOutput() };
    },
    ACCOUNT,
    { env: { ...variables(temporary), PULUMI_EXPERIMENTAL: "true" }, config: SECRET_TOKEN }, // For the plan.
  );

  const results: Record<string, Result> = {
    "first preview": await stack.preview({ flags: ["--diff", "--save-plan", join(temporary, "plan.json")] }),
    "first up": await stack.up({ flags: ["--show-sames", "--show-reads", "--show-config"] }),
  };
  sandbox.setWebhookState(101, "disabled");
  results["refresh with drift"] = await stack.refresh({ flags: ["--diff"] });
  state = "disabled";
  sandbox.setWebhookState(101, "active");
  sandbox.inject(refusal("disableWebhook", { ...CANARIES, ...keysOf(sandbox) }));
  results["up that fails"] = await stack.up({ flags: ["--refresh"] });
  sandbox.clearFaults();
  trigger = "again";
  results["up that repairs and rotates"] = await stack.up();
  const looks = await Promise.all(
    LOOKS.map(async (args) => {
      const cwd = join(dirname(stack.backendDir), "project");
      const { code, stdout, stderr } = await runPulumi(args, { cwd, env: stack.env });
      expect({ args, code, stderr }).toMatchObject({ code: 0 });
      return [args.join(" "), stdout + stderr];
    }),
  );
  results["preview in JSON"] = await stack.preview({ flags: ["--json"] });
  const secrets = { ...CANARIES, ...keysOf(sandbox, second) };
  const found = findLeaks({ state: JSON.stringify(await stack.exportStack()) }, secrets);
  expect(found).toHaveLength(Object.keys(CANARIES).length + 4); // All, and the existing key is among those of the account.
  sandbox.inject(refusal("deleteApiKey", secrets));
  results["destroy that fails"] = await stack.destroy();
  sandbox.clearFaults();
  const files = await stored(stack, temporary);
  results["destroy"] = await stack.destroy();

  expect(Object.entries(results).map(([name, { ok }]) => `${name}: ${ok ? "succeeded" : "failed"}`)).toEqual([
    "first preview: succeeded",
    "first up: succeeded",
    "refresh with drift: succeeded",
    "up that fails: failed",
    "up that repairs and rotates: succeeded",
    "preview in JSON: succeeded",
    "destroy that fails: failed",
    "destroy: succeeded",
  ]);
  for (const file of [/history/, /stacks.*dev\.json$/, /\.bak$/, /^plan\.json$/]) {
    expect(Object.keys(files)).toContainEqual(expect.stringMatching(file));
  }
  const places = { ...printed(results), ...(Object.fromEntries(looks) as Places), ...files };
  expect(findLeaks({ ...places, ...(await stored(stack, temporary)) }, secrets)).toEqual([]);
  expect(printed(results)["first up, stdout"]).toContain("partners createApiKey POST"); // The debug log was on.
});

it("a response of 4 MiB that cannot be read is kept, and is in clear nowhere", async () => {
  const temporary = await folder();
  const padding = randomBytes(2 ** 21).toString("hex"); // It does not compress to nothing on its way.
  const { sandbox, stack } = await sandboxStack(
    () => {
      new partners.PartnerApiKey("checkout");
      return Promise.resolve();
    },
    {
      ...ACCOUNT,
      shape: { apiKey: ({ key }) => ({ odd: { key: { key: key }, padding } }), webhooks: () => [] },
    },
    { env: variables(temporary), config: SECRET_TOKEN },
  );
  const up = await stack.up();
  expect(up.stdout).toContain("A key EXISTS on the server now.");
  const [, key = ""] = sandbox.apiKeys;
  const secrets = { token: CANARIES.token, key };
  expect(findLeaks({ state: JSON.stringify(await stack.exportStack()) }, secrets)).toHaveLength(2);
  expect(findLeaks({ ...printed({ up }), ...(await stored(stack, temporary)) }, secrets)).toEqual([]);
});

it("a check that fails does not show the values of secret inputs", async () => {
  const { clientSecret, token, existingKey } = CANARIES;
  const { stack } = await sandboxStack(() => {
    const wrong = {
      webhookId: pulumi.secret(clientSecret),
      state: pulumi.secret(token),
      stateOnDestroy: pulumi.secret({ [token]: clientSecret }),
    };
    new partners.PartnerWebhookState("orders", wrong as unknown as partners.PartnerWebhookStateArgs);
    return Promise.resolve();
  });
  const webhook = await stack.preview({ flags: ["--diff"] });
  stack.setProgram(() => {
    const wrong = { existingApiKey: `${existingKey} `, rotation: pulumi.secret({ trigger: [token] }) };
    new partners.PartnerApiKey("checkout", wrong as unknown as partners.PartnerApiKeyArgs);
    return Promise.resolve();
  });
  const key = await stack.preview({ flags: ["--diff"] });
  const places = printed({ webhook, key });
  for (const input of ["webhookId", "state", "stateOnDestroy", "existingApiKey", "rotation.trigger"]) {
    expect(Object.values(places).join("\n")).toContain(` has a problem: ${input} must be `);
  }
  expect(findLeaks(places, CANARIES)).toEqual([]);
});

it("a plugin that is killed with a key in its hands leaves it nowhere", async () => {
  const temporary = await folder();
  const preload = join(temporary, "preload.cjs");
  await writeFile(
    preload,
    `require("node:diagnostics_channel").subscribe("undici:request:headers", ({ request }) => {
      if (request.method === "POST") process.kill(process.pid, "SIGKILL");
    });`,
  );
  const { sandbox, stack } = await sandboxStack(
    () => {
      new partners.PartnerApiKey("checkout");
      return Promise.resolve();
    },
    ACCOUNT,
    { env: { TMPDIR: temporary, NODE_OPTIONS: `--require ${preload}`, PARTNERS_DEBUG: "1" } },
  );
  const up = await stack.up();
  expect(up.ok).toBe(false);
  expect(sandbox.apiKeys).toHaveLength(2); // With the existing one.
  const places = { ...printed({ up }), ...(await stored(stack, temporary)) };
  expect(findLeaks(places, { ...CANARIES, ...keysOf(sandbox) })).toEqual([]);
});
