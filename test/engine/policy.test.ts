import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PartnerApiKeyArgs } from "pulumi-partners";
import { expect, it } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { createPolicyPack } from "../support/policy-pack.ts";
import { LONG } from "../support/random.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { blocksOf, declareFleet, declareKey, declareWebhook, HOSTS, stackFor } from "./support.ts";

/** What the policy sets, by the type of a resource. */
const RIGHT = { PartnerWebhookState: { state: "disabled" } };
const WRONG = {
  PartnerWebhookState: { state: "paused" },
  PartnerWebhookStates: { others: "on" },
  PartnerApiKey: { rotation: { afterDays: 0, overlapDays: 0 } },
};

it.runIf(LONG).each(HOSTS)(
  "a policy that changes arguments after their check is obeyed, and a wrong value fails the run (%s)",
  async (host) => {
    const { stack, run } = await stackFor(() => {
      declareWebhook(host, "orders", { webhookId: 101, state: "active" });
      declareFleet(host, "others", { states: { 103: "disabled" } });
      return { apiKey: declareKey(host, "checkout", { rotation: { trigger: "1", overlapDays: 0 } }).apiKey };
    });
    let changes: Readonly<Record<string, object>> = RIGHT;
    const pack = join(stack.backendDir, "policy");
    await createPolicyPack(pack, (type, inputs) => ({
      ...inputs,
      ...changes[type.replace(/^.*:/, "")],
    }));
    const withPolicy = ["--policy-pack", pack];
    expect(await run("up", ...withPolicy)).toMatchObject({ error: "", requests: { PATCH: 1, POST: 1 } });
    /** Without the stack itself: if a resource fails and the run continues, Pulumi forgets its outputs. */
    const resources = async () => {
      const deployment: unknown = (await stack.exportStack()).deployment;
      const all = (deployment as { resources: readonly { type: string }[] }).resources;
      return all.filter(({ type }) => type !== "pulumi:pulumi:Stack");
    };
    const before = await resources();

    changes = WRONG;
    const { error, requests } = await run("up", "--continue-on-error", ...withPolicy);
    for (const problem of ["state must be", "others must be", "rotation.afterDays must be"])
      expect(error).toContain(problem);
    expect(requests).toEqual({ GET: 1 }); // Of a check, which sees what the program says.
    expect(await resources()).toEqual(before);

    expect(await run("up"), "without the policy").toMatchObject({ error: "", requests: { PATCH: 1 } });
  },
);

/** The arguments of keys that the policy in the docs lets pass, or not. */
const PASSING = { quick: { rotation: { afterDays: 90, overlapDays: 7 } } };
const FAILING = {
  none: {},
  slow: { rotation: { afterDays: 91, overlapDays: 7 } },
  unset: { rotation: { trigger: "1", overlapDays: 7 } },
};

it.runIf(LONG)(
  "the policy of docs/keys.md fails the preview of a key that is not rotated in time",
  async () => {
    const policies = (await blocksOf("docs/keys.md", "ts")).filter((block) =>
      block.includes("@pulumi/policy"),
    );
    const pack = await temporaryFolder();
    await writeFile(join(pack, "index.ts"), policies.join("\n"));
    await writeFile(join(pack, "PulumiPolicy.yaml"), "runtime: nodejs\n");
    await writeFile(join(pack, "package.json"), '{ "version": "1.0.0" }\n');
    await symlink(join(ROOT, "node_modules"), join(pack, "node_modules"));
    let keys: Readonly<Record<string, PartnerApiKeyArgs>> = { ...PASSING, ...FAILING };
    const { run } = await stackFor(() => {
      for (const [name, args] of Object.entries(keys))
        for (const host of HOSTS) declareKey(host, `${name}-${host}`, args);
    });

    const { error, printed } = await run("preview", "--policy-pack", pack);
    expect(error).toContain("preview failed");
    const reported = [...printed.matchAll(/\[mandatory\] +rotate-keys +\(\S+: (\S+)\)/g)].map(
      ([, name]) => name,
    );
    expect(reported.sort()).toEqual(
      Object.keys(FAILING).flatMap((name) => HOSTS.map((host) => `${name}-${host}`)),
    );

    keys = PASSING;
    const changes = { create: 1 + HOSTS.length };
    expect(await run("preview", "--policy-pack", pack)).toMatchObject({ error: "", changes });
  },
);
