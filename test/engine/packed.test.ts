import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { copyBuild, LOWEST, ROOT } from "../../provider/tools/checkout.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import { mustRunShell } from "../../provider/tools/child-process.ts";
import { environmentFor, sandboxFor, statesOf } from "./support.ts";

const QUICKSTART = join(ROOT, "examples/quickstart");
/** Lines after the program of the quickstart, by the type of the module. */
const LINES = {
  commonjs: `
// @ts-expect-error There is no such state, so the types are not \`any\`.
const _wrong: partners.WebhookState = "paused";
export const versions = [process.version, __filename]; // __filename exists only in CommonJS.`,
  module: `
import { PartnerApiKey } from "pulumi-partners";
export const versions = [process.version, import.meta.filename];
new PartnerApiKey("other");`,
};

it(
  "the packed package runs as CommonJS and as an ES module with the lowest supported versions",
  { timeout: 300_000 },
  async () => {
    const webhooks = [101, 103].map((webhookId) => ({ webhookId, state: "disabled" }) as const);
    const sandbox = await sandboxFor({ webhooks });
    const engine = await engineEnv({ ...environmentFor(sandbox), PULUMI_STACK: "dev" });
    onTestFinished(() => engine.dispose());
    const checkout = join(engine.dir, "checkout");
    const cwd = join(engine.dir, "my-stack");
    // npm installs the lowest Node there. It runs both the program and the plugin.
    const env = { ...engine.env, PATH: `${join(cwd, "node_modules/.bin")}:${engine.env["PATH"] ?? ""}` };
    const shell = (script: string, folder = cwd) =>
      mustRunShell(script, { cwd: folder, env, timeoutMs: 120_000 });
    await copyBuild(checkout); // npm pack writes into the checkout.
    await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"));
    await mkdir(cwd);
    await shell("npm pack --workspace provider --pack-destination ../my-stack", checkout);
    const [tarball = ""] = (await readdir(cwd)).filter((name) => name.endsWith(".tgz"));
    const dependencies = { ...LOWEST, "@types/node": "^22.19.0", "pulumi-partners": `file:${tarball}` };
    const manifest = {
      name: "my-stack",
      private: true,
      main: "index.ts",
      dependencies,
      allowScripts: { node: true, protobufjs: false },
    };
    await writeFile(join(cwd, "package.json"), JSON.stringify(manifest));
    // Prefer the cache that `npm ci` has filled.
    await shell("npm install --prefer-offline --no-audit --no-fund");

    const [program, project, config] = await Promise.all(
      ["index.ts", "Pulumi.yaml", "tsconfig.json"].map((file) => readFile(join(QUICKSTART, file), "utf8")),
    );
    await writeFile(join(cwd, "Pulumi.yaml"), project ?? "");
    await writeFile(join(cwd, "tsconfig.json"), config?.replace('"skipLibCheck": true,', "") ?? "");
    await shell("pulumi stack init dev");
    for (const [type, lines] of Object.entries(LINES)) {
      await writeFile(join(cwd, "package.json"), JSON.stringify({ ...manifest, type }));
      await writeFile(join(cwd, "index.ts"), `${program ?? ""}${lines}`);
      await shell("pulumi up --yes --skip-preview");
      const versions = [`v${LOWEST.node}`, join(cwd, "index.ts")];
      expect(JSON.parse(await shell("pulumi stack output --json"))).toMatchObject({ versions });
    }
    expect([sandbox.apiKeys.length, statesOf(sandbox)]).toEqual([2, { 101: "active", 103: "disabled" }]);
    await shell("pulumi destroy --yes --skip-preview");
    expect(sandbox.apiKeys).toEqual([]);
  },
);
