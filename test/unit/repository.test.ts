import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

import manifest from "../../provider/package.json" with { type: "json" };
import { OLDEST_CLI } from "../../provider/tools/engine/pulumi-cli.ts";
import { FILES, page, PAGES, sectionOf } from "./docs/pages.ts";

const TEXTS = FILES.filter(
  (file) => /\.(md|ts|js|cjs|sh|ya?ml|py|go|java|txt|json|svg)$/.test(file) && !/package-lock/.test(file),
);
/** What people read or run. A test may show what is wrong. */
const PUBLISHED = TEXTS.filter((file) => !file.startsWith("test/"));
const THIS = "test/unit/repository.test.ts";

const NPX = /\bnpx (?!--no -- )(?:-\S+ )*pulumi-partners/;

it.each([
  ["placeholders", /@[A-Z]{3,}@|\b(?:TODO|FIXME|TBD|XXX|lorem ipsum)\b/, "takes @MEASURED@ s", PUBLISHED],
  ["folders of a machine", /(?<![\w.:/@*}-])\/(?:work|root)\//, "see /root/x", TEXTS],
  ["npx that may run a stranger's package", NPX, "npx pulumi-partners doctor", PUBLISHED],
  [
    "installations of pulumi-partners from a registry, where someone else may own the name",
    /\b(?:npm|pnpm|yarn|bun) (?:i|install|add) (?:.* )?pulumi-partners(?![\w./-])|^ +"pulumi-partners":/,
    "npm install -D pulumi-partners",
    [...PAGES, ...FILES.filter((file) => /^examples\/.*package\.json$/.test(file))],
  ],
  [
    "links to a place that nobody owns before a release",
    /https?:\/\/(?:www\.)?(?:github\.com|npmjs\.com\/package|pypi\.org\/project)\/(?:@?pulumi-partners|partners)\b/,
    "see https://github.com/pulumi-partners/pulumi-partners",
    PUBLISHED.filter(
      (file) => !/^(?:provider\/(?:package|schema)\.json|CHANGELOG\.md|docs\/_index\.md)$/.test(file),
    ),
  ],
])("no file has %s", (_what, pattern, wrong, files) => {
  expect(wrong).toMatch(pattern);
  expect(files.length).toBeGreaterThan(15);
  const found = files
    .filter((file) => file !== THIS)
    .flatMap((file) => {
      const lines = page(file)
        .split("\n")
        .filter((line) => pattern.test(line));
      return lines.map((line) => `${file}: ${line}`);
    });
  expect(found).toEqual([]);
});

it("docs/limits.md names the lowest versions that package.json and the tools accept", () => {
  const { engines, peerDependencies, dependencies } = manifest;
  const lowest = [engines.node, peerDependencies["@pulumi/pulumi"], dependencies.undici, OLDEST_CLI];
  const supported = sectionOf(page("docs/limits.md"), "## Supported versions");
  for (const version of lowest) expect(supported).toContain(version.replace(/^\D+/, ""));
  const [node = "", sdk = ""] = lowest.map((version) => version.replace(/^\D+/, ""));
  const patch = node.replace(/^\d+\.\d+$/, "$&.0");
  expect(page(".github/workflows/ci.yml")).toContain(`{ cli: ${OLDEST_CLI}, node: ${patch}, sdk: ${sdk} }`);
  expect(page("provider/plugin/PulumiPlugin.yaml")).toContain(`requiredPulumiVersion: ">=${OLDEST_CLI}"`);
});

it("dependabot.yml names folders that have what it updates", () => {
  type Update = { "package-ecosystem": string; directory?: string; directories?: string[] };
  const { updates } = parse(page(".github/dependabot.yml")) as { updates: Update[] };
  const file = { npm: "package-lock.json", gomod: "go.mod" } as Readonly<Record<string, string>>;
  const files = updates.flatMap(({ "package-ecosystem": kind, directory, directories = [directory ?? ""] }) =>
    directories.map((folder) =>
      join(folder === "/" && !file[kind] ? ".github/workflows" : folder.slice(1), file[kind] ?? ""),
    ),
  );
  expect(files).toHaveLength(5);
  for (const path of files)
    expect(
      FILES.some((name) => name.startsWith(path)),
      path,
    ).toBe(true);
});

it("the plugin that is built from its sources locks the versions that the tests run", () => {
  type Lock = { packages: Record<string, { version?: string }> };
  const lock = (folder: string) => (JSON.parse(page(`${folder}package-lock.json`)) as Lock).packages;
  const { dependencies } = JSON.parse(page("provider/plugin/package.json")) as { dependencies: object };
  const versions = (packages: Lock["packages"]) =>
    Object.keys(dependencies).map((name) => [name, packages[`node_modules/${name}`]?.version]);
  expect(versions(lock("provider/plugin/"))).toEqual(versions(lock("")));
});
