import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";

import { sandboxFor } from "../support/sandbox.ts";
import { HOSTS } from "../support/spawned-plugin.ts";
import { startTcpServer } from "../support/tcp-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { createAuthority, startTlsFront } from "../support/tls.ts";
import { checked, configFor, errorOf, HOOK, KEY, loggingEngine, pluginFor, start } from "./support.ts";

const SUPPORT = join(import.meta.dirname, "../support");
const PROVIDER = join(import.meta.dirname, "../../provider");

describe("the environment", () => {
  it("with a Node that is too old causes an error with both versions, before undici is loaded", async () => {
    const NODE_OPTIONS = `--require=${join(SUPPORT, "old-node.cjs")}`;
    const { api, plugin } = await start({ env: { NODE_OPTIONS } });
    const { message } = await errorOf(plugin.create(KEY));
    expect(message).toMatch(/^Node 20\.11\.0 is too old: .*Node 22\.19\.0 .*\[PARTNERS_CONFIGURATION\]$/);
    const [failure] = (await plugin.check(HOOK)).failures;
    expect(failure?.reason).toMatch(/\[PARTNERS_CONFIGURATION\]$/);
    expect(api.requests).toEqual([]);
  });

  it("adds a private authority with NODE_EXTRA_CA_CERTS, which the error suggests", async () => {
    const authority = await createAuthority();
    const api = await sandboxFor();
    const front = await startTlsFront(api.url, await authority.issue({ hosts: ["localhost"] }));
    onTestFinished(() => front.close());
    const file = join(await temporaryFolder(), "authority.pem");
    await writeFile(file, authority.certificate);
    const address = { "partners:baseUrl": `https://localhost:${front.port}` };
    const config = { ...configFor(api), ...address, "partners:requestTimeout": "2" };

    const strict = await pluginFor({ config, env: { NODE_EXTRA_CA_CERTS: "" } });
    expect((await errorOf(strict.create(KEY))).message).toMatch(
      /NODE_EXTRA_CA_CERTS.*\[PARTNERS_CONNECTION\]$/,
    );
    const trusting = await pluginFor({ config, env: { NODE_EXTRA_CA_CERTS: file } });
    expect((await trusting.create(KEY)).properties["apiKey"]).toBe([...api.keys][0]);
  });

  // gRPC obeys the lowercase variables, even for an address of this machine.
  it.each(HOSTS)("sends no message for the engine to a proxy (%s)", async (host) => {
    const silent = await startTcpServer(() => undefined);
    onTestFinished(() => silent.close());
    const url = `http://127.0.0.1:${silent.port}`;
    const env = { grpc_proxy: url, https_proxy: url, http_proxy: url, no_proxy: "" };
    const { address: engineAddress, messages } = await loggingEngine();
    const api = await sandboxFor();
    const plugin = await pluginFor({ host, engineAddress, env, config: configFor(api) });
    const inputs = await checked(plugin, HOOK);
    await plugin.create(inputs);
    expect(messages).toMatchObject([{ severity: 1 }]);
    expect(plugin.stderr()).toBe("");
  });
});

it("a program whose folder cannot load the plugin is told so, even if another package could", async () => {
  const folder = await temporaryFolder();
  const script = join(folder, "cmd/run/index.js"); // As the SDK's.
  await mkdir(dirname(script), { recursive: true });
  const [sdk, partners] = [createRequire(import.meta.url).resolve("@pulumi/pulumi"), join(PROVIDER, "dist")];
  const mocks = "{ newResource: ({ name }) => ({ id: name, state: {} }), call: () => ({}) }";
  await writeFile(
    script,
    `require(${JSON.stringify(sdk)}).runtime.setMocks(${mocks})
      .then(() => new (require(${JSON.stringify(partners)}).PartnerApiKey)("checkout"))
      .then(() => console.log("declared"), (error) => console.log(error.message));`,
  );
  const run = async () => (await promisify(execFile)(process.execPath, [script], { cwd: folder })).stdout;
  expect(await run()).toMatch(/^Pulumi cannot find "pulumi-partners" from .*own dependencies/);
  await mkdir(join(folder, "node_modules"));
  await symlink(PROVIDER, join(folder, "node_modules/pulumi-partners"));
  expect(await run()).toBe("declared\n");
});

describe("the modules that are loaded", () => {
  /** Returns the packages and folders of the modules that a module loads. */
  async function loadedBy(module: string): Promise<string[]> {
    const script = `require(${JSON.stringify(join(PROVIDER, module))}); console.log(Object.keys(require.cache).join("\\n"));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", script]);
    return stdout.trim().split("\n");
  }

  it.each(["dist/hosts/native.js", "dist/hosts/dynamic.js"])(
    "of %s are neither the SDK, apart from its protocol, nor undici before a request",
    async (module) => {
      const loaded = await loadedBy(module);
      expect(loaded.filter((file) => /@pulumi[\\/]pulumi[\\/](?!proto[\\/])|undici/.test(file))).toEqual([]);
      expect(loaded.some((file) => file.includes("/keys/key-resource.js"))).toBe(true);
    },
  );

  it("of a program are the SDK, the resources and what describes them", async () => {
    const loaded = await loadedBy("dist/index.js");
    const own = loaded.filter((file) => file.startsWith(join(PROVIDER, "dist")));
    const expected = /dist\/(?:index|registration|setting-names|resources\/[a-z-]+)\.js$/;
    expect(own.filter((file) => !expected.test(file))).toEqual([]);
    expect(loaded.filter((file) => file.includes("undici"))).toEqual([]);
  });
});
