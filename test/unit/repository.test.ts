import { expect, it } from "vitest";

import { LOWEST } from "../../provider/tools/checkout.ts";
import { page } from "./docs/tables.ts";

const manifest = JSON.parse(page("provider/package.json")) as { readonly version: string };

it("the lowest versions that are tested are those of package.json and of docs/upgrading.md", () => {
  expect(manifest).toMatchObject({
    engines: { node: `>=${LOWEST.node.replace(/\.0$/, "")}` },
    peerDependencies: { "@pulumi/pulumi": `^${LOWEST["@pulumi/pulumi"]}` },
    dependencies: { undici: `^${LOWEST.undici}` },
  });
  for (const version of Object.values(LOWEST)) expect(page("docs/upgrading.md")).toContain(version);
});

it("the Python example with what `pulumi package add` writes has the version of the package", () => {
  expect(page("examples/python/Pulumi.yaml")).toContain(
    `\npackages:\n  partners: partners@${manifest.version}\n`,
  );
  expect(page("examples/python/requirements.txt")).toMatch(/\nsdks\/partners\n$/);
});
