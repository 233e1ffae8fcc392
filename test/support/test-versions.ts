/**
 * Runs the tests with other versions of what the package depends on, in a copy of the checkout in a temporary folder:
 * `node test/support/test-versions.ts [lowest|newest] [arguments of vitest]`; both, one after the other, if none is named.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyCheckout, ROOT } from "./checkout.ts";
import { LOWEST } from "./tested-versions.ts";

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly engines?: Versions;
  readonly peerDependencies?: Versions;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  /** Of a lockfile: what is installed, by path. */
  readonly packages?: Record<string, unknown>;
}

const provider = JSON.parse(readFileSync(join(ROOT, "provider/package.json"), "utf8")) as Manifest;
const VERSIONS: Readonly<Record<string, Versions>> = {
  lowest: LOWEST,
  // Of a range, npm installs the newest.
  newest: { ...provider.engines, ...provider.peerDependencies, ...provider.dependencies },
};

const [first = "", ...rest] = process.argv.slice(2);
const named = Object.hasOwn(VERSIONS, first);
for (const [name, versions] of Object.entries(VERSIONS)) {
  if (named && name !== first) continue;
  const code = await test(name, versions, named ? rest : process.argv.slice(2));
  if (code !== 0) process.exitCode = code;
}

/** @returns the exit code of the tests. */
async function test(name: string, versions: Versions, vitestArguments: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  try {
    await copyCheckout(folder);
    execFileSync("git", ["init", "--quiet"], { cwd: folder });
    execFileSync("git", ["add", "--all"], { cwd: folder }); // Tests ask git which files there are.
    pin(folder, versions);
    if (npm(folder, "install", "--no-audit", "--no-fund") !== 0) throw new Error("npm install failed");
    console.log(`\nTests with the ${name} versions: ${installed(folder, versions).join(", ")}`);
    return npm(folder, "test", "--", ...vitestArguments);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Asks for versions in the root and in the examples, and forgets what the lockfile has of them. The manifest of the provider
 * stays as it is published, so that its ranges have to allow them.
 */
function pin(folder: string, versions: Versions): void {
  edit(join(folder, "package.json"), ({ devDependencies }) => {
    Object.assign(devDependencies ?? {}, versions);
  });
  for (const example of readdirSync(join(folder, "examples"))) {
    edit(join(folder, "examples", example, "package.json"), ({ dependencies = {}, devDependencies = {} }) => {
      for (const group of [dependencies, devDependencies])
        for (const name of Object.keys(group)) group[name] = versions[name] ?? group[name] ?? "";
    });
  }
  edit(join(folder, "package-lock.json"), ({ packages = {} }) => {
    for (const path of Object.keys(packages)) {
      const [, name = ""] = /node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
      if (Object.hasOwn(versions, name)) Reflect.deleteProperty(packages, path);
    }
  });
}

function edit(file: string, change: (content: Manifest) => void): void {
  const content = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  change(content);
  writeFileSync(file, JSON.stringify(content, null, 2));
}

/** What the provider runs with. @throws if that is another version than the one that was asked for. */
function installed(folder: string, versions: Versions): string[] {
  const require = createRequire(join(folder, "provider/package.json"));
  return Object.entries(versions).map(([name, wanted]) => {
    const { version } = require(`${name}/package.json`) as { version: string };
    const exact = /^\d/.test(wanted);
    if (exact && version !== wanted) throw new Error(`npm installed ${name} ${version}, not ${wanted}`);
    return `${name} ${version}`;
  });
}

/** @returns the exit code. */
function npm(cwd: string, ...args: readonly string[]): number {
  return spawnSync("npm", args, { cwd, stdio: "inherit" }).status ?? 1;
}
