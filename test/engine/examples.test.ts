import { expect, it } from "vitest";

import { runShell } from "../support/cli.ts";
import { expectShown } from "./docs.ts";
import { copyOut, exampleProject, sandboxFor, source } from "./example-project.ts";

it("webhook-fleet: every webhook that exists is active, except one", async () => {
  const { sandbox, run, up, destroy, outputs } = await exampleProject("webhook-fleet");
  await expectShown("webhooks.md", "All webhooks", await source("webhook-fleet"), "ts");
  await expectShown("webhooks.md", "All webhooks", await run("preview"));
  await up();
  expect(Object.fromEntries(sandbox.webhooks)).toEqual({ 101: "active", 102: "disabled", 103: "active" });
  sandbox.addWebhook(104, "disabled");
  await up();
  expect(sandbox.webhooks.get(104)).toBe("active");
  expect(await outputs()).toEqual({ managed: 4 });
  await run("preview", "--expect-no-changes");
  await destroy();
});

it("audit: a webhook that exists and is not declared is found", async () => {
  const { run, up, destroy, outputs } = await exampleProject("audit");
  await expectShown("webhooks.md", "Webhooks that nobody declared", await source("audit"), "ts");
  await expectShown("webhooks.md", "Webhooks that nobody declared", await run("preview"));
  await up();
  expect(await outputs()).toEqual({ undeclared: [102] });
  await destroy();
});

it("accounts: two accounts in one stack", async () => {
  const [us, eu] = [await sandboxFor(), await sandboxFor()];
  const { run, up, destroy, outputs } = await exampleProject("accounts", { sandbox: us });
  await run("config", "set", "euBaseUrl", eu.url);
  await run("config", "set", "--secret", "euAccessToken", eu.accessToken);
  await expectShown("accounts.md", "Several accounts", await source("accounts"), "ts");
  await expectShown("accounts.md", "Several accounts", await run("preview"));
  await up();
  expect(await outputs()).toEqual({
    accounts: ["default", "eu"],
    apiKeys: { us: us.apiKeys[0], eu: eu.apiKeys[0] },
  });
  expect([us.webhooks.get(101), eu.webhooks.get(101)]).toEqual(["active", "disabled"]);
  await destroy();
  expect([us.apiKeys, eu.apiKeys]).toEqual([[], []]);
});

it("unit-testing: the tests of the example pass, and fail for a program that is wrong", async () => {
  const [mocks, real] = ["With mocks: what does the program declare?", "With the sandbox: what does it do?"];
  await expectShown("testing.md", mocks, await source("unit-testing", "mocks.test.ts"), "ts");
  await expectShown("testing.md", real, await source("unit-testing", "sandbox.test.ts"), "ts");

  const { cwd, engine } = await copyOut("unit-testing", await sandboxFor());
  const env = { ...engine.env, NO_COLOR: "1", FORCE_COLOR: "0" };
  const test = (files = "") => runShell(`../node_modules/.bin/vitest run ${files}`, { cwd, env });
  const passed = await test();
  expect({ code: passed.code, output: passed.code === 0 ? "" : passed.stdout + passed.stderr }).toEqual({
    code: 0,
    output: "",
  });
  expect(passed.stdout).toMatch(/Tests\s+2 passed/);
  await runShell(`sed -i.bak 's/< 100/< 0/' index.ts`, { cwd, env });
  const failed = await test("mocks");
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(/Tests\s+1 failed/);
});
