import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, expect, it, onTestFinished } from "vitest";

import { buildPlugin, type PluginTarball } from "../support/executable/build.ts";
import { startTime } from "../support/executable/start-time.ts";
import { getPulumi } from "../support/pulumi-cli.ts";
import { createAuthority } from "../support/tls.ts";
import { sandboxStack, statesOf } from "./support.ts";

/** Milliseconds: three times what a busy machine takes. Loading the SDK alone would take longer. */
const START_LIMIT = 300;

let folder: string;
let tarball: PluginTarball;
/** There is no Node on its PATH. */
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  tarball = await buildPlugin(folder);
  env = { PATH: dirname((await getPulumi()).path) };
  return () => rm(folder, { recursive: true });
}, 180_000);

it("the tarball installs a plugin that starts quickly and works without Node", async () => {
  const { path, version } = tarball;
  const home = join(folder, "home");
  class Webhook extends pulumi.CustomResource {}
  const { sandbox, stack } = await sandboxStack(
    async () => {
      const args = { webhookId: 101, state: "active" };
      new Webhook("partners:index:PartnerWebhookState", "orders", args, { version });
      return Promise.resolve();
    },
    { webhooks: [{ webhookId: 101, state: "disabled" }] },
    { env: { ...env, PULUMI_HOME: home } },
  );
  await stack.pulumi("plugin", "install", "resource", "partners", version, "--file", path);
  expect(await stack.up()).toMatchObject({ error: "", changes: { create: 2 } });
  expect(statesOf(sandbox)).toEqual({ 101: "active" });
  expect(await stack.destroy()).toMatchObject({ error: "", changes: { delete: 2 } });

  const installed = join(home, `plugins/resource-partners-v${version}`);
  const files = ["LICENSE", "LICENSE-node", "LICENSE-packages", "pulumi-resource-partners"];
  expect((await readdir(installed)).sort()).toEqual(files);
  expect(await startTime(join(installed, "pulumi-resource-partners"))).toBeLessThan(START_LIMIT);
});

// Go reads SSL_CERT_FILE on Linux only.
it.runIf(process.platform === "linux")(
  "Pulumi finds the tarball on a server by its name, and compares it with its checksum",
  async () => {
    const { path, version, sha256 } = tarball;
    const contents = await readFile(path);
    const authority = await createAuthority();
    // Pulumi 3.259 computes wrong checksums of what comes over HTTP/1.1.
    const server = createSecureServer(
      await authority.issue({ hosts: ["localhost"] }),
      ({ url }, response) => {
        response.statusCode = url === `/${basename(path)}` ? 200 : 404;
        response.setHeader("content-length", contents.length);
        response.end(contents);
      },
    );
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const trusted = join(folder, "authority.pem");
    await writeFile(trusted, authority.certificate);
    const { stack } = await sandboxStack(
      undefined,
      {},
      { env: { ...env, PULUMI_HOME: join(folder, "other"), SSL_CERT_FILE: trusted } },
    );
    const install = (checksum: string): Promise<string> => {
      const source = ["--server", `https://localhost:${port}`, "--checksum", checksum];
      return stack.pulumi("plugin", "install", "resource", "partners", version, ...source);
    };
    await expect(install("0".repeat(64))).rejects.toThrow("checksum");
    await install(sha256);
  },
);
