import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as partners from "pulumi-partners";
import { startSandbox } from "pulumi-partners/sandbox";
import { expect, it, onTestFinished } from "vitest";

import { runShell } from "../support/cli.ts";
import { engineEnv } from "../support/engine-env.ts";
import { createTestStack } from "../support/stack.ts";

const PAGE = join(import.meta.dirname, "../../docs/configuration.md");

it("the commands of the page set what they name", async () => {
  const engine = await engineEnv();
  onTestFinished(() => engine.dispose());
  await writeFile(join(engine.dir, "Pulumi.yaml"), "name: configured\nruntime: nodejs\n");
  await writeFile(join(engine.dir, "token.txt"), "demo-token\n");
  const blocks = [...(await readFile(PAGE, "utf8")).matchAll(/^```sh\n(.*?)^```$/gms)].map(
    ([, text]) => text,
  );
  const show = [
    "pulumi config --json --show-secrets",
    `printf '%s' "$PARTNERS_ACCESS_TOKEN $PARTNERS_RESPONSES"`,
  ];
  const script = ["pulumi stack init dev", ...blocks, ...show].join("\n");
  const { code, stdout, stderr } = await runShell(script, { cwd: engine.dir, env: engine.env });
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout.slice(stdout.indexOf("{"), stdout.lastIndexOf("}\n") + 1))).toMatchObject({
    "partners:accessToken": { value: "demo-token", secret: true },
    "partners:baseUrl": { value: "https://partners.example.com" },
    "partners:requestTimeout": { value: "60" },
    "partners:responses": { objectValue: { apiKey: "/data/key" } },
  });
  expect(stdout).toContain('demo-token {"apiKey":"/data/key"}');
});

it("destroy and refresh use the configuration of the last up, with --run-program that of now", async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const stack = await createTestStack({
    program: () => {
      new partners.PartnerApiKey("checkout");
      new partners.PartnerWebhookState("orders", { webhookId: 101, state: "active" });
      return Promise.resolve();
    },
    config: {
      "partners:baseUrl": { value: sandbox.url },
      "partners:accessToken": { value: sandbox.accessToken, secret: true },
    },
  });
  onTestFinished(() => stack.dispose());
  expect(await stack.up()).toMatchObject({ ok: true });
  await stack.configure({ "partners:accessToken": { value: sandbox.rotateAccessToken(), secret: true } });
  const rejected = expect.stringContaining("The access token was rejected") as string;
  expect(await stack.refresh()).toMatchObject({ ok: false, stdout: rejected });
  expect(await stack.destroy()).toMatchObject({ ok: false, stdout: rejected });
  expect(await stack.destroy({ flags: ["--run-program"] })).toMatchObject({ ok: true });
  expect(sandbox.apiKeys).toEqual([]);
});
