import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { expect, it, onTestFinished } from "vitest";

import { buildPlugin, startTime } from "../../provider/tools/executable/build.ts";
import { getPulumi } from "../support/pulumi-cli.ts";
import { blocksOf, sandboxStack, statesOf } from "./support.ts";

/** Milliseconds. Generous for a busy machine, yet loading the Pulumi SDK alone would exceed it. */
const START_LIMIT = 300;

it("the tarball installs a plugin that starts quickly and works without Node", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { path, version } = await buildPlugin(folder);
  // Pulumi looks for this name on a server.
  expect(basename(path)).toMatch(`resource-partners-v${version}-${process.platform}-`);
  const home = join(folder, "home");
  class Webhook extends pulumi.CustomResource {}
  const { sandbox, stack } = await sandboxStack(
    async () => {
      const args = { webhookId: 101, state: "active" };
      new Webhook("partners:index:PartnerWebhookState", "orders", args, { version });
      return Promise.resolve();
    },
    { webhooks: [{ webhookId: 101, state: "disabled" }] },
    { env: { PATH: dirname((await getPulumi()).path), PULUMI_HOME: home } },
  );
  const { error } = await stack.preview();
  expect(error).not.toBe("");
  expect((await blocksOf("docs/troubleshooting.md", "text")).join()).toContain(error);
  await stack.pulumi("plugin", "install", "resource", "partners", version, "--file", path);
  expect(await stack.up()).toMatchObject({ error: "", changes: { create: 2 } });
  expect(statesOf(sandbox)).toEqual({ 101: "active" });
  expect(await stack.destroy()).toMatchObject({ error: "", changes: { delete: 2 } });

  const installed = join(home, `plugins/resource-partners-v${version}`);
  const files = ["LICENSE", "LICENSE-node", "LICENSE-packages", "pulumi-resource-partners"];
  expect((await readdir(installed)).sort()).toEqual(files);
  expect(await startTime(join(installed, "pulumi-resource-partners"))).toBeLessThan(START_LIMIT);
});
