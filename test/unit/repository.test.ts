import { describe, expect, it } from "vitest";

import { LOWEST, OLDEST_CLI } from "../../provider/tools/checkout.ts";
import { FILES, page, PAGES, sectionOf } from "./docs/pages.ts";

const TEXTS = FILES.filter(
  (file) =>
    /\.(md|ts|js|cjs|mjs|sh|ya?ml|py|go|java|txt|json|svg)$/.test(file) && !/package-lock|golden/.test(file),
);
/** What people read or run. A test may show what is wrong. */
const PUBLISHED = TEXTS.filter((file) => !file.startsWith("test/"));
const SOURCES = TEXTS.filter((file) => /^(provider|test)\/.*\.(ts|cjs)$/.test(file));
const THIS = "test/unit/repository.test.ts";

describe.each([
  ["placeholders", /@[A-Z]{3,}@|\b(?:TODO|FIXME|TBD|XXX|lorem ipsum)\b/, "takes @MEASURED@ s", PUBLISHED],
  ["folders of a machine", /(?<![\w.:/@*}-])\/(?:work|root)\//, "see /root/x", TEXTS],
  [
    "npx that may run a stranger's package",
    /\bnpx (?!--no -- )(?:-\S+ )*pulumi-partners/,
    "npx pulumi-partners doctor",
    PUBLISHED,
  ],
  [
    "installations of pulumi-partners from a registry, where someone else may own the name",
    /\b(?:npm|pnpm|yarn|bun) (?:i|install|add) (?:.* )?pulumi-partners(?![\w./-])|^ +"pulumi-partners":/,
    "npm install -D pulumi-partners",
    [...PAGES, ...FILES.filter((file) => /^examples\/.*package\.json$/.test(file))],
  ],
  // Of sentences, addresses and patterns, which nothing wraps, a line may be longer.
  ["lines over 110 columns", /^(?!.*(?:https?:\/\/|["'`/].{30,}["'`/])).{111,}$/, "x".repeat(111), SOURCES],
])("no file has %s", (_what, pattern, wrong, files) => {
  it(`in ${files.length} files`, () => {
    expect(wrong).toMatch(pattern);
    expect(files.length).toBeGreaterThan(15);
    const lines = files
      .filter((file) => file !== THIS)
      .flatMap((file) =>
        page(file)
          .split("\n")
          .map((line) => [file, line] as const),
      );
    expect(lines.filter(([, line]) => pattern.test(line)).map(([file, line]) => `${file}: ${line}`)).toEqual(
      [],
    );
  });
});

it("the lowest versions that are tested are those of package.json and of docs/versions.md", () => {
  expect(JSON.parse(page("provider/package.json"))).toMatchObject({
    engines: { node: `>=${LOWEST.node.replace(/\.0$/, "")}` },
    peerDependencies: { "@pulumi/pulumi": `^${LOWEST["@pulumi/pulumi"]}` },
    dependencies: { undici: `^${LOWEST.undici}` },
  });
  const supported = sectionOf(page("docs/versions.md"), "## Supported versions");
  for (const version of [...Object.values(LOWEST), OLDEST_CLI]) expect(supported).toContain(version);
});

it("the plugin that is built from its sources locks the versions that the tests run", () => {
  type Lock = { packages: Record<string, { version?: string }> };
  const lock = (folder: string) => (JSON.parse(page(`${folder}package-lock.json`)) as Lock).packages;
  const { dependencies } = JSON.parse(page("provider/plugin/package.json")) as { dependencies: object };
  const versions = (packages: Lock["packages"]) =>
    Object.keys(dependencies).map((name) => [name, packages[`node_modules/${name}`]?.version]);
  expect(versions(lock("provider/plugin/"))).toEqual(versions(lock("")));
});
