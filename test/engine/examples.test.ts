import { readdirSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { LONG } from "../support/random.ts";
import { environmentFor, exampleProject, expectShown, sandboxFor, type Sandbox } from "./support.ts";

const EXAMPLES_FOLDER = join(ROOT, "examples");
const UP = ["up", "--yes", "--skip-preview"];

interface Example {
  readonly name: string;
  /** The page that shows the output of its preview. */
  readonly shownIn?: string;
  /** Returns the commands that configure what the example needs besides the account. */
  readonly prepare?: typeof configureEu;
}

function configureEu({ url, accessToken }: Sandbox): string {
  return `pulumi config set euBaseUrl ${url} && pulumi config set --secret euAccessToken -- ${accessToken}`;
}

const EXAMPLES: readonly Example[] = [
  { name: "quickstart" },
  { name: "webhook-fleet", shownIn: "docs/webhooks.md" },
  { name: "audit", shownIn: "docs/webhooks.md" },
  { name: "accounts", prepare: configureEu },
  { name: "rotation" },
];

// packed.test.ts runs the quickstart, and the test of the doctor runs the accounts.
it.each(EXAMPLES.filter(({ name }) => LONG || !["quickstart", "accounts"].includes(name)))(
  "$name previews, and in a long run also applies and destroys",
  async ({ name, shownIn, prepare }) => {
    const [sandbox, eu] = [await sandboxFor(), await sandboxFor()];
    const { pulumi, shell } = await exampleProject(name, environmentFor(sandbox));
    await pulumi("stack", "init", "dev");
    if (prepare) expect(await shell(prepare(eu))).toMatchObject({ code: 0 });
    const previewed = await pulumi("preview");
    if (shownIn !== undefined) await expectShown(shownIn, previewed);
    if (!LONG) return; // Other tests prove the same changes.
    await pulumi(...UP);
    await pulumi("preview", "--expect-no-changes");
    await pulumi("destroy", "--yes", "--skip-preview");
    expect([sandbox.apiKeys, eu.apiKeys]).toEqual([[], []]);
  },
);

it("the doctor reads the state and the settings of each Provider, and says how to see why it cannot", async () => {
  const [sandbox, eu] = [await sandboxFor(), await sandboxFor()];
  const { pulumi, shell } = await exampleProject("accounts", environmentFor(sandbox));
  await pulumi("stack", "init", "dev");
  expect(await shell(configureEu(eu))).toMatchObject({ code: 0 });
  await pulumi(...UP);
  for (const one of [sandbox, eu]) one.clearRequests();

  const { code, stdout } = await shell("npx --no pulumi-partners doctor");
  expect(code, stdout).toBe(0);
  expect(stdout).not.toContain(eu.accessToken);
  expect(stdout).toMatch(
    /\n\nProvider eu, account eu\nok {7}service .*\n(.*\n)+ +101 +disabled +orders-eu +"orders"\n/,
  );
  for (const { requests } of [sandbox, eu]) expect(requests).toMatchObject([{ method: "GET" }]);

  const { stderr } = await shell("PULUMI_CONFIG_PASSPHRASE=wrong npx --no pulumi-partners doctor");
  expect(stderr).toContain("The stack cannot be read: the passphrase is wrong.");
});

it("key-stack-reference passes a key to another stack, before and after a rotation", async () => {
  const sandbox = await sandboxFor();
  const { engine, pulumi } = await exampleProject("key-stack-reference", environmentFor(sandbox));
  const keys = (...args: string[]) => pulumi("--cwd", "keys", ...args);
  const app = (...args: string[]) => pulumi("--cwd", "app", ...args);
  const keyFile = join(engine.dir, "partner-api-key");
  await keys("stack", "init", "dev");
  await app("stack", "init", "dev");
  await app("config", "set", "keysStack", "organization/partners-keys/dev");
  await app("config", "set", "keyFile", keyFile);
  await keys(...UP);
  await app(...UP);
  const [first = ""] = sandbox.apiKeys;
  expect(await readFile(keyFile, "utf8")).toBe(first);
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);

  // The application keeps its key until its own `up`.
  await keys("config", "set", "rotate", "2026-02-19");
  await keys(...UP);
  expect([await readFile(keyFile, "utf8"), sandbox.verify(first)]).toEqual([first, true]);
  await app(...UP);
  const [, second = ""] = sandbox.apiKeys;
  expect(await readFile(keyFile, "utf8")).toBe(second);
  const state = await readFile(join(engine.backendDir, ".pulumi/stacks/partners-app/dev.json"), "utf8");
  for (const key of [first, second]) expect(state).not.toContain(key);
});

it("the tests of the unit-testing example pass", async () => {
  const { shell } = await exampleProject("unit-testing", { FORCE_COLOR: "0" });
  expect((await shell("../node_modules/.bin/vitest run")).stdout).toMatch(/Tests\s+2 passed/);
});

it("every example has a test and a row in examples/README.md", async () => {
  const others = [
    "key-stack-reference",
    "stateless-key",
    "unit-testing",
    "pipeline",
    "pipeline-yaml",
    "python",
    "go",
    "yaml",
  ];
  const tested = [...EXAMPLES.map(({ name }) => name), ...others];
  const readme = "README.md";
  expect(readdirSync(EXAMPLES_FOLDER).sort()).toEqual([...tested, readme].sort());
  const table = await readFile(join(EXAMPLES_FOLDER, readme), "utf8");
  for (const name of tested) expect(table).toContain(`| [${name}](${name}/`);
});
