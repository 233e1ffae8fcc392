import { createHash } from "node:crypto";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { cacheRoot, fill } from "../../provider/tools/build-cache.ts";
import { copyBuild, ROOT } from "../../provider/tools/checkout.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import { isExecutable, mustRun, mustRunShell } from "../../provider/tools/child-process.ts";
import { LONG } from "../support/random.ts";
import { environmentFor, sandboxFor, statesOf } from "./support.ts";

/** The package managers other than npm, each with the file that runs it. */
const MANAGERS = {
  "pnpm-10": { package: "npm:pnpm@10.28.0", file: "bin/pnpm.cjs" },
  "pnpm-12": { package: "npm:pnpm@12.21.0", file: "bin/pnpm.mjs" },
  "yarn-1": { package: "npm:yarn@1.22.22", file: "bin/yarn.js" },
  "yarn-4": { package: "npm:@yarnpkg/cli-dist@4.18.1", file: "bin/yarn.js" },
  "bun-1": { package: "npm:bun@1.4.5", file: "bin/bun.exe" },
} as const;
const HASH = createHash("sha256").update(JSON.stringify(MANAGERS)).digest("hex").slice(0, 12);
const INSTALLED = join(cacheRoot(), `package-managers-${HASH}`);

/** A row of the table in docs/versions.md. */
interface Road {
  readonly name: string;
  /** The row of the table. */
  readonly row: string;
  readonly manager?: keyof typeof MANAGERS;
  /** The command that the table shows. It installs and upgrades the tarball. */
  readonly add: string;
  /** Starts the Pulumi CLI. @default `pulumi` */
  readonly pulumi?: string;
  /** @default `nodejs` */
  readonly runtime?: "bun";
  /** Files in the root of the project or the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** Further development dependencies. */
  readonly tools?: Readonly<Record<string, string>>;
  /** A command that checks the program. @default none */
  readonly check?: string;
  /**
   * Whether another build of the same version is not installed. Such a manager does not upgrade in a
   * workspace.
   *
   * @default false
   */
  readonly keepsBuild?: true;
}

const TARBALL = "pulumi-partners-0.1.0.tgz";
const PNPM = {
  row: "pnpm 10 and newer",
  add: `pnpm add ./${TARBALL}`,
  files: { "pnpm-workspace.yaml": 'packages: ["packages/*"]\nallowBuilds:\n  protobufjs: false\n' },
};
const YARN = { manager: "yarn-4", add: `yarn add ./${TARBALL}` } as const;
const BUN = { manager: "bun-1", add: `bun add ./${TARBALL}` } as const;

const ROADS: readonly Road[] = [
  {
    row: "npm",
    name: "npm",
    add: `npm install ./${TARBALL}`,
    // TypeScript 7 checks the program. Pulumi runs it with TypeScript 6.
    tools: { typescript: "npm:@typescript/typescript6@^6.0.0", "typescript-7": "npm:typescript@^7.0.0" },
    check: `node "$(dirname "$(node -p 'require.resolve("typescript-7/package.json")')")/bin/tsc"`,
  },
  { ...PNPM, name: "pnpm 10", manager: "pnpm-10" },
  { ...PNPM, name: "pnpm 12", manager: "pnpm-12" },
  {
    row: "Yarn 1",
    name: "Yarn 1",
    manager: "yarn-1",
    add: `yarn add file:./${TARBALL}`,
    keepsBuild: true,
  },
  {
    ...YARN,
    row: "Yarn 4, `node-modules`",
    name: "Yarn 4 with node_modules",
    files: { ".yarnrc.yml": "nodeLinker: node-modules\n" },
  },
  {
    ...YARN,
    row: "Yarn 4, PnP",
    name: "Yarn 4 with PnP",
    pulumi: "yarn exec pulumi",
    files: {
      ".yarnrc.yml":
        'packageExtensions: { "@pulumi/pulumi@*": { peerDependencies: { pulumi-partners: "*" } } }\n',
    },
  },
  { ...BUN, row: "Bun", name: "Bun" },
  { ...BUN, row: "Bun, `runtime: bun`", name: "Bun as the runtime", runtime: "bun" },
];

/** Each imports the package in a way that only its kind of module allows. */
const IMPORTS = {
  commonjs: 'import partners = require("pulumi-partners");',
  module: 'const partners = await import("pulumi-partners");',
};
const PROGRAM = `
new partners.PartnerApiKey("checkout");
new partners.PartnerWebhookState("orders", { webhookId: 101, state: "active" });
export {};
`;

let builds: readonly string[] = [];
beforeAll(async () => {
  if (!LONG) return;
  const folder = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  builds = await pack(folder);
  if (await isExecutable(INSTALLED)) return;
  await fill(INSTALLED, async (cwd) => {
    await writeFile(join(cwd, "package.json"), "{}");
    const specs = Object.entries(MANAGERS).map(([name, { package: spec }]) => `${name}@${spec}`);
    await mustRun("npm", ["install", "--no-audit", "--no-fund", ...specs], { cwd });
  });
}, 180_000);

const LAYOUTS = ["one package", "a workspace"] as const;
const CASES = ROADS.flatMap((road) =>
  LAYOUTS.filter((layout) => layout === "one package" || !road.keepsBuild).map((layout) => ({
    ...road,
    road,
    layout,
  })),
);
const LIMIT = { timeout: 400_000 };

it.runIf(LONG).each(CASES)(
  "$name, $layout: CommonJS and ES modules run, and an upgrade changes nothing",
  LIMIT,
  async ({ road, layout, pulumi = "pulumi", runtime = "nodejs" }) => {
    const sandbox = await sandboxFor({ webhooks: [{ webhookId: 101, state: "disabled" }] });
    const engine = await engineEnv({ ...environmentFor(sandbox), PULUMI_STACK: "dev" });
    onTestFinished(() => engine.dispose());
    const root = join(engine.dir, "project");
    const cwd = layout === "a workspace" ? join(root, "packages/stack") : root;
    await mkdir(cwd, { recursive: true });
    const write = (name: string, text: string, folder = cwd) => writeFile(join(folder, name), text);
    for (const [name, text] of Object.entries(road.files ?? {})) await write(name, text, root);
    const workspace = { name: "root", private: true, workspaces: ["packages/*"] };
    await write("package.json", JSON.stringify(workspace), root);
    const dependencies = { "@pulumi/pulumi": "^3.270.0", "@types/node": "^24.0.0" };
    const devDependencies = { typescript: "^6.0.3", ...road.tools };
    const packages = { dependencies, devDependencies };
    const manifest = { name: "stack", version: "1.0.0", private: true, main: "index.ts", ...packages };
    await write("package.json", JSON.stringify(manifest));
    await cp(join(ROOT, "examples/quickstart/tsconfig.json"), join(cwd, "tsconfig.json"));
    await write("Pulumi.yaml", `name: stack\nruntime: ${runtime}\n`);

    const env = { ...engine.env, ...(await managerEnv(engine.dir, engine.env["PATH"] ?? "", road)) };
    const shell = (script: string) => mustRunShell(script, { cwd, env, timeoutMs: 180_000 });
    const run = (args: string) => shell(`${pulumi} ${args} --non-interactive`);
    const use = async (type: keyof typeof IMPORTS, build: string): Promise<void> => {
      const tarball = basename(build);
      await cp(build, join(cwd, tarball));
      const current = JSON.parse(await readFile(join(cwd, "package.json"), "utf8")) as object;
      await write("package.json", JSON.stringify({ ...current, type }));
      await write("index.ts", IMPORTS[type] + PROGRAM);
      await shell(road.add.replace(TARBALL, tarball));
      if (road.check !== undefined) await shell(road.check);
    };
    const [first = "", rebuilt = "", next = ""] = builds;
    await use("commonjs", first);
    await shell("pulumi stack init dev");
    await run("up --yes --skip-preview");
    expect([sandbox.apiKeys.length, statesOf(sandbox)]).toEqual([1, { 101: "active" }]);

    const found: unknown[] = [];
    for (const build of [rebuilt, next]) {
      await use("module", build);
      await run("preview --expect-no-changes");
      sandbox.clearRequests();
      await run("refresh --yes --skip-preview");
      found.push(...sandbox.requests.map(({ headers }) => headers["user-agent"]));
    }
    const expected = [road.keepsBuild ? "0.1.0" : "0.1.0-rebuilt", "0.1.1"];
    expect(found).toEqual(expected.map((version) => `pulumi-partners/${version}`));
    await run("destroy --yes --skip-preview");
    expect(sandbox.apiKeys).toEqual([]);
  },
);

it("docs/versions.md has a row for each package manager, with the command that installs the tarball", async () => {
  const page = (await readFile(join(ROOT, "docs/versions.md"), "utf8")).replaceAll(/ +\|/g, " |");
  for (const { row, add } of ROADS) expect(page).toContain(`| ${row} | \`${add}\` |`);
  for (const { files } of ROADS)
    for (const text of Object.values(files ?? {}))
      if (text.startsWith("packageExtensions")) expect(page).toContain(text);
});

/**
 * Packs this build, another build of the same version, and the next version. They say which they are in
 * `user-agent`.
 */
async function pack(folder: string): Promise<readonly string[]> {
  const checkout = join(folder, "checkout");
  const provider = join(checkout, "provider");
  await copyBuild(checkout);
  await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  const manifest = JSON.parse(await readFile(join(provider, "package.json"), "utf8")) as object;
  const files: string[] = [];
  for (const name of ["0.1.0", "0.1.0-rebuilt", "0.1.1"]) {
    const [version = ""] = name.split("-");
    await writeFile(join(provider, "package.json"), JSON.stringify({ ...manifest, version }));
    await writeFile(join(provider, "dist/version.js"), `exports.VERSION = "${name}";\n`);
    await mkdir(join(folder, name));
    await mustRun("npm", ["pack", "--pack-destination", join(folder, name)], { cwd: provider });
    files.push(join(folder, name, `pulumi-partners-${version}.tgz`));
  }
  return files;
}

/** Returns the variables that put a package manager on PATH, with an empty home and the registry of npm. */
async function managerEnv(
  dir: string,
  path: string,
  { add, manager }: Road,
): Promise<Record<string, string>> {
  const bin = join(dir, "manager");
  await mkdir(bin);
  if (manager !== undefined) {
    const command = join(bin, add.split(" ")[0] ?? "");
    const file = join(INSTALLED, "node_modules", manager, MANAGERS[manager].file);
    const start = file.endsWith(".exe") ? "" : "node ";
    await writeFile(command, `#!/bin/sh\nexec ${start}'${file}' "$@"\n`);
    await chmod(command, 0o755);
  }
  const registry = (await mustRun("npm", ["config", "get", "registry"])).trim();
  const registries = ["npm_config_registry", "YARN_REGISTRY", "YARN_NPM_REGISTRY_SERVER"];
  return {
    PATH: [bin, path].join(delimiter),
    HOME: join(dir, "home"),
    YARN_CACHE_FOLDER: join(dir, "yarn"), // Yarn 1 does not use HOME if the user is root.
    ...Object.fromEntries(registries.map((name) => [name, registry])),
  };
}
