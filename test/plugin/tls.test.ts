import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import { createAuthority } from "../support/tls.ts";
import { startTlsFront } from "../support/tls.ts";
import { errorOf, KEY, pluginFor, sandboxFor } from "./partners.ts";

/** A sandbox behind the certificate of an authority that nobody knows, and a file with that authority's own. */
async function privateService() {
  const authority = await createAuthority();
  const sandbox = await sandboxFor();
  const front = await startTlsFront(sandbox.url, await authority.issue({ hosts: ["localhost"] }));
  const folder = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  onTestFinished(async () => {
    await front.close();
    await rm(folder, { recursive: true });
  });
  const file = join(folder, "authority.pem");
  await writeFile(file, authority.certificate);
  const config = {
    "partners:baseUrl": `https://localhost:${front.port}`,
    "partners:accessToken": sandbox.accessToken,
  };
  return { sandbox, config, file };
}

describe("a service with a certificate of the organisation's own", () => {
  it("is refused, and the error says how to trust it", async () => {
    const { sandbox, config } = await privateService();
    const plugin = await pluginFor({ config, env: { NODE_EXTRA_CA_CERTS: "" } });
    const { message, initFailure } = await errorOf(plugin.create({ ...KEY, account: "default" }));
    expect(message).toContain("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
    expect(message).toContain("set the environment variable NODE_EXTRA_CA_CERTS to a PEM file");
    expect(message).toContain("Nothing was changed on the server.");
    expect(`${message}${plugin.stderr()}`).not.toContain(sandbox.accessToken);
    expect(initFailure).toBeUndefined();
    expect(sandbox.requests).toEqual([]);
  });

  it("is trusted when NODE_EXTRA_CA_CERTS says so", async () => {
    const { sandbox, config, file } = await privateService();
    const plugin = await pluginFor({ config, env: { NODE_EXTRA_CA_CERTS: file } });
    const { properties } = await plugin.create({ ...KEY, account: "default" });
    expect(properties["apiKey"]).toBe(sandbox.apiKeys[0]);
    expect(sandbox.requests).toHaveLength(1);
  });
});
