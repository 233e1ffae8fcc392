import { readdirSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { ROOT } from "../support/checkout.ts";
import { mustRun } from "../support/process.ts";
import { LONG } from "../support/random.ts";
import {
  environmentFor,
  exampleProject,
  expectShown,
  sandboxFor,
  statesOf,
  type ExampleProject,
  type Sandbox,
} from "./support.ts";

const EXAMPLES_FOLDER = join(ROOT, "examples");
const UP = ["up", "--yes", "--skip-preview"];
const DESTROY = ["destroy", "--yes", "--skip-preview"];

/** What an example does at a service with the webhooks 101 and 102 active and 103 disabled. */
interface Example {
  readonly name: string;
  /** Sets what the example needs, besides the account. */
  readonly prepare?: (project: ExampleProject, eu: Sandbox) => Promise<unknown>;
  /** The page that shows what it previews. */
  readonly shownIn?: string;
  /** What is so after the first `up`. */
  readonly check: (sandbox: Sandbox, project: ExampleProject, eu: Sandbox) => Promise<void>;
}

const EXAMPLES: readonly Example[] = [
  {
    name: "quickstart",
    check: async (sandbox, { outputs }) => {
      expect(await outputs()).toMatchObject({ apiKey: sandbox.apiKeys[0], ordersState: "active" });
    },
  },
  {
    name: "webhook-fleet",
    shownIn: "docs/webhooks.md",
    check: async (sandbox, { outputs }) => {
      expect(await outputs()).toEqual({ managed: 3 });
      expect(statesOf(sandbox)).toEqual({ 101: "active", 102: "disabled", 103: "active" });
    },
  },
  {
    name: "audit",
    shownIn: "docs/webhooks.md",
    check: async (_sandbox, { outputs }) => {
      expect(await outputs()).toEqual({ undeclared: [102] });
    },
  },
  {
    name: "accounts",
    shownIn: "docs/accounts.md",
    prepare: ({ shell }, eu) =>
      shell(
        `pulumi config set euBaseUrl ${eu.url} && pulumi config set --secret euAccessToken -- ${eu.accessToken}`,
      ),
    check: async (us, { outputs }, eu) => {
      expect(await outputs()).toEqual({
        accounts: ["default", "eu"],
        apiKeys: { us: us.apiKeys[0], eu: eu.apiKeys[0] },
      });
      expect([us.webhooks.get(101), eu.webhooks.get(101)]).toEqual(["active", "disabled"]);
    },
  },
  {
    name: "rotation",
    check: async (sandbox, { pulumi, outputs }) => {
      await pulumi("config", "set", "rotate", "2026-02-19");
      await pulumi(...UP);
      const [previousApiKey, apiKey] = sandbox.apiKeys;
      expect(await outputs()).toMatchObject({ apiKey, previousApiKey });
    },
  },
];

it.each(EXAMPLES)("$name: preview, and in a long run up and destroy", async (example) => {
  const { name, prepare, shownIn, check } = example;
  const [sandbox, eu] = [await sandboxFor(), await sandboxFor()];
  const project = await exampleProject(name, environmentFor(sandbox));
  await project.pulumi("stack", "init", "dev");
  await prepare?.(project, eu);
  const previewed = await project.pulumi("preview");
  if (shownIn !== undefined) await expectShown(shownIn, previewed);
  if (!LONG) return; // Other tests make the same changes.
  await project.pulumi(...UP);
  await check(sandbox, project, eu);
  await project.pulumi(...DESTROY);
  expect([sandbox.apiKeys, eu.apiKeys]).toEqual([[], []]);
});

it("all compile", async () => {
  const files = readdirSync(EXAMPLES_FOLDER, { recursive: true, encoding: "utf8" });
  const programs = files.filter((file) => /^(?!.*node_modules).*\.ts$/.test(file));
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"];
  const more = ["--types", "node", "--allowImportingTsExtensions", "--ignoreConfig"];
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await mustRun(process.execPath, [tsc, ...options, ...more, ...programs], { cwd: EXAMPLES_FOLDER });
});

it("key-stack-reference: a key for the stack of another team, before and after a rotation", async () => {
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

  // The application goes on with the key it has, until its own `up`.
  await keys("config", "set", "rotate", "2026-02-19");
  await keys(...UP);
  expect([await readFile(keyFile, "utf8"), sandbox.verify(first)]).toEqual([first, true]);
  await app(...UP);
  const [, second = ""] = sandbox.apiKeys;
  expect(await readFile(keyFile, "utf8")).toBe(second);
  const state = await readFile(join(engine.backendDir, ".pulumi/stacks/partners-app/dev.json"), "utf8");
  for (const key of [first, second]) expect(state).not.toContain(key);
});

it("unit-testing: the tests of the example pass", async () => {
  const { shell } = await exampleProject("unit-testing", { FORCE_COLOR: "0" });
  expect((await shell("../node_modules/.bin/vitest run")).stdout).toMatch(/Tests\s+2 passed/);
});

it("every example has a test, and a line in the table of examples/README.md", async () => {
  const others = ["key-stack-reference", "unit-testing", "pipeline", "python", "yaml"];
  const tested = [...EXAMPLES.map(({ name }) => name), ...others];
  const readme = "README.md";
  expect(readdirSync(EXAMPLES_FOLDER).sort()).toEqual([...tested, readme].sort());
  const table = await readFile(join(EXAMPLES_FOLDER, readme), "utf8");
  for (const name of tested) expect(table).toContain(`| [${name}](${name}/`);
});
