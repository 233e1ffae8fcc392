import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { copyBuild, LOWEST, ROOT } from "../../provider/tools/checkout.ts";
import { engineEnv } from "../../provider/tools/engine/environment.ts";
import { mustRunShell } from "../../provider/tools/process.ts";
import { environmentFor, sandboxFor } from "./support.ts";

const PROGRAMS = {
  commonjs: `
import * as partners from "pulumi-partners";
const key = new partners.PartnerApiKey("checkout", { rotation: { afterDays: 30, overlapDays: 2 } });
const orders = new partners.PartnerWebhookState("orders", { webhookId: 103, state: "active" });
// @ts-expect-error There is no such state, so the types are not \`any\`.
const _wrong: partners.WebhookState = "paused";
export const versions = [process.version, __filename]; // __filename exists only in CommonJS.
export const state = orders.state;
`,
  module: `
import { PartnerApiKey, PartnerWebhookState } from "pulumi-partners";
new PartnerApiKey("checkout");
const orders = new PartnerWebhookState("orders", { webhookId: 103, state: "active" });
export const versions = [process.version, import.meta.filename];
export const state = orders.state;
`,
};

it(
  "the packed package runs as CommonJS and as an ES module with the lowest supported versions",
  { timeout: 300_000 },
  async () => {
    const sandbox = await sandboxFor();
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
      dependencies,
      allowScripts: { node: true, protobufjs: false },
    };
    await writeFile(join(cwd, "package.json"), JSON.stringify(manifest));
    // Prefer the cache that `npm ci` has filled.
    await shell("npm install --prefer-offline --no-audit --no-fund");

    const compilerOptions = {
      target: "es2022",
      module: "nodenext",
      moduleResolution: "nodenext",
      types: ["node"],
      strict: true,
    };
    await writeFile(join(cwd, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["index.ts"] }));
    await writeFile(join(cwd, "Pulumi.yaml"), "name: my-stack\nruntime: nodejs\nmain: index.ts\n");
    await shell("pulumi stack init dev");
    for (const [type, program] of Object.entries(PROGRAMS)) {
      await writeFile(join(cwd, "package.json"), JSON.stringify({ ...manifest, type }));
      await writeFile(join(cwd, "index.ts"), program);
      await shell("pulumi up --yes --skip-preview");
      const versions = [`v${LOWEST.node}`, join(cwd, "index.ts")];
      expect(JSON.parse(await shell("pulumi stack output --json"))).toEqual({ versions, state: "active" });
    }
    expect([sandbox.apiKeys.length, sandbox.webhooks.get(103)]).toEqual([1, "active"]);
    await shell("pulumi destroy --yes --skip-preview");
    expect(sandbox.apiKeys).toEqual([]);
  },
);
