import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import { startSandbox } from "pulumi-partners/sandbox";
import { expect, it } from "vitest";

// With the real engine and a Partner API on this machine: what does the program do?
it("creates a key that works, and cleans up after itself", { timeout: 120_000 }, async () => {
  await using sandbox = await startSandbox({ webhooks: { 7: "active" } });
  const backend = await mkdtemp(join(tmpdir(), "stacks-"));
  const envVars = {
    PULUMI_BACKEND_URL: pathToFileURL(backend).href,
    PULUMI_CONFIG_PASSPHRASE: "test",
    PARTNERS_BASE_URL: sandbox.url,
    PARTNERS_ACCESS_TOKEN: sandbox.accessToken,
  };
  const project = { stackName: "sandbox", workDir: import.meta.dirname };
  const stack = await LocalWorkspace.createStack(project, { envVars });

  const { outputs } = await stack.up();
  expect(sandbox.apiKeys).toContain(outputs["apiKey"]?.value);
  expect(sandbox.webhooks.get(7)).toBe("disabled");

  await stack.destroy();
  expect(sandbox.apiKeys.size).toBe(0);
  await stack.workspace.removeStack("sandbox");
  await rm(backend, { recursive: true });
});
