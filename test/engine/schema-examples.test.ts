import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { canGenerate, generate } from "../../provider/tools/codegen/generators.ts";
import { mustRun, mustRunShell } from "../../provider/tools/child-process.ts";
import { pythonEnv } from "../../provider/tools/engine/python-sdk.ts";
import { LONG } from "../support/random.ts";
import {
  blocksOf,
  environmentFor,
  exampleProject,
  sandboxFor,
  sandboxStack,
  schemaExamples,
  statesOf,
  type Sandbox,
} from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const EXAMPLES = await schemaExamples();

/** The commands that set what the example of a `Provider` reads. */
function configureEu({ url, accessToken }: Sandbox): string[][] {
  return [
    ["config", "set", "euBaseUrl", url],
    ["config", "set", "--secret", "euAccessToken", accessToken],
  ];
}

const FOUND = { 101: "disabled", 102: "active", 103: "active" } as const;

/** What each example leaves at the service: the number of keys, and the webhooks. */
const EXPECTED = {
  "Create a key, and rotate it every 90 days with an overlap of 7 days": [1, FOUND],
  "Keep a webhook active, and restore its original state on destroy": [0, { ...FOUND, 101: "active" }],
  "Disable one webhook, and activate all others of the account": [
    0,
    { 101: "active", 102: "active", 103: "disabled" },
  ],
  "List the webhooks of the account": [0, FOUND],
  "Find a webhook by its name": [0, { ...FOUND, 101: "active" }],
  "Manage a key of another account": [1, FOUND],
};

it("the TypeScript examples in the schema compile with the generated SDK", async ({ skip }) => {
  if (!(await canGenerate())) return skip();
  const sdk = await temporaryFolder();
  await generate({ nodejs: sdk });
  // Editors show the examples in the language of the SDK.
  const shown = await readFile(join(sdk, "partnerApiKey.ts"), "utf8");
  expect(shown.match(/^ \* ```(?!sh)\w+$/gm)).toEqual([" * ```typescript"]);
  // As the docs say.
  expect(await readFile(join(sdk, "package.json"), "utf8")).toContain('"@pulumi/pulumi": "^3.142.0"');
  await symlink(join(ROOT, "node_modules"), join(sdk, "node_modules"));
  for (const [index, { programs }] of EXAMPLES.entries())
    await writeFile(join(sdk, `example-${index}.ts`), programs.typescript);
  const config = {
    extends: "./tsconfig.json",
    compilerOptions: { noEmit: true, paths: { "@pulumi-partners/native": ["./index.ts"] } },
    files: EXAMPLES.map((_example, index) => `example-${index}.ts`),
  };
  await writeFile(join(sdk, "tsconfig.examples.json"), JSON.stringify(config));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await mustRun(process.execPath, [tsc, "--project", "tsconfig.examples.json"], { cwd: sdk });
});

// languages.test.ts runs them with mocks.
it.runIf(LONG)("the Python examples in the schema run", async ({ skip }) => {
  const env = await pythonEnv(await temporaryFolder());
  if (!env) return skip();
  const webhooks = ([101, 102, 103] as const).map((webhookId) => ({ webhookId, state: FOUND[webhookId] }));
  const results: Record<string, unknown> = {};
  for (const { title, programs } of EXAMPLES) {
    const files = { "Pulumi.yaml": "name: test\nruntime: python\n", "__main__.py": programs.python };
    const { sandbox, stack } = await sandboxStack(
      undefined,
      { webhooks, accessToken: "eu-token" },
      { env, files },
    );
    for (const command of configureEu(sandbox)) await stack.pulumi(...command);
    expect((await stack.up()).error).toBe("");
    results[title] = [sandbox.apiKeys.length, statesOf(sandbox)];
  }
  expect(results).toEqual(EXPECTED);
});

/** The generated SDK and its dependencies may have to be compiled first. */
const GO_LIMIT = { timeout: 900_000 };

/** A program from the lines of README.md, which leaves out what is the same in every program. */
const README_GO = `package main

import (
	"github.com/pulumi-partners/pulumi-partners/sdk/go/partners"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
${(await blocksOf("README.md", "go")).join("")}
		return nil
	})
}
`;

it.runIf(LONG)("the Go examples in the schema and the README run", GO_LIMIT, async ({ skip }) => {
  if (!(await canGenerate())) return skip();
  const { engine, pulumi } = await exampleProject("go", {});
  await pulumi("package", "add", "partners@0.1.0");
  await pulumi("stack", "init", "dev");
  const webhooks = ([101, 102, 103] as const).map((webhookId) => ({ webhookId, state: FOUND[webhookId] }));
  const results: Record<string, unknown> = {};
  const goPrograms = [
    ...EXAMPLES.map(({ title, programs }) => ({ title, go: programs.go })),
    { title: "README", go: README_GO },
  ];
  for (const { title, go } of goPrograms) {
    const sandbox = await sandboxFor({ webhooks, accessToken: "eu-token" });
    const options = { cwd: join(engine.dir, "go"), env: { ...engine.env, ...environmentFor(sandbox) } };
    await writeFile(join(options.cwd, "main.go"), go);
    await pulumi("install"); // A program may import another package of the SDK.
    for (const command of configureEu(sandbox)) await pulumi(...command);
    const up = "pulumi up --yes --skip-preview --non-interactive";
    await mustRunShell(up, { ...options, timeoutMs: GO_LIMIT.timeout });
    results[title] = [sandbox.apiKeys.length, statesOf(sandbox)];
    await mustRunShell("pulumi destroy --yes --skip-preview --non-interactive", options);
  }
  expect(results).toEqual({ ...EXPECTED, README: [1, FOUND] });
});
