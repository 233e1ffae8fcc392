import { join } from "node:path";
import { expect, it } from "vitest";

import { createPolicyPack } from "../support/policy-pack.ts";
import { LONG } from "../support/random.ts";
import { declareFleet, declareKey, declareWebhook, HOSTS, stackFor } from "./support.ts";

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
