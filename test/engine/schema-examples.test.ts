import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { canGenerate, CODEGEN_MODULE, generate } from "../../provider/tools/codegen.ts";
import { type Example, examplesOf } from "../../provider/tools/examples.ts";
import { mustRun } from "../../provider/tools/process.ts";
import type { PackageSchema } from "../../provider/tools/registry-pages.ts";
import { engineEnv } from "../../provider/tools/engine/environment.ts";
import { pythonEnv } from "../../provider/tools/python.ts";
import { LONG } from "../support/random.ts";
import { environmentFor, sandboxFor, statesOf } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const schema = JSON.parse(await readFile(join(ROOT, "provider/schema.json"), "utf8")) as PackageSchema;
const EXAMPLES = Object.values({ ...schema.resources, ...schema.functions }).flatMap(({ description }) =>
  examplesOf(description),
);

const FOUND = { 101: "disabled", 102: "active", 103: "active" };

/** What each example leaves at the service: the number of keys, and the webhooks. */
const EXPECTED = {
  "Create a key": [1, FOUND],
  "Rotate a key every 90 days, and keep the previous key valid for 7 days": [1, FOUND],
  "Keep a webhook active, and restore its original state on destroy": [0, { ...FOUND, 101: "active" }],
  "Manage some webhooks of the account": [0, { ...FOUND, 101: "active", 103: "disabled" }],
  "Disable all webhooks of the account but one": [0, { 101: "active", 102: "disabled", 103: "disabled" }],
  "List the webhooks of the account": [0, FOUND],
};

/** Compiles the SDK together with its examples, so that running them needs no further type checks. */
const withExamples = {
  extends: "./tsconfig.json",
  compilerOptions: { paths: { "@pulumi-partners/native": ["./index.ts"] } },
  files: EXAMPLES.map((_example, index) => `examples/${index}.ts`),
};

it("the TypeScript examples in the schema run", async ({ skip }) => {
  if (!(await canGenerate())) return skip();
  const sdk = await temporaryFolder();
  await generate({ nodejs: sdk });
  // Editors show the examples in the language of the SDK.
  const shown = await readFile(join(sdk, "partnerApiKey.ts"), "utf8");
  expect(shown.match(/^ \* ```(?!sh)\w+$/gm)).toEqual([" * ```typescript", " * ```typescript"]);
  await symlink(join(ROOT, "node_modules"), join(sdk, "node_modules"));
  await writeFile(join(sdk, "tsconfig.examples.json"), JSON.stringify(withExamples));
  await mkdir(join(sdk, "examples"));
  for (const [index, { programs }] of EXAMPLES.entries())
    await writeFile(join(sdk, `examples/${index}.ts`), programs.typescript);
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await mustRun(process.execPath, [tsc, "--project", "tsconfig.examples.json"], { cwd: sdk });
  await cp(join(sdk, "package.json"), join(sdk, "bin/package.json"));

  const run = async (example: Example): Promise<unknown> => {
    const files = { "Pulumi.yaml": "name: test\nruntime: nodejs\n", "index.ts": example.programs.typescript };
    const env = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
    return runExample(files, env, async (project) => {
      await mkdir(join(project, "../node_modules/@pulumi-partners"), { recursive: true });
      await symlink(join(sdk, "bin"), join(project, "../node_modules/@pulumi-partners/native"));
      await symlink(join(ROOT, "node_modules"), join(project, "node_modules"));
    });
  };
  expect(await resultsOf(run)).toEqual(EXPECTED);
});

it("the Python examples in the schema run", async ({ skip }) => {
  const env = await pythonEnv(await temporaryFolder());
  if (!env) return skip();
  const run = ({ programs }: Example): Promise<unknown> => {
    const files = { "Pulumi.yaml": "name: test\nruntime: python\n", "__main__.py": programs.python };
    return runExample(files, env);
  };
  expect(await resultsOf(run)).toEqual(EXPECTED);
});

/** Milliseconds to compile the generated Go SDK with all its dependencies, which Go caches afterwards. */
const GO_LIMIT = 600_000;
const GO_TEST = { timeout: GO_LIMIT + 60_000 };

it.runIf(LONG)("the SDK for Go and the Go examples in the schema compile", GO_TEST, async ({ skip }) => {
  if (!(await canGenerate())) return skip();
  const go = await temporaryFolder();
  await generate({ go });
  for (const [index, { programs }] of EXAMPLES.entries()) {
    await mkdir(join(go, `examples/${index}`), { recursive: true });
    await writeFile(join(go, `examples/${index}/main.go`), programs.go);
  }
  await cp(join(CODEGEN_MODULE, "go.sum"), join(go, "go.sum"));
  const modules = await readFile(join(CODEGEN_MODULE, "go.mod"), "utf8");
  const name = "module github.com/pulumi-partners/pulumi-partners/sdk/go";
  await writeFile(join(go, "go.mod"), modules.replace(/^module .*/, name));
  const env = { ...process.env, GOFLAGS: "-mod=readonly" };
  await mustRun("go", ["vet", "./..."], { cwd: go, env, timeoutMs: GO_LIMIT });
});

/** Runs every example on its own. */
async function resultsOf(run: (example: Example) => Promise<unknown>): Promise<Record<string, unknown>> {
  const results: Record<string, unknown> = {};
  for (const example of EXAMPLES) results[example.title] = await run(example);
  return results;
}

/** Applies a program to a new stack and a new sandbox, and returns what the sandbox then has. */
async function runExample(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  prepare?: (project: string) => Promise<void>,
): Promise<unknown> {
  const webhooks = Object.entries(FOUND).map(([id, state]) => ({
    webhookId: Number(id),
    state: state as "active" | "disabled",
  }));
  const sandbox = await sandboxFor({ webhooks });
  const engine = await engineEnv({ ...environmentFor(sandbox), ...env, PULUMI_STACK: "dev" });
  onTestFinished(() => engine.dispose());
  const cwd = join(engine.dir, "project");
  await mkdir(cwd);
  await prepare?.(cwd);
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  const options = { cwd, env: engine.env };
  await mustRun("pulumi", ["stack", "init", "dev", "--non-interactive"], options);
  await mustRun("pulumi", ["up", "--yes", "--skip-preview", "--non-interactive"], options);
  return [sandbox.apiKeys.length, statesOf(sandbox)];
}
