import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { LONG } from "../support/random.ts";
import { blocksOf, environmentFor, exampleProject, sandboxFor, statesOf, WEBHOOKS } from "./support.ts";

/** What each example leaves at the service: the number of keys, and the states of the webhooks. */
const LEFT = {
  quickstart: [1, WEBHOOKS],
  rotation: [1, WEBHOOKS],
  accounts: [1, WEBHOOKS],
  "webhook-fleet": [0, { 101: "active", 102: "disabled", 103: "active" }],
} as const;
/** The examples that other tests run. */
const ELSEWHERE = ["README.md", "go", "java", "pipeline", "python", "unit-testing", "yaml"];

/** A short run applies the first one. */
const APPLIED = Object.entries(LEFT).slice(0, LONG ? undefined : 1);

it.each(APPLIED)("examples/%s applies", async (name, left) => {
  const [api, eu] = [await sandboxFor(), await sandboxFor()];
  const { cwd, pulumi } = await exampleProject(name, environmentFor(api));
  await pulumi("stack init dev");
  if (name === "accounts") {
    await pulumi(`config set euBaseUrl ${eu.url}`);
    await pulumi(`config set --secret euAccessToken ${eu.accessToken}`);
  }
  await pulumi("up --yes --skip-preview");
  expect([api.keys.size, statesOf(api)]).toEqual(left);
  if (name === "accounts") expect([eu.keys.size, statesOf(eu)[101]]).toEqual([1, "disabled"]);
  if (name !== "quickstart") return;

  // The program of README.md is a part of the quickstart.
  const [program = "", ...others] = await blocksOf("README.md", "ts");
  expect(others).toEqual([]);
  await writeFile(join(cwd, "index.ts"), program);
  const key = [...api.keys];
  api.webhooks.set(101, "disabled");
  await pulumi("up --yes --skip-preview --refresh");
  expect([[...api.keys], statesOf(api)[101]]).toEqual([key, "active"]);
  expect(Object.keys(JSON.parse(await pulumi("stack output --json")) as object)).toEqual(["apiKey"]);
});

it.runIf(LONG)("the tests of examples/unit-testing pass", async () => {
  const { shell } = await exampleProject("unit-testing", { FORCE_COLOR: "0" });
  const { code, stdout, stderr } = await shell("../node_modules/.bin/vitest run");
  expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(/Tests\s+2 passed/)]);
});

it("CI runs the commands of README.md", async () => {
  const ci = await readFile(join(ROOT, ".ci/run"), "utf8");
  const commands = await blocksOf("README.md", "sh");
  expect(commands).toHaveLength(2);
  for (const line of commands.flatMap((command) => command.trim().split(" && ")))
    expect(ci).toContain(`\n${line}\n`);
});

it("every example has a test and a link in examples/README.md", async () => {
  const folder = join(ROOT, "examples");
  expect(readdirSync(folder).sort()).toEqual([...Object.keys(LEFT), ...ELSEWHERE].sort());
  const table = await readFile(join(folder, "README.md"), "utf8");
  for (const name of [...Object.keys(LEFT), ...ELSEWHERE.slice(1)])
    expect(table).toContain(`[${name}](${name}/`);
});
