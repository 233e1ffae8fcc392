import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { ROOT } from "../../../provider/tools/checkout.ts";
import { mustRunShell } from "../../../provider/tools/child-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { page } from "../docs/tables.ts";

const TYPESCRIPT = join(ROOT, "examples/pipeline");
/** What the example for YAML replaces. */
const REPLACED = [
  ".github/workflows/pulumi.yml",
  ".gitignore",
  ".gitlab-ci.yml",
  "Pulumi.yaml",
  "package.json",
];

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => !/node_modules|\.log$/.test(file) && statSync(join(folder, file)).isFile())
    .sort();
const linesOf = (folder: string, file: string): string[] =>
  readFileSync(join(folder, file), "utf8").split("\n");

it("the pipeline for YAML replaces only the program and how the one for TypeScript gets the plugin", async () => {
  const [command = ""] = /(?<=- YAML: `)cp [^`]*(?=`)/.exec(page("docs/pipelines.md")) ?? [];
  const copy = await temporaryFolder();
  await mustRunShell(command.replaceAll("../my-pipeline", copy), { cwd: ROOT });
  expect(filesOf(copy)).toEqual(filesOf(TYPESCRIPT).filter((file) => file !== "index.ts"));
  expect(filesOf(join(ROOT, "examples/pipeline-yaml"))).toEqual(REPLACED);
  const removed = REPLACED.filter((file) => file !== "Pulumi.yaml").flatMap((file) =>
    linesOf(TYPESCRIPT, file).filter((line) => !linesOf(copy, file).includes(line)),
  );
  expect(removed.map((line) => line.trim())).toEqual([
    "name: pulumi/pulumi-nodejs-24:3.259.0",
    '"name": "partners-pipeline",',
    '"main": "index.ts",',
  ]);
});
