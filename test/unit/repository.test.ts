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
