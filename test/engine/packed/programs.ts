import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "pulumi-partners/sandbox";
import { expect } from "vitest";

import type { Engine } from "../../support/engine-env.ts";
import { shell } from "../../support/packed-project.ts";

/** A program as users write them. All of them declare the same. */
export interface PackedProgram {
  readonly name: string;
  /** In this folder. */
  readonly source: string;
  /** In the project. */
  readonly main: string;
  /** As in package.json. */
  readonly type: "commonjs" | "module";
}

export const COMMON_JS: PackedProgram = {
  name: "TypeScript, CommonJS",
  source: "common-js.ts",
  main: "index.ts",
  type: "commonjs",
};

export const PROGRAMS: readonly PackedProgram[] = [
  COMMON_JS,
  { name: "TypeScript, ES module", source: "es-module.ts", main: "index.ts", type: "module" },
  { name: "JavaScript", source: "java-script.cjs", main: "index.js", type: "commonjs" },
];

/** The SDK has a `moduleResolution` of its own for those that name none: the lowest another than the newest. */
const TSCONFIG = {
  compilerOptions: {
    target: "es2022",
    module: "nodenext",
    moduleResolution: "nodenext",
    types: ["node"],
    strict: true,
  },
};

/** Runs a program's life with the real engine in a project. @returns the outputs of the stack. */
export async function upAndDestroy(
  engine: Engine,
  cwd: string,
  sandbox: Sandbox,
  program: PackedProgram,
): Promise<Record<string, unknown>> {
  await copyFile(join(import.meta.dirname, program.source), join(cwd, program.main));
  const manifest = join(cwd, "package.json");
  const before = JSON.parse(await readFile(manifest, "utf8")) as Record<string, unknown>;
  await writeFile(manifest, JSON.stringify({ ...before, type: program.type }));
  await writeFile(join(cwd, "tsconfig.json"), JSON.stringify(TSCONFIG));
  await writeFile(join(cwd, "Pulumi.yaml"), `name: my-stack\nruntime: nodejs\nmain: ${program.main}\n`);

  sandbox.setWebhookState(103, "disabled");
  const stack = program.source.replace(/\..*/, "");
  const run = (script: string): Promise<string> =>
    shell(script, cwd, { ...engine, env: { ...engine.env, PULUMI_STACK: stack } });
  await run(`pulumi stack init ${stack} && pulumi up --yes --skip-preview`);
  expect(sandbox.apiKeys).toHaveLength(1);
  expect(sandbox.webhooks.get(103)).toBe("active");
  const outputs = await run("pulumi stack output --json");
  await run("pulumi destroy --yes --skip-preview");
  expect(sandbox.apiKeys).toEqual([]);
  return JSON.parse(outputs) as Record<string, unknown>;
}
