import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";

import { LOWEST, ROOT } from "../../provider/tools/checkout.ts";
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

// A file name describes its content, so it is unique. Only entry points have the name index.ts.
it("file names are unique in the provider", () => {
  const names = readdirSync(join(ROOT, "provider/src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => basename(path))
    .filter((name) => name !== "index.ts");
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

interface LockedPackage {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

// Otherwise `npm ci` of npm 11 fails. npm omits entries silently if a registry lacks the builds for some platforms.
it("the lockfile has an entry for every optional dependency of every platform", () => {
  const { packages } = JSON.parse(page("package-lock.json")) as { packages: Record<string, LockedPackage> };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isLocked(packages, path, name)),
  );
  expect(missing).toEqual([]);
  expect(Object.keys(packages).length).toBeGreaterThan(100);
});

/** Whether a package can resolve another one, in its own folder or in a parent folder. */
function isLocked(packages: Readonly<Record<string, LockedPackage>>, path: string, name: string): boolean {
  if (`${path === "" ? "" : `${path}/`}node_modules/${name}` in packages) return true;
  if (path === "") return false;
  return isLocked(packages, path.slice(0, Math.max(path.lastIndexOf("/node_modules/"), 0)), name);
}
