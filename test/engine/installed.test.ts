import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import schema from "../../provider/schema.json" with { type: "json" };
import { startTime } from "../../provider/tools/release/executable/start-time.ts";
import { rehearseRelease } from "../../provider/tools/release/release-check.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { getPulumi } from "../../provider/tools/engine/pulumi-cli.ts";
import { blocksOf, Native, sandboxStack, statesOf } from "./support.ts";

const { version, pluginDownloadURL } = schema;
/** Milliseconds. Generous for a busy machine, yet loading the Pulumi SDK alone would exceed it. */
const START_LIMIT = 400;
/** The release is packed twice and installed twice. */
const LIMIT = { timeout: 300_000 };

it(
  "a release passes its check, and its plugin installs itself, starts quickly and works without Node",
  LIMIT,
  async () => {
    const folder = await temporaryFolder();
    const { plugin } = await rehearseRelease(join(folder, "release"));
    const tarball = await readFile(plugin);
    let isReleased = false;
    const release = createServer(({ url }, response) => {
      if (isReleased && url === `/${basename(plugin)}`) response.end(tarball);
      else response.writeHead(404).end();
    });
    onTestFinished(() => void release.close());
    await once(release.listen(0, "127.0.0.1"), "listening");
    const { port } = release.address() as AddressInfo;

    const home = join(folder, "home");
    const { sandbox, stack } = await sandboxStack(
      async () => {
        const args = { webhookId: 101, state: "active" };
        new Native("PartnerWebhookState", "orders", args, { pluginDownloadURL }); // As generated SDKs do.
        return Promise.resolve();
      },
      { webhooks: [{ webhookId: 101, state: "disabled" }] },
      {
        env: {
          PATH: dirname((await getPulumi()).path),
          PULUMI_HOME: home,
          PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "false",
          PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `^${pluginDownloadURL}$=http://127.0.0.1:${port}`,
        },
      },
    );
    // Before the release, the page explains why the plugin cannot be downloaded.
    const { error } = await stack.preview();
    const [message = ""] = error.split(", ");
    expect(message).not.toBe("");
    expect((await blocksOf("docs/troubleshooting.md", "text")).join()).toContain(message);
    isReleased = true;
    expect(await stack.up()).toMatchObject({ error: "", changes: { create: 2 } });
    expect(statesOf(sandbox)).toEqual({ 101: "active" });
    expect(await stack.destroy()).toMatchObject({ error: "", changes: { delete: 2 } });

    const [install = ""] = await blocksOf("provider/registry/installation-configuration.md", "sh");
    await stack.pulumi(...install.trim().split(" ").slice(1), "--reinstall");
    const installed = join(home, `plugins/resource-partners-v${version}`);
    const files = ["LICENSE", "LICENSE-node", "LICENSE-packages", "pulumi-resource-partners"];
    expect((await readdir(installed)).sort()).toEqual(files);
    expect(await startTime([join(installed, "pulumi-resource-partners")])).toBeLessThan(START_LIMIT);
  },
);
