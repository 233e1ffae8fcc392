import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

import { findProject } from "../../../provider/src/cli/project.js";

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "partners-project-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "src/deep"), { recursive: true });
  await writeFile(join(folder, "src/index.ts"), "");
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test.each([
  ["no main", "Pulumi.yaml", "name: a\nruntime: nodejs\n", "."],
  ["a folder", "Pulumi.yaml", "name: a\nmain: src # the program\n", "src"],
  ["a file", "Pulumi.yml", "main: src/index.ts\nname: a\n", "src"],
  ["quotes", "Pulumi.yaml", `name: a\nmain: "./src/"\n`, "src"],
  ["a main of something else", "Pulumi.yaml", "name: a\nconfig:\n  main: src\n", "."],
  ["JSON", "Pulumi.json", `{\n  "name": "a",\n  "main": "src"\n}`, "src"],
])("the program's folder with %s", async (_what, file, text, expected) => {
  const root = await folderWith({ [file]: text });
  expect(await findProject(join(root, "src/deep"))).toEqual({
    root,
    name: "a",
    programFolder: join(root, expected),
  });
});

test("a folder in no project has none, and one that does not exist is refused", async () => {
  const folder = await folderWith({});
  expect(await findProject(folder)).toBeNull();
  await expect(findProject(join(folder, "nowhere"))).rejects.toThrow("--cwd must be a folder that exists.");
});
