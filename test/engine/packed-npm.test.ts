import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { installedSize, type InstalledSize } from "../support/packed-size.ts";
import { PROGRAMS, upAndDestroy } from "./packed/programs.ts";
import { type Packed, setUp } from "./packed/setup.ts";
import { checkTypes, MODULE_SETTINGS } from "./packed/type-check.ts";

let packed: Packed;
beforeAll(async () => {
  packed = await setUp("npm");
});
afterAll(() => packed.dispose());

it.each(PROGRAMS)("a program in $name runs with what npm installed", async (program) => {
  const { engine, sandbox, cwd } = packed;
  const outputs = await upAndDestroy(engine, cwd, sandbox, program);
  expect(outputs).toMatchObject({ state: "active", file: `${cwd}/${program.main}` });
});

it.each(MODULE_SETTINGS)("its types are right for module %s with resolution %s", async (...setting) => {
  // TypeScript 6 still knows node10, and warns of its end.
  await checkTypes(packed.engine, packed.cwd, setting, { ignoreDeprecations: "6.0" });
});

it("it brings one dependency, which has none", async () => {
  const modules = join(packed.cwd, "node_modules");
  const partners = join(modules, "pulumi-partners");
  const own = createRequire(join(partners, "package.json"));
  expect(Object.keys(dependenciesOf(own("./package.json")))).toEqual(["undici"]);
  expect(dependenciesOf(own("undici/package.json"))).toEqual({});

  // Where the SDK has brought another undici, npm has put ours into our folder.
  const undici = dirname(own.resolve("undici/package.json"));
  const added = await installedSize(partners, ...(undici.startsWith(partners) ? [] : [undici]));
  const all = await installedSize(modules);
  console.log(`Installed: ${describe(added)}; with the SDK and TypeScript ${describe(all)}.`);
  expect(added.packages).toBe(2);
  expect(added.bytes).toBeLessThan(3_000_000); // docs/compatibility.md says so.
});

function dependenciesOf(manifest: unknown): object {
  return (manifest as { dependencies?: object }).dependencies ?? {};
}

function describe({ packages, files, bytes }: InstalledSize): string {
  return `${packages} packages, ${files} files, ${(bytes / 1e6).toFixed(1)} MB`;
}
