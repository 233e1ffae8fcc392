import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { expect, it, onTestFinished } from "vitest";

import manifest from "../../provider/package.json" with { type: "json" };
import { startTime } from "../../provider/tools/executable/build.ts";
import { rehearseRelease } from "../../provider/tools/release-check.ts";
import { getPulumi } from "../support/pulumi-cli.ts";
import { sandboxStack, statesOf } from "./support.ts";

const { version } = manifest;
/** Milliseconds. Generous for a busy machine, yet loading the Pulumi SDK alone would exceed it. */
const START_LIMIT = 300;

it("a release passes its check, and its plugin starts quickly and works without Node", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { plugin } = await rehearseRelease(join(folder, "release"));
  // Pulumi looks for this name in the release at the schema's pluginDownloadURL.
  const platform = `${process.platform}-${process.arch.replace("x64", "amd64")}`;
  expect(basename(plugin)).toBe(`pulumi-resource-partners-v${version}-${platform}.tar.gz`);
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
  await stack.pulumi("plugin", "install", "resource", "partners", version, "--file", plugin);
  expect(await stack.up()).toMatchObject({ error: "", changes: { create: 2 } });
  expect(statesOf(sandbox)).toEqual({ 101: "active" });
  expect(await stack.destroy()).toMatchObject({ error: "", changes: { delete: 2 } });

  const installed = join(home, `plugins/resource-partners-v${version}`);
  const files = ["LICENSE", "LICENSE-node", "LICENSE-packages", "pulumi-resource-partners"];
  expect((await readdir(installed)).sort()).toEqual(files);
  expect(await startTime(join(installed, "pulumi-resource-partners"))).toBeLessThan(START_LIMIT);
});
