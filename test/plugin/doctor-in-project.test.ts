import { expect, it } from "vitest";

import type { Report } from "../../provider/src/cli/doctor/report.js";
import { sandboxFor } from "./partners.ts";
import { inState, scriptedProject } from "./scripted-cli.ts";

const PROVIDER = "urn:pulumi:dev::shop::pulumi:providers:pulumi-nodejs::eu";

it("what to set for the account of a Provider is said as its arguments", async () => {
  const sandbox = await sandboxFor({ shape: "unreadable" });
  const inputs = {
    "partners:explicit": "true",
    "partners:account": "eu",
    "partners:baseUrl": sandbox.url,
    "partners:accessToken": sandbox.accessToken,
  };
  const provider = { urn: PROVIDER, inputs };
  const { run } = await scriptedProject(sandbox, [provider]);
  const { stdout } = await run(["doctor", "--account", "eu", "--json"]);
  const { checks } = JSON.parse(stdout) as Report;
  expect(checks.find(({ check }) => check === "shape")?.remedy).toEqual([
    "One of these is right:",
    `responses: { webhooks: "/incoming" } in the Provider's arguments`,
    `responses: { webhooks: "/outgoing" } in the Provider's arguments`,
  ]);
  const advice = checks.flatMap(({ detail, remedy }) => [detail, ...remedy]).join("\n");
  expect(advice).not.toMatch(/pulumi config|partners:|PARTNERS_(?!UNREADABLE)/);
});

it("a name from the state gets neither at the terminal, nor at what reads the log", async () => {
  const name = "a\n::set-output name=x::y\u001b[2J\u009b\u202e";
  const sandbox = await sandboxFor();
  const { run } = await scriptedProject(sandbox, [
    inState("PartnerWebhookState", name, { webhookId: 101, account: "default" }),
    { urn: PROVIDER, inputs: { "partners:explicit": "true" } },
    inState("PartnerWebhookState", "other", { webhookId: 1, account: name }, { provider: `${PROVIDER}::1` }),
  ]);
  const { stdout } = await run(["doctor"]);
  expect(stdout.match(/a\?::set-output name=x::y\?\[2J\?\?/g)).toHaveLength(2);
  const json = await run(["doctor", "--json"]);
  for (const text of [stdout, json.stdout]) {
    expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(text).not.toMatch(/^\s*::/m);
  }
  const { webhooks } = JSON.parse(json.stdout) as Report;
  expect(webhooks?.find(({ webhookId }) => webhookId === 101)?.declaredBy).toEqual([name]);
});
