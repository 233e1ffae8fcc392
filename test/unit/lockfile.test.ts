import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

// Otherwise `npm ci` of npm 11 fails. npm omits entries silently if a registry lacks the builds for some platforms.
it("the lockfile has an entry for every optional dependency of every platform", () => {
  const text = readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8");
  const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, Locked>> };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isLocked(packages, path, name)),
  );
  expect(missing).toEqual([]);
  expect(Object.keys(packages).length).toBeGreaterThan(100);
});

/** Whether a package can resolve another one, in its own folder or in a parent folder. */
function isLocked(packages: Readonly<Record<string, Locked>>, path: string, name: string): boolean {
  if (`${path === "" ? "" : `${path}/`}node_modules/${name}` in packages) return true;
  if (path === "") return false;
  return isLocked(packages, path.slice(0, Math.max(path.lastIndexOf("/node_modules/"), 0)), name);
}
