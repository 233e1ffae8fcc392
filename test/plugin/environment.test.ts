import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import { createAuthority, startTlsFront } from "../support/tls.ts";
import { configFor, errorOf, HOOK, KEY, loggingEngine, pluginFor, sandboxFor, start } from "./support.ts";
import { HOSTS } from "../support/spawned-plugin.ts";
import { startTcpServer } from "../support/tcp-server.ts";
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

  // gRPC obeys the lowercase variables, even for an address of this machine.
  it.each(
    HOSTS.flatMap((host) => [
      { host, proxy: "refuses" },
      { host, proxy: "hangs" },
    ]),
  )("sends no message for the engine to a proxy that $proxy ($host)", async ({ host, proxy }) => {
    const silent = await startTcpServer(() => undefined);
    onTestFinished(() => silent.close());
    const url = `http://127.0.0.1:${proxy === "hangs" ? silent.port : 9}`;
    const env = { grpc_proxy: url, https_proxy: url, http_proxy: url };
    const { address: engineAddress, messages } = await loggingEngine();
    const { plugin } = await start({}, { host, engineAddress, env });
    const startedAt = performance.now();
    await plugin.delete("key-1", { ...KEY, apiKey: "no-such-key-0123456789abcdef0123456789" });
    expect(performance.now() - startedAt).toBeLessThan(3000); // A message to a proxy that hangs takes 5 s.
    const message = expect.stringMatching(/key sha256:.* was not found/) as string;
    expect(messages).toMatchObject([{ severity: 2, message }]);
    expect(plugin.stderr()).toBe("");
  });
});
