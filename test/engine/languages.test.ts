import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { canGenerate } from "../../provider/tools/codegen/generators.ts";
import { inheritedEnv, mustRunShell } from "../../provider/tools/child-process.ts";
import { pythonEnv } from "../../provider/tools/engine/python-sdk.ts";
import { LONG } from "../support/random.ts";
import {
  blocksOf,
  countRequests,
  environmentFor,
  exampleProject,
  sandboxFor,
  sandboxStack,
  schemaExamples,
  statesOf,
  UNCHANGED,
} from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("a Python program runs from import to destroy", async ({ skip }) => {
  const env = await pythonEnv(await temporaryFolder());
  if (!env) return skip();
  const program = await readFile(join(ROOT, "examples/python/__main__.py"), "utf8");
  const files = { "Pulumi.yaml": "name: test\nruntime: python\n", "__main__.py": program };
  // Webhook 103 is on the last page.
  const pages = { pageSize: 2, pageStyle: "next-url" } as const;
  const { sandbox, stack, run } = await sandboxStack(undefined, pages, { env, files });
  const found = statesOf(sandbox);

  const flags = ["--yes", "--skip-preview", "--generate-code=false", "--protect=false"];
  await stack.pulumi("import", "partners:index:PartnerWebhookState", "refunds", "103", ...flags);
  expect(countRequests(sandbox)).toEqual({ GET: 2 });

  sandbox.setWebhookState(101, "disabled");
  const created = { error: "", changes: { create: 2, same: 2 } };
  expect(await run("preview")).toEqual({ ...created, requests: { GET: 2 } });
  expect(await run("up")).toEqual({ ...created, requests: { GET: 2, POST: 1, PATCH: 1 } });
  const [apiKey] = sandbox.apiKeys;
  expect(await stack.outputs()).toEqual({ api_key: apiKey, orders_state: "active", undeclared: [102] });
  expect(await stack.stateFile()).not.toContain(apiKey);
  // The program itself lists the webhooks.
  expect(await run("up", ...UNCHANGED.flags)).toEqual({
    error: "",
    changes: { same: 4 },
    requests: { GET: 2 },
  });

  sandbox.setWebhookState(101, "disabled");
  const drift = { error: "", changes: { update: 1, same: 3 } };
  expect(await run("refresh")).toEqual({ ...drift, requests: { GET: 2 } });
  expect(await run("up")).toEqual({ ...drift, requests: { GET: 2, PATCH: 1 } });

  const destroyed = { error: "", changes: { delete: 4 }, requests: { DELETE: 1, GET: 2, PATCH: 1 } };
  expect(await run("destroy")).toEqual(destroyed);
  expect([sandbox.apiKeys, statesOf(sandbox)]).toEqual([[], { ...found, 101: "disabled" }]);
});

/** Runs the blocks of its input with mocks, and waits until all resources are registered. */
const WITH_MOCKS = `import json
import sys

import pulumi
import pulumi_partners as partners

MOCKS


pulumi.runtime.set_mocks(Mocks())
config = {"project:euBaseUrl": "https://eu.example.com", "project:euAccessToken": "token"}
pulumi.runtime.set_all_config(config)


@pulumi.runtime.test
def run():
    for block in json.load(sys.stdin):
        exec(block, {"pulumi": pulumi, "partners": partners})


run()
`;

it("the Python samples of the guides and the schema run with the generated SDK, and so does the test of the example", async ({
  skip,
}) => {
  const folder = await temporaryFolder();
  const env = await pythonEnv(folder);
  if (!env) return skip();
  const [mocks = ""] = await blocksOf("docs/testing.md", "python");
  expect(await readFile(join(ROOT, "examples/python/test_program.py"), "utf8")).toContain(mocks);
  const pages = ["keys", "webhooks", "configuration"].map((page) => blocksOf(`docs/${page}.md`, "python"));
  const samples = (await Promise.all(pages)).flat();
  expect(samples.length).toBeGreaterThan(2);
  const blocks = [...samples, ...(await schemaExamples()).map(({ programs }) => programs.python)];
  await writeFile(join(folder, "blocks.py"), WITH_MOCKS.replace("MOCKS", mocks));
  await writeFile(join(folder, "blocks.json"), JSON.stringify(blocks));
  const options = { env: { ...inheritedEnv(), ...env, PYTHONDONTWRITEBYTECODE: "1" } };
  const python = env["PULUMI_PYTHON_CMD"] ?? "";
  await mustRunShell(`'${python}' blocks.py < blocks.json`, { ...options, cwd: folder });
  const cwd = join(ROOT, "examples/python");
  await mustRunShell(`'${python}' -m unittest`, { ...options, cwd });
});

/** The generated SDK and its dependencies may have to be compiled first. */
const GO_LIMIT = { timeout: 900_000 };

it.runIf(LONG)("examples/go runs from install to destroy", GO_LIMIT, async ({ skip }) => {
  if (!(await canGenerate())) return skip();
  const sandbox = await sandboxFor();
  const found = statesOf(sandbox);
  const { engine } = await exampleProject("go", environmentFor(sandbox));
  const options = { cwd: join(engine.dir, "go"), env: engine.env, timeoutMs: GO_LIMIT.timeout };
  const pulumi = (args: string) => mustRunShell(`pulumi ${args} --non-interactive`, options);
  const outputs = async (flags = "") =>
    JSON.parse(await pulumi(`stack output --json ${flags}`)) as Record<string, unknown>;

  await pulumi("package add partners@0.1.0");
  await pulumi("install");
  await pulumi("stack init dev");
  await pulumi("up --yes --skip-preview");
  const [apiKey = "no key"] = sandbox.apiKeys;
  const shown = { ordersState: "active", undeclared: [102] };
  expect(await outputs("--show-secrets")).toEqual({ apiKey, ...shown });
  expect(await outputs()).toEqual({ apiKey: "[secret]", ...shown });
  const state = await readFile(join(engine.backendDir, ".pulumi/stacks/partners-go/dev.json"), "utf8");
  expect(state).not.toContain(apiKey);
  await pulumi("preview --expect-no-changes");

  const program = join(options.cwd, "main.go");
  const edited = (await readFile(program, "utf8")).replace(
    'pulumi.String("disabled")',
    'pulumi.String("active")',
  );
  await writeFile(program, edited);
  countRequests(sandbox);
  await pulumi("up --yes --skip-preview");
  expect(countRequests(sandbox)).toEqual({ GET: 1, PATCH: 1 });
  expect([sandbox.apiKeys, statesOf(sandbox)[103]]).toEqual([[apiKey], "active"]);

  await pulumi("destroy --yes --skip-preview");
  expect([sandbox.apiKeys, statesOf(sandbox)]).toEqual([[], { ...found, 103: "active" }]);
});
