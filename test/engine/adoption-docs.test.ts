import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { docBlocks, expectShown } from "./docs.ts";
import { exampleProject } from "./example-project.ts";

const KEY = "pk_live_existing_key_0001";
const PAGE = "adoption.md";
const [WEBHOOKS, BY_ARGUMENT, BY_FILE] = ["Webhooks", "A key", "A key by an import file"];
const UNCHANGED = ["--yes", "--skip-preview", "--expect-no-changes"];

/** The example before the command has written anything. */
async function emptyProject(index: string) {
  const webhooks = [
    { webhookId: 103, state: "active" },
    { webhookId: 101, state: "active" },
    { webhookId: 102, state: "disabled" },
  ] as const;
  const project = await exampleProject("adopt", { apiKeys: [KEY], webhooks }, { CHECKOUT_KEY: KEY });
  const path = (file: string) => join(project.cwd, file);
  const source = (file: string) => readFile(path(file), "utf8");
  const example = { webhooks: await source("webhooks.ts"), checkout: await source("checkout.ts") };
  for (const file of ["webhooks.ts", "checkout.ts"]) await rm(path(file));
  await writeFile(path("index.ts"), index);
  return { ...project, path, source, example };
}

it("every command of the page is run", async () => {
  const blocks = await Promise.all(
    [WEBHOOKS, BY_ARGUMENT, BY_FILE].map((heading) => docBlocks(PAGE, heading, "sh")),
  );
  const page = await readFile(join(import.meta.dirname, "../../docs", PAGE), "utf8");
  expect(blocks.map(({ length }) => length)).toEqual([2, 2, 2]);
  expect(page.match(/^```sh$/gm)).toHaveLength(6);
});

it("webhooks and a key by an import file: an empty preview and refresh", async () => {
  const { sandbox, run, shell, stateFile, path, source, example } =
    await emptyProject(`import "./webhooks";\n`);
  const [adopt = "", imports = ""] = await docBlocks(PAGE, WEBHOOKS, "sh");
  const asked = await shell(adopt);
  expect(asked.stderr).toContain(imports.trim().split("\n").join("\n  ")); // It says itself how to go on.
  expect(await source("webhooks.ts")).toBe(example.webhooks);
  await expectShown(PAGE, WEBHOOKS, example.webhooks, "ts");
  expect(sandbox.requests.map(({ method }) => method)).toEqual(["GET"]);
  await expectShown(PAGE, WEBHOOKS, (await shell(imports)).stdout);

  const [adoptKey = "", importKey = ""] = await docBlocks(PAGE, BY_FILE, "sh");
  const askedForKey = await shell(adoptKey);
  expect(askedForKey.stderr).toContain("holds the key in clear");
  expect(askedForKey.stdout + askedForKey.stderr).not.toContain(KEY);
  expect((await stat(path("key.json"))).mode & 0o777).toBe(0o600);
  await expectShown(PAGE, BY_FILE, await source("checkout.ts"), "ts");
  await writeFile(path("index.ts"), `import "./webhooks";\nimport "./checkout";\n`);
  expect((await shell(importKey)).stdout).toContain("5 unchanged");
  await expect(stat(path("key.json"))).rejects.toThrow("ENOENT");
  expect(await stateFile()).not.toContain(KEY);

  await run("refresh", ...UNCHANGED);
  expect(await stateFile()).not.toContain(KEY);
  expect(sandbox.requests.every(({ method }) => method === "GET")).toBe(true);
});

it("a key by the argument, which can be removed afterwards", async () => {
  const { sandbox, run, shell, stateFile, path, source, example } =
    await emptyProject(`import "./checkout";\n`);
  const [adopt = "", up = ""] = await docBlocks(PAGE, BY_ARGUMENT, "sh");
  const asked = await shell(adopt);
  expect(asked.stdout + asked.stderr).not.toContain(KEY);
  const [, store = ""] = adopt.trim().split("\n");
  expect(asked.stderr).toContain(`  ${store}\n  ${up}`);
  expect(await source("checkout.ts")).toBe(example.checkout);
  await expectShown(PAGE, BY_ARGUMENT, example.checkout, "ts");
  await shell(up);
  expect(sandbox.requests).toEqual([]);
  expect(await stateFile()).not.toContain(KEY);

  await writeFile(path("checkout.ts"), example.checkout.replace(/, \{.*\}\)/s, ")"));
  await run("config", "rm", "checkoutApiKey");
  await run("up", ...UNCHANGED);
  await run("destroy", "--yes", "--skip-preview");
  expect(sandbox.apiKeys).toEqual([]);
});
