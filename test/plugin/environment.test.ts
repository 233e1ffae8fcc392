import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { mustRun } from "../../provider/tools/child-process.ts";
import { HOSTS } from "../support/spawned-plugin.ts";
import { startTcpServer } from "../support/tcp-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { created, errorOf, HOOK, KEY, loggingEngine, runFirst, start } from "./support.ts";

const PROVIDER = join(import.meta.dirname, "../../provider");

it("a Node that is too old causes an error with both versions, before undici is loaded", async () => {
  const env = runFirst(`
    import Module from "node:module";
    Object.defineProperty(process.versions, "node", { value: "20.11.0" });
    const load = Module._load;
    Module._load = (request, ...rest) => {
      if (request === "undici") throw new TypeError("this Node cannot load undici");
      return load(request, ...rest);
    };`);
  const { api, plugin } = await start({ env });
  const { message } = await errorOf(plugin.create(KEY));
  expect(message).toMatch(/^Node 20\.11\.0 is too old: .*Node 22\.19 or newer .*\[PARTNERS_CONFIGURATION\]$/);
  const [failure] = (await plugin.check(HOOK)).failures;
  expect(failure?.reason).toMatch(/\[PARTNERS_CONFIGURATION\]$/);
  expect(api.requests).toEqual([]);
});

// gRPC obeys the lowercase variables, even for an address of this machine.
it.each(HOSTS)("no message for the engine is sent to a proxy (%s)", async (host) => {
  const silent = await startTcpServer(() => undefined);
  onTestFinished(() => silent.close());
  const url = `http://127.0.0.1:${silent.port}`;
  const env = { grpc_proxy: url, https_proxy: url, http_proxy: url, no_proxy: "" };
  const { address: engineAddress, messages } = await loggingEngine();
  const { plugin } = await start({ host, engineAddress, env });
  await created(plugin, HOOK);
  expect(messages).toMatchObject([{ severity: 1 }]);
  expect(plugin.stderr()).toBe("");
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
  const run = () => mustRun(process.execPath, [script], { cwd: folder });
  expect(await run()).toMatch(/^Pulumi cannot find "pulumi-partners" from .*own dependencies/);
  await mkdir(join(folder, "node_modules"));
  await symlink(PROVIDER, join(folder, "node_modules/pulumi-partners"));
  expect(await run()).toBe("declared\n");
});

const SDK_OR_CLIENT = /@pulumi\/pulumi\/(?!proto\/)|undici/;
const NOT_OF_PROGRAMS =
  /undici|provider\/dist\/(?!(?:index|registration|setting-(?:messages|names)|resources\/[a-z-]+)\.js$)/;

it.each([
  ["hosts/native.js", "keys/key-resource.js", SDK_OR_CLIENT],
  ["hosts/dynamic.js", "keys/key-resource.js", SDK_OR_CLIENT],
  ["index.js", "resources/provider.js", NOT_OF_PROGRAMS],
])("dist/%s loads %s, but no file like %s, which would slow its start", async (module, needed, unneeded) => {
  const path = JSON.stringify(join(PROVIDER, "dist", module));
  const script = `require(${path}); console.log(Object.keys(require.cache).join("\\n"));`;
  const loaded = (await mustRun(process.execPath, ["-e", script])).trim().split("\n");
  expect(loaded.filter((file) => unneeded.test(file))).toEqual([]);
  expect(loaded).toContain(join(PROVIDER, "dist", needed));
});
