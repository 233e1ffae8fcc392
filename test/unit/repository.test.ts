import { expect, it } from "vitest";

import { LOWEST } from "../../provider/tools/checkout.ts";
import { page } from "./docs/tables.ts";

it("the lowest versions that are tested are those of package.json and of docs/upgrading.md", () => {
  expect(JSON.parse(page("provider/package.json"))).toMatchObject({
    engines: { node: `>=${LOWEST.node.replace(/\.0$/, "")}` },
    peerDependencies: { "@pulumi/pulumi": `^${LOWEST["@pulumi/pulumi"]}` },
    dependencies: { undici: `^${LOWEST.undici}` },
  });
  for (const version of Object.values(LOWEST)) expect(page("docs/upgrading.md")).toContain(version);
});

it("the plugin that is built from its sources locks the versions that the tests run", () => {
  type Lock = { packages: Record<string, { version?: string }> };
  const lock = (folder: string) => (JSON.parse(page(`${folder}package-lock.json`)) as Lock).packages;
  const { dependencies } = JSON.parse(page("provider/plugin/package.json")) as { dependencies: object };
  const versions = (packages: Lock["packages"]) =>
    Object.keys(dependencies).map((name) => [name, packages[`node_modules/${name}`]?.version]);
  expect(versions(lock("provider/plugin/"))).toEqual(versions(lock("")));
});
