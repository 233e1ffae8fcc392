import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { LOWEST, ROOT } from "../support/checkout.ts";

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

it("the docs name the lowest versions", async () => {
  const page = await read("docs/upgrading.md");
  for (const version of Object.values(LOWEST)) expect(page).toContain(version);
});
