import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { LOWEST, ROOT } from "../support/checkout.ts";

const read = (path: string): Promise<string> => readFile(join(ROOT, path), "utf8");
const manifest = JSON.parse(await read("provider/package.json")) as { readonly version: string };

it("the lowest versions that are tested are those of package.json and of docs/upgrading.md", async () => {
  expect(manifest).toMatchObject({
    engines: { node: `>=${LOWEST.node.replace(/\.0$/, "")}` },
    peerDependencies: { "@pulumi/pulumi": `^${LOWEST["@pulumi/pulumi"]}` },
    dependencies: { undici: `^${LOWEST.undici}` },
  });
  const page = await read("docs/upgrading.md");
  for (const version of Object.values(LOWEST)) expect(page).toContain(version);
});

it("the changelog has the version of the package", async () => {
  const changelog = await read("CHANGELOG.md");
  expect(changelog).toContain(`\n## [${manifest.version}]`);
  expect(changelog).toContain(`\n[${manifest.version}]: https://`);
});
