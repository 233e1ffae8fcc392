import { join } from "node:path";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { CANARIES, findLeaks } from "../support/canary.ts";
import { ROOT } from "../support/checkout.ts";
import { runProcess } from "../support/process.ts";
import { countRequests, sandboxStack } from "./support.ts";

it("the doctor reads stack configuration and state, asks once, and prints no secret", async () => {
  const { sandbox, stack } = await sandboxStack(
    () => {
      new partners.PartnerWebhookState("orders", { webhookId: 101, state: "active" });
      new partners.PartnerApiKey("checkout");
      return Promise.resolve();
    },
    { accessToken: CANARIES.token },
    { env: { PARTNERS_ACCESS_TOKEN: "" } },
  );
  const doctor = () =>
    runProcess(process.execPath, [join(ROOT, "provider/dist/cli/main.js"), "doctor"], {
      cwd: stack.projectDir,
      env: { ...stack.env, NO_COLOR: "1" },
    });
  const token = "partners:accessToken";
  await stack.configure({ [token]: { value: CANARIES.token, secret: true } });
  expect(await stack.up()).toMatchObject({ ok: true });
  countRequests(sandbox);

  const well = await doctor();
  expect(well).toMatchObject({ code: 0, stderr: "" });
  expect(well.stdout).toMatch(/101 +active +orders/);
  expect(well.stdout).toMatch(/103 +disabled/);
  expect(countRequests(sandbox)).toEqual({ GET: 1 });

  await stack.configure({ [token]: { value: CANARIES.secondToken, secret: true } });
  const rejected = await doctor();
  expect(rejected.code).toBe(1);
  expect(rejected.stdout).toContain("401");
  const secrets = { ...CANARIES, apiKey: sandbox.apiKeys[0] ?? "" };
  expect(findLeaks({ well: well.stdout, rejected: rejected.stdout + rejected.stderr }, secrets)).toEqual([]);
});
