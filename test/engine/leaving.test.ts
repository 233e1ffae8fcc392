import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { sandboxStack, statesOf } from "./support.ts";

it.each(["retainOnDelete", "pulumi state delete"])(
  "a stack stops using the package with %s: nothing is sent, and then it works without the package",
  async (way) => {
    let opts: { retainOnDelete?: boolean } | null = {};
    const { sandbox, stack, run } = await sandboxStack(() => {
      if (!opts) return Promise.resolve();
      new partners.PartnerApiKey("checkout", {}, opts);
      const args = { webhookId: 101, state: "disabled", stateOnDestroy: "active" } as const;
      new partners.PartnerWebhookState("orders", args, opts);
      return Promise.resolve();
    });
    expect(await run("up")).toMatchObject({ error: "" });
    if (way === "retainOnDelete") {
      opts = { retainOnDelete: true };
      expect(await run("up")).toMatchObject({ error: "", requests: {} });
      opts = null;
      expect(await run("up")).toMatchObject({ error: "", changes: { delete: 2 }, requests: {} });
    } else {
      opts = null;
      const { resources = [] } = (await stack.exportStack()).deployment as { resources?: { urn: string }[] };
      const ours = resources.filter(({ urn }) => urn.includes("partners:Partner"));
      expect(ours).toHaveLength(2);
      for (const { urn } of ours) await stack.pulumi("state", "delete", urn, "--yes");
    }
    await rm(join(dirname(stack.backendDir), "project/node_modules"));
    expect(await run("up")).toMatchObject({ error: "", requests: {} });
    expect(await run("destroy")).toMatchObject({ error: "", requests: {} });
    expect([sandbox.apiKeys.length, statesOf(sandbox)[101]]).toEqual([1, "disabled"]);
  },
);
