import { execFileSync } from "node:child_process";
import * as partners from "pulumi-partners";
import { expect, it, vi } from "vitest";

import { Native, sandboxStack } from "./support.ts";

/** Milliseconds after which an impatient user presses Ctrl-C again. */
const PATIENCE = 2_000;

it("debug lines of both hosts, and a creation that a second Ctrl-C drops, reach the user", async () => {
  const { sandbox, stack } = await sandboxStack(
    () => {
      const dependsOn = [
        new partners.PartnerWebhookState("one", { webhookId: 101, state: "active" }),
        new Native("PartnerWebhookState", "other", { webhookId: 102, state: "active" }),
      ];
      new Native("PartnerApiKey", "billing", {}, { dependsOn });
      return Promise.resolve();
    },
    { faults: [{ kind: "hang", at: "headers", operation: "createApiKey" }] },
    { env: { PARTNERS_DEBUG: "1" } },
  );
  const up = stack.up();
  await vi.waitUntil(() => sandbox.requests.some(({ method }) => method === "POST"), 60_000);
  const interrupt = (): void => {
    const cli = execFileSync("pgrep", ["-P", String(process.pid), "-x", "pulumi"], { encoding: "utf8" });
    process.kill(Number(cli), "SIGINT");
  };
  interrupt();
  const timer = setInterval(interrupt, PATIENCE);
  const { ok, stdout } = await up.finally(() => {
    clearInterval(timer);
  });
  expect(ok).toBe(false);
  expect(stdout).toContain("PartnerApiKey billing creating (interrupted)");
  const [, diagnostics = ""] = stdout.split("Diagnostics:");
  expect(diagnostics.match(/listWebhooks GET .* status=200 attempt=1/g)).toHaveLength(2);
  expect(diagnostics).toContain("Cancel received; in flight: 1 × createApiKey.");
});
