import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { PROGRAMS, upAndDestroy } from "./packed/programs.ts";
import { type Packed, setUp } from "./packed/setup.ts";

let packed: Packed;
beforeAll(async () => {
  packed = await setUp("pnpm");
});
afterAll(() => packed.dispose());

it("pnpm has installed it in its strict layout", async () => {
  expect(await realpath(join(packed.cwd, "node_modules/pulumi-partners"))).toContain("node_modules/.pnpm/");
});

it.each(PROGRAMS)("a program in $name runs with what pnpm installed", async (program) => {
  const { engine, sandbox, cwd } = packed;
  const outputs = await upAndDestroy(engine, cwd, sandbox, program);
  expect(outputs).toMatchObject({ state: "active", file: `${cwd}/${program.main}` });
});
