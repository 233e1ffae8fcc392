import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { editState, Native, sandboxStack, statesOf } from "./support.ts";

const TYPE = "partners:index:PartnerWebhookState";

/** Declares a key and two webhooks through the native plugin, and creates them. */
async function keyAndWebhooks(settings: Readonly<Record<string, string>> = {}) {
  const wanted = { 101: "active", 102: "active" } as Record<number, partners.WebhookState>;
  const started = await sandboxStack(() => {
    new Native("PartnerApiKey", "checkout", {});
    for (const [id, state] of Object.entries(wanted))
      new Native("PartnerWebhookState", `webhook-${id}`, { webhookId: Number(id), state });
    return Promise.resolve();
  });
  await started.stack.configure(settings);
  const created = await started.run("up");
  expect(created.error).toBe("");
  return { ...started, wanted, created };
}

it("with refreshBeforeUpdate, an up without --refresh repairs webhooks, and each run sends one GET", async () => {
  const { sandbox, stack, run, wanted, results } = await keyAndWebhooks();
  expect(await run("up")).toMatchObject({ requests: {} });
  await stack.configure({ refreshBeforeUpdate: "true" });
  sandbox.setWebhookState(102, "disabled");
  const turnedOn = await run("preview");
  expect(turnedOn).toEqual({ error: "", changes: { same: 2, update: 2 }, requests: {} });
  expect(results.at(-1)?.stdout).toContain("[diff: +refreshBeforeUpdate]");
  // The update that records the setting repairs the webhook as well.
  expect(await run("up")).toEqual({
    error: "",
    changes: { same: 2, update: 2 },
    requests: { GET: 1, PATCH: 1 },
  });

  expect(await run("up")).toEqual({ error: "", changes: { same: 4 }, requests: { GET: 1 } });
  sandbox.setWebhookState(101, "disabled");
  expect(await run("preview")).toEqual({
    error: "",
    changes: { same: 3, update: 1 },
    requests: { GET: 1 },
  });
  expect(results.at(-1)?.stdout).toContain("[diff: ~state]");
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1, PATCH: 1 } });
  // Together with a change of inputs, and with --refresh.
  sandbox.setWebhookState(101, "disabled");
  wanted[102] = "disabled";
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1, PATCH: 2 } });
  sandbox.setWebhookState(101, "disabled");
  expect(await run("up", "--refresh")).toMatchObject({ error: "", requests: { GET: 1, PATCH: 1 } });
  expect(statesOf(sandbox)).toMatchObject({ 101: "active", 102: "disabled" });

  // A run that cannot read the list fails, unless it excludes the webhooks.
  sandbox.inject({ kind: "status", status: 403, operation: "listWebhooks" });
  const { error } = await run("preview");
  expect(error).toContain("With partners:refreshBeforeUpdate, each run reads the webhooks first.");
  expect(await run("up", "--exclude", `**${TYPE}**`)).toMatchObject({ error: "", requests: {} });

  // Pulumi does not warn about interrupted operations, and keeps only the creation in the state.
  await editState(stack.statePath, ({ checkpoint: { latest } }) => {
    const key = latest.resources.find(({ type }) => type.endsWith(":PartnerApiKey"));
    latest.pending_operations = [
      { type: "creating", resource: { ...key, urn: `${key?.urn ?? ""}-2` } },
      { type: "updating", resource: key },
    ];
  });
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1 } });
  expect(results.at(-1)?.stdout).not.toContain("interrupted");
  expect((await stack.stateFile()).match(/"(creating|updating)"/g)).toEqual(['"creating"']);

  await stack.configure({ refreshBeforeUpdate: "false" });
  expect(await run("up")).toEqual({ error: "", changes: { same: 2, update: 2 }, requests: { GET: 1 } });
  expect(await run("up")).toEqual({ error: "", changes: { same: 4 }, requests: {} });
  expect(results.at(-1)?.stdout).toContain("checkout-2, interrupted while creating");
});

it("with refreshBeforeUpdate, a new access token in stack configuration needs --run-program", async () => {
  const sandboxed = await keyAndWebhooks({ refreshBeforeUpdate: "true" });
  const { sandbox, stack, run, wanted, results } = sandboxed;
  await stack.configure({ baseUrl: sandbox.url, accessToken: sandbox.accessToken });
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1 } });
  await stack.configure({ accessToken: sandbox.rotateAccessToken() });
  const { error } = await run("up");
  expect(error).toMatch(/401.*run "pulumi up --refresh --run-program"\. .*\[PARTNERS_STATUS\]/);
  sandbox.setWebhookState(101, "disabled");
  expect(await run("up", "--refresh", "--run-program")).toMatchObject({ error: "" });
  expect(statesOf(sandbox)).toMatchObject({ 101: "active" });
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1 } });

  // Without the list, an update sends what it changes, and a refresh sends nothing.
  await stack.configure({ refreshBeforeUpdate: "false", readWebhooks: "false" });
  wanted[102] = "disabled";
  expect(await run("up")).toMatchObject({ error: "", requests: { PATCH: 1 } });
  expect(statesOf(sandbox)).toMatchObject({ 101: "active", 102: "disabled" });
  sandbox.setWebhookState(101, "disabled");
  expect(await run("refresh")).toMatchObject({ error: "", changes: { same: 4 }, requests: {} });
  expect(results.at(-1)?.stdout).toContain("partners:readWebhooks is false, so webhooks are changed without");
  expect(await run("destroy")).toMatchObject({ error: "", requests: { DELETE: 1 } });
});

it("with refreshBeforeUpdate, others covers a new webhook on the last page at once", async () => {
  const declare = () => {
    new Native("PartnerWebhookStates", "fleet", { states: { 101: "active" }, others: "disabled" });
    return Promise.resolve();
  };
  const pages = { pageSize: 2, pageStyle: "cursor" } as const;
  const { sandbox, stack, run } = await sandboxStack(declare, pages);
  await stack.configure({ refreshBeforeUpdate: "true" });
  // The fleet reads the list once more when it changes, because this run may have created a webhook.
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 4, PATCH: 1 } });
  sandbox.addWebhook(104, "active");
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 4, PATCH: 1 } });
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 2 } });
  expect(statesOf(sandbox)).toEqual({ 101: "active", 102: "disabled", 103: "disabled", 104: "disabled" });
});

it("dynamic resources refuse refreshBeforeUpdate, and Pulumi's own option repairs them", async () => {
  const { sandbox, stack, run } = await sandboxStack(
    () => {
      new partners.PartnerApiKey("checkout");
      new partners.PartnerWebhookState("refunds", { webhookId: 103, state: "active" });
      return Promise.resolve();
    },
    { pageSize: 2, pageStyle: "page" }, // It is on the last page.
    { files: { "Pulumi.yaml": "name: test\nruntime: nodejs\noptions:\n  refresh: always\n" } },
  );
  await stack.configure({ refreshBeforeUpdate: "true" });
  const refused = await run("preview");
  expect(refused.error).toMatch(
    /dynamic resources.*options: \{ refresh: always \}.*PULUMI_OPTION_REFRESH=true/,
  );
  await stack.configure({ refreshBeforeUpdate: "false" });
  expect(await run("up")).toMatchObject({ error: "" });
  sandbox.setWebhookState(103, "disabled");
  expect(await run("preview")).toMatchObject({ changes: { same: 2, update: 1 }, requests: { GET: 2 } });
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 2, PATCH: 1 } });
});
