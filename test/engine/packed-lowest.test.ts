import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { LOWEST } from "../support/tested-versions.ts";
import { COMMON_JS, upAndDestroy } from "./packed/programs.ts";
import { type Packed, setUp } from "./packed/setup.ts";
import { checkTypes, MODULE_SETTINGS } from "./packed/type-check.ts";

let packed: Packed;
beforeAll(async () => {
  packed = await setUp("npm", { ...LOWEST, "@types/node": "^22.19.0" });
});
afterAll(() => packed.dispose());

it("a program runs with the lowest versions of Node, the SDK and undici", async () => {
  const { engine, sandbox, cwd } = packed;
  const require = createRequire(join(realpathSync(cwd), "node_modules/pulumi-partners/package.json"));
  const { node, ...packages } = LOWEST;
  for (const [name, version] of Object.entries(packages))
    expect(require(`${name}/package.json`), name).toMatchObject({ version });

  // The Node of the project: for the program, and for the plugin.
  const PATH = [join(cwd, "node_modules/.bin"), engine.env["PATH"]].join(delimiter);
  const oldest = { ...engine, env: { ...engine.env, PATH } };
  expect(await upAndDestroy(oldest, cwd, sandbox, COMMON_JS)).toMatchObject({ node: `v${node}` });
});

it.each(MODULE_SETTINGS)("its types are right for module %s with resolution %s", async (...setting) => {
  await checkTypes(packed.engine, packed.cwd, setting);
});
