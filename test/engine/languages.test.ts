import { copyFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { ROOT } from "../support/checkout.ts";
import { canGenerate, CODEGEN_MODULE, generate } from "../support/codegen.ts";
import { engineEnv } from "../support/engine.ts";
import { mustRun } from "../support/process.ts";
import { pythonEnv } from "../support/python.ts";
import { LONG } from "../support/random.ts";
import type { TestStackOptions } from "../support/stack.ts";
import { countRequests, sandboxStack, statesOf, UNCHANGED } from "./support.ts";

type Project = Pick<TestStackOptions, "files" | "env">;

/** A program in each language, and the SDK generated for it. `undefined` where the machine cannot run it. */
const LANGUAGES: readonly { name: string; project: (folder: string) => Promise<Project | undefined> }[] = [
  {
    name: "Python",
    async project(folder) {
      const program = await readFile(join(ROOT, "examples/python/__main__.py"), "utf8");
      const env = await pythonEnv(folder);
      return (
        env && { env, files: { "Pulumi.yaml": "name: test\nruntime: python\n", "__main__.py": program } }
      );
    },
  },
  {
    name: "TypeScript",
    async project(sdk) {
      if (!LONG || !(await canGenerate())) return undefined;
      await generate({ nodejs: sdk });
      await symlink(join(ROOT, "node_modules"), join(sdk, "node_modules"));
      await mustRun(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc")], { cwd: sdk });
      await copyFile(join(sdk, "package.json"), join(sdk, "bin/package.json"));
      const program = `
        import * as partners from "${sdk}/bin";
        const checkout = new partners.PartnerApiKey("checkout", { rotation: { afterDays: 90, overlapDays: 7 } });
        const orders = new partners.PartnerWebhookState("orders", {
          webhookId: 101,
          state: "active",
          stateOnDestroy: partners.StateOnDestroy.Restore,
        });
        new partners.PartnerWebhookState("refunds", { webhookId: 103, state: partners.WebhookState.Disabled });
        export const api_key = checkout.apiKey;
        export const orders_state = orders.state;
        export const undeclared = partners
          .getPartnerWebhooks()
          .then(({ webhooks }) => webhooks.map(({ webhookId }) => webhookId).filter((id) => id === 102));`;
      const tsconfig = JSON.stringify({ compilerOptions: { strict: true, skipLibCheck: true } });
      return { files: { "index.ts": program, "package.json": "{}", "tsconfig.json": tsconfig } };
    },
  },
];

it.for(LANGUAGES)("a program in $name, from import to destroy", async ({ project }, { skip }) => {
  const options = await project(await temporaryFolder());
  if (!options) return skip();
  const { sandbox, stack } = await sandboxStack(undefined, {}, options);
  const found = statesOf(sandbox);
  const run = async (operation: "preview" | "up" | "refresh" | "destroy", more = {}) => {
    const { error, changes } = await stack[operation](more);
    return { error, changes, requests: countRequests(sandbox) };
  };

  const flags = ["--yes", "--skip-preview", "--generate-code=false", "--protect=false"];
  await stack.pulumi("import", "partners:index:PartnerWebhookState", "refunds", "103", ...flags);
  expect(countRequests(sandbox)).toEqual({ GET: 1 });

  sandbox.setWebhookState(101, "disabled");
  const created = { error: "", changes: { create: 2, same: 2 } };
  expect(await run("preview")).toEqual({ ...created, requests: { GET: 1 } });
  expect(await run("up")).toEqual({ ...created, requests: { GET: 1, POST: 1, PATCH: 1 } });
  const [apiKey] = sandbox.apiKeys;
  expect(await stack.outputs()).toEqual({ api_key: apiKey, orders_state: "active", undeclared: [102] });
  expect(await stack.stateFile()).not.toContain(apiKey);
  // The program lists the webhooks.
  expect(await run("up", UNCHANGED)).toEqual({ error: "", changes: { same: 4 }, requests: { GET: 1 } });

  sandbox.setWebhookState(101, "disabled");
  const drift = { error: "", changes: { update: 1, same: 3 } };
  expect(await run("refresh")).toEqual({ ...drift, requests: { GET: 1 } });
  expect(await run("up")).toEqual({ ...drift, requests: { GET: 1, PATCH: 1 } });

  const destroyed = { error: "", changes: { delete: 4 }, requests: { DELETE: 1, GET: 1, PATCH: 1 } };
  expect(await run("destroy")).toEqual(destroyed);
  expect([sandbox.apiKeys, statesOf(sandbox)]).toEqual([[], { ...found, 101: "disabled" }]);
});

it("the plugin prints its schema, which the engine binds without a warning", async ({ skip }) => {
  const engine = await engineEnv();
  onTestFinished(() => engine.dispose());
  const printed = await mustRun("pulumi", ["package", "get-schema", "partners"], { env: engine.env });
  expect(JSON.parse(printed)).toEqual(JSON.parse(await readFile(join(ROOT, "provider/schema.json"), "utf8")));
  if (!(await canGenerate())) return skip();
  await generate({});
});

it.runIf(LONG)("the SDK generated for Go compiles", async ({ skip }) => {
  if (!(await canGenerate())) return skip();
  const sdk = await temporaryFolder();
  await generate({ go: sdk });
  await cp(join(CODEGEN_MODULE, "go.sum"), join(sdk, "go.sum"));
  const modules = await readFile(join(CODEGEN_MODULE, "go.mod"), "utf8");
  const name = "module github.com/pulumi-partners/pulumi-partners/sdk/go";
  await writeFile(join(sdk, "go.mod"), modules.replace(/^module .*/, name));
  await mustRun("go", ["vet", "./..."], { cwd: sdk, env: { ...process.env, GOFLAGS: "-mod=readonly" } });
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
