import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { expectShown } from "./docs.ts";
import { exampleProject } from "./example-project.ts";

const KEY = "pk_live_existing_key_0001";
const ACCOUNT = { apiKeys: [KEY], webhooks: [{ webhookId: 101, state: "active" }] } as const;

const NOTHING_ELSE = ["--yes", "--skip-preview", "--expect-no-changes"];

it("adopt: a key by the argument, which can be removed afterwards", async () => {
  const { sandbox, cwd, run, stateFile } = await exampleProject("adopt", ACCOUNT);
  await run("config", "set", "--secret", "existingApiKey", KEY);
  await expectShown("adoption.md", "By an argument", await readFile(join(cwd, "index.ts"), "utf8"), "ts");
  await run("up", "--yes", "--skip-preview");
  expect(sandbox.apiKeys).toEqual([KEY]);
  await run("config", "rm", "existingApiKey");
  await run("up", ...NOTHING_ELSE);
  expect(JSON.parse(await run("stack", "output", "--json", "--show-secrets"))).toEqual({ apiKey: KEY });
  expect(await stateFile()).not.toContain(KEY);
  await run("destroy", "--yes", "--skip-preview");
  expect(sandbox.apiKeys).toEqual([]);
});

it("adopt: a key and a webhook by an import file, then an empty preview, refresh and destroy", async () => {
  const { sandbox, cwd, run, stateFile } = await exampleProject("adopt", ACCOUNT);
  const file = join(cwd, "import.json");
  await writeFile(file, (await readFile(file, "utf8")).replace("THE-KEY", KEY));
  await run("import", "--file", "import.json", "--generate-code=false", "--protect=false", "--yes");
  expect(sandbox.requests).toEqual([]);
  expect(await stateFile()).not.toContain(KEY);
  await expectShown("adoption.md", "By an import file", await run("preview", "--expect-no-changes"));
  await run("refresh", ...NOTHING_ELSE);
  await run("up", ...NOTHING_ELSE);
  await run("refresh", ...NOTHING_ELSE);
  expect(await stateFile()).not.toContain(KEY);
  expect(JSON.parse(await run("stack", "output", "--json", "--show-secrets"))).toEqual({ apiKey: KEY });
  await run("destroy", "--yes", "--skip-preview");
  expect(sandbox.apiKeys).toEqual([]);
  expect(sandbox.webhooks.get(101)).toBe("active");
});
