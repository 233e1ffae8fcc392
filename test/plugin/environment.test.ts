import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import { createAuthority, startTlsFront } from "../support/tls.ts";
import { configFor, errorOf, HOOK, KEY, pluginFor, sandboxFor } from "./partners.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SUPPORT = join(import.meta.dirname, "../support");

describe("the environment", () => {
  it("with a Node that is too old causes an error with both versions, before undici is loaded", async () => {
    const sandbox = await sandboxFor();
    const env = { NODE_OPTIONS: `--require=${join(SUPPORT, "old-node.cjs")}` };
    const plugin = await pluginFor({ config: configFor(sandbox), env });
    const { message } = await errorOf(plugin.create(KEY));
    expect(message).toMatch(
      /Node 20\.11\.0 is too old\. Install Node 22\.19\.0 .*\[PARTNERS_CONFIGURATION\]$/,
    );
    const [failure] = (await plugin.check(HOOK)).failures;
    expect(failure?.reason).toMatch(/\[PARTNERS_CONFIGURATION\]$/);
    expect(sandbox.requests).toEqual([]);
  });

  it("adds a private authority with NODE_EXTRA_CA_CERTS, which the error suggests", async () => {
    const authority = await createAuthority();
    const sandbox = await sandboxFor();
    const front = await startTlsFront(sandbox.url, await authority.issue({ hosts: ["localhost"] }));
    onTestFinished(() => front.close());
    const file = join(await temporaryFolder(), "authority.pem");
    await writeFile(file, authority.certificate);
    const config = { ...configFor(sandbox), "partners:baseUrl": `https://localhost:${front.port}` };

    const strict = await pluginFor({ config, env: { NODE_EXTRA_CA_CERTS: "" } });
    const { message } = await errorOf(strict.create(KEY));
    expect(message).toMatch(/NODE_EXTRA_CA_CERTS.*\[PARTNERS_CONNECTION\]$/);
    const trusting = await pluginFor({ config, env: { NODE_EXTRA_CA_CERTS: file } });
    expect((await trusting.create(KEY)).properties["apiKey"]).toBe(sandbox.apiKeys[0]);
  });
});
