import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { expectShown } from "./docs.ts";
import { exampleProject } from "./example-project.ts";

it("rotation: the key is rotated when told, and both stay valid for a while", async () => {
  const { sandbox, cwd, run } = await exampleProject("rotation");
  await expectShown("rotation.md", "By age", await readFile(join(cwd, "index.ts"), "utf8"), "ts");
  await run("up", "--yes", "--skip-preview");
  await run("preview", "--expect-no-changes");
  await run("config", "set", "rotate", "2026-02-19");
  expect(await run("preview")).toContain(
    "is rotated because rotation.trigger changed; once there is a new key, it stays",
  );
  await run("up", "--yes", "--skip-preview");
  const [old, present] = sandbox.apiKeys;
  expect(JSON.parse(await run("stack", "output", "--json", "--show-secrets"))).toEqual({
    apiKey: present,
    previousApiKey: old,
    previousExpiresAt: expect.any(String) as string,
  });
  await run("preview", "--expect-no-changes");
  await run("destroy", "--yes", "--skip-preview");
  expect(sandbox.apiKeys).toEqual([]);
});
