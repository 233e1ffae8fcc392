import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { expectShown } from "./docs.ts";
import { copyOut, sandboxFor, source } from "./example-project.ts";

it("key-stack-reference: a key for the stack of another team, before and after a rotation", async () => {
  await expectShown("pipelines.md", "Handing the key on", await source("key-consumers"), "ts");
  const { sandbox, engine, run } = await copyOut("key-stack-reference", await sandboxFor());
  const keys = (...args: string[]) => run("--cwd", "keys", ...args);
  const app = (...args: string[]) => run("--cwd", "app", ...args);
  const up = ["up", "--yes", "--skip-preview"];
  const keyFile = join(engine.dir, "partner-api-key");
  await keys("stack", "init", "dev");
  await app("stack", "init", "dev");
  await app("config", "set", "keysStack", "organization/partners-keys/dev");
  await app("config", "set", "keyFile", keyFile);

  await keys(...up);
  await app(...up);
  const [first = ""] = sandbox.apiKeys;
  expect(await readFile(keyFile, "utf8")).toBe(first);
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);

  // The application goes on with the key it has, until its own `up`.
  await keys("config", "set", "rotate", "2026-02-19");
  await keys(...up);
  expect(await readFile(keyFile, "utf8")).toBe(first);
  expect(sandbox.verify(first)).toBe(true);
  await app(...up);
  const [, second = ""] = sandbox.apiKeys;
  expect(await readFile(keyFile, "utf8")).toBe(second);
  await app("preview", "--expect-no-changes");

  for (const project of ["partners-keys", "partners-app"]) {
    const state = join(engine.backendDir, `.pulumi/stacks/${project}/dev.json`);
    const text = await readFile(state, "utf8");
    for (const key of [first, second]) expect(text).not.toContain(key);
  }

  await app("destroy", "--yes", "--skip-preview");
  await expect(stat(keyFile)).rejects.toThrow("ENOENT");
});
