import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { ROOT } from "../../../provider/tools/checkout.ts";

const [TYPESCRIPT, YAML] = ["pipeline", "pipeline-yaml"].map((name) => join(ROOT, "examples", name)) as [
  string,
  string,
];
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => !/node_modules|\.log$/.test(file) && statSync(join(folder, file)).isFile())
    .sort();
const linesOf = (folder: string, file: string): string[] =>
  readFileSync(join(folder, file), "utf8").split("\n");

it("the pipeline for YAML differs from the one for TypeScript only in the program and in how it gets the plugin", () => {
  expect(filesOf(YAML)).toEqual(filesOf(TYPESCRIPT).filter((file) => file !== "index.ts"));
  const changed = filesOf(YAML).filter(
    (file) => linesOf(YAML, file).join() !== linesOf(TYPESCRIPT, file).join(),
  );
  const files = [
    ".github/workflows/pulumi.yml",
    ".gitignore",
    ".gitlab-ci.yml",
    "Pulumi.yaml",
    "package.json",
  ];
  expect(changed).toEqual(files);
  const removed = files
    .filter((file) => file !== "Pulumi.yaml")
    .flatMap((file) => linesOf(TYPESCRIPT, file).filter((line) => !linesOf(YAML, file).includes(line)));
  expect(removed.map((line) => line.trim())).toEqual([
    "name: pulumi/pulumi-nodejs-24:3.259.0",
    '"name": "partners-pipeline",',
    '"main": "index.ts",',
  ]);
});
