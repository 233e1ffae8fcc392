import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { inheritedEnv, mustRun, onPath } from "../../provider/tools/child-process.ts";
import { javaProblem } from "../../provider/tools/engine/generate-sdk.ts";
import { pythonEnv } from "../../provider/tools/engine/python-sdk.ts";
import { readFolder } from "../support/canary.ts";
import { LONG } from "../support/random.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  countRequests,
  environmentFor,
  exampleProject,
  sandboxFor,
  stackFor,
  statesOf,
  UNCHANGED,
  WEBHOOKS,
} from "./support.ts";

it("examples/python runs from preview to destroy, and its test passes", async ({ skip }) => {
  const env = await pythonEnv(await temporaryFolder());
  if (!env) return skip("There is no Python.");
  const cwd = join(ROOT, "examples/python");
  const main = await readFile(join(cwd, "__main__.py"), "utf8");
  const files = { "Pulumi.yaml": "name: test\nruntime: python\n", "__main__.py": main };
  const { api, stack, run } = await stackFor(undefined, { env, files });
  api.webhooks.set(101, "disabled");
  expect(await run("preview")).toMatchObject({ error: "", requests: { GET: 1 } });
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1, POST: 1, PATCH: 1 } });
  const [apiKey] = api.keys;
  expect(await stack.outputs()).toEqual({ api_key: apiKey, orders_state: "active", undeclared: [102] });
  expect(await stack.stateFile()).not.toContain(apiKey);
  // The program itself lists the webhooks.
  expect(await run("up", UNCHANGED)).toMatchObject({ error: "", requests: { GET: 1 } });
  expect(await run("destroy")).toMatchObject({ error: "", requests: { DELETE: 1, GET: 1, PATCH: 1 } });
  expect([api.keys.size, statesOf(api)]).toEqual([0, { ...WEBHOOKS, 101: "disabled" }]);

  const python = env["PULUMI_PYTHON_CMD"] ?? "";
  const options = { cwd, env: { ...inheritedEnv(), ...env, PYTHONDONTWRITEBYTECODE: "1" } };
  await mustRun(python, ["-m", "unittest"], options);
});

/** Languages whose SDK and dependencies may have to be downloaded and compiled first. */
const COMPILED = [
  ["go", async () => ((await onPath("go")) === undefined ? "Go is not on PATH." : undefined)],
  ["java", javaProblem],
] as const;
/** Why a language is not tested in a short run: it alone takes half a minute. */
const SHORT = "npm run test:long runs this test.";

it.for(COMPILED)(
  "examples/%s runs from package add to destroy",
  { timeout: 900_000 },
  async ([language, findProblem], { skip }) => {
    const problem = LONG ? await findProblem() : SHORT;
    if (problem !== undefined) return skip(problem);
    const api = await sandboxFor();
    const { engine, cwd, pulumi } = await exampleProject(language, environmentFor(api));
    await pulumi("package add partners@0.1.0");
    const hasExists = language === "go" && (await addExists(cwd));
    await pulumi("install");
    await pulumi("stack init dev");
    await pulumi("up --yes --skip-preview");
    const [apiKey = "no key"] = api.keys;
    const outputs = JSON.parse(await pulumi("stack output --json --show-secrets")) as object;
    const found = hasExists ? { has102: true, has999: false } : {};
    expect(outputs).toEqual({ apiKey, ordersState: "active", undeclared: [102], ...found });
    const stateFile = `.pulumi/stacks/partners-${language}/dev.json`;
    expect(await readFile(join(engine.backendDir, stateFile), "utf8")).not.toContain(apiKey);
    await pulumi("preview --expect-no-changes");
    countRequests(api);
    await pulumi("destroy --yes --skip-preview");
    expect(countRequests(api)).toMatchObject({ DELETE: 1 });
    expect([api.keys.size, statesOf(api)]).toEqual([0, WEBHOOKS]);
  },
);

/**
 * Lets a program ask whether a webhook exists that does, and one that does not.
 *
 * @returns Whether the generated SDK can ask. Pulumi 3.273 is the first that generates it.
 */
async function addExists(folder: string): Promise<boolean> {
  const [program, sdk] = [join(folder, "main.go"), join(folder, "sdks/partners")];
  const sources = await readFolder(sdk);
  if (!Object.values(sources).some((text) => text.includes("func PartnerWebhookStateExists("))) return false;
  const question = ["102", "999"].map(
    (id) => `\n\t\tctx.Export("has${id}", partners.PartnerWebhookStateExists(ctx, pulumi.ID("${id}"), nil))`,
  );
  const text = await readFile(program, "utf8");
  await writeFile(program, text.replace(/(?=\n\t\treturn nil\n\t\}\))/, question.join("")));
  return true;
}
