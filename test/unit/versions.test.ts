import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { assertNodeVersion } from "../../provider/src/plugin/session.js";
import { ROOT } from "../support/checkout.ts";
import { PNPM_WORKSPACE } from "../support/packed-project.ts";
import { LOWEST, PACKAGE_MANAGERS } from "../support/tested-versions.ts";

async function read(path: string): Promise<string> {
  return readFile(join(ROOT, path), "utf8");
}

it("what the package asks for begins with the lowest version that is tested", async () => {
  const manifest = JSON.parse(await read("provider/package.json")) as unknown;
  expect(manifest).toMatchObject({
    engines: { node: `>=${LOWEST.node.replace(/\.0$/, "")}` },
    peerDependencies: { "@pulumi/pulumi": `^${LOWEST["@pulumi/pulumi"]}` },
    dependencies: { undici: `^${LOWEST.undici}` },
  });
});

it("the plugin runs on the lowest Node, and on none below", () => {
  const [major = 0, minor = 0] = LOWEST.node.split(".").map(Number);
  expect(() => {
    assertNodeVersion(LOWEST.node);
  }).not.toThrow();
  expect(() => {
    assertNodeVersion(`${major}.${minor - 1}.9`);
  }).toThrow(`Install Node ${major}.${minor} or newer`);
});

it("the docs name the versions, the package managers and the command", async () => {
  const page = await read("docs/compatibility.md");
  for (const text of [...Object.values(LOWEST), ...PACKAGE_MANAGERS, "npm run test:versions", PNPM_WORKSPACE])
    expect(page).toContain(text);
  expect(await read("package.json")).toContain('"test:versions": "node test/support/test-versions.ts"');
});
