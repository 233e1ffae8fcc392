import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Engine } from "../../support/engine-env.ts";
import { shell } from "../../support/packed-project.ts";

/** The ways in which users let TypeScript find a package: `module` and `moduleResolution`. */
export const MODULE_SETTINGS: readonly (readonly [string, string])[] = [
  ["commonjs", "node10"],
  ["nodenext", "nodenext"],
  ["preserve", "bundler"],
];

/** Compiles types.ts in a project, the declarations of all packages included. @throws with what the compiler says. */
export async function checkTypes(
  engine: Engine,
  cwd: string,
  [module, moduleResolution]: readonly [string, string],
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const settings = { target: "es2022", module, moduleResolution, types: ["node"], strict: true };
  const compilerOptions = { ...settings, noEmit: true, skipLibCheck: false, ...more };
  const name = `tsconfig.${moduleResolution}.json`;
  await copyFile(join(import.meta.dirname, "types.ts"), join(cwd, "types.ts"));
  await writeFile(join(cwd, name), JSON.stringify({ compilerOptions, files: ["types.ts"] }));
  await shell(`npx tsc -p ${name}`, cwd, engine);
}
