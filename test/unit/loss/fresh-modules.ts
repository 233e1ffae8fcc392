import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { compileFunction } from "node:vm";

const DIST = join(import.meta.dirname, "..", "..", "..", "provider", "dist");
const requireInstalled = createRequire(join(DIST, "index.js"));

type Require = (name: string) => unknown;
type Body = (exports: object, require: Require, module: { exports: object }, importLater: Require) => void;

/** A file, which is compiled once, and run for every set of modules. */
interface Source {
  readonly file: string;
  readonly body: Body;
  /** What it requires, by the name that it has for it. To find that out anew for every set took longer than to run all files. */
  readonly required: Map<string, Source | { readonly installed: unknown }>;
}

const sources = new Map<string, Source>();

/**
 * A set of the provider's built modules that shares nothing with any other set, as if a process had loaded them: 0.3 ms,
 * where `vi.resetModules()` takes 9 and a real process 500 (measured). Packages are shared.
 *
 * @returns what loads a module of the set, by its path in `provider/dist`.
 */
export function freshModules(): Require {
  const modules = new Map<Source, { exports: object }>();
  const load = (source: Source): object => {
    const known = modules.get(source);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(source, module);
    const require: Require = (name) => {
      const required = source.required.get(name) ?? resolve(source, name);
      return "installed" in required ? required.installed : load(required);
    };
    source.body(module.exports, require, module, (name) => Promise.resolve(require(name)));
    return module.exports;
  };
  return (path) => load(sourceOf(join(DIST, path)));
}

function resolve({ file, required }: Source, name: string): Source | { readonly installed: unknown } {
  const found = name.startsWith(".")
    ? sourceOf(join(dirname(file), name))
    : { installed: requireInstalled(name) as unknown };
  required.set(name, found);
  return found;
}

function sourceOf(file: string): Source {
  const known = sources.get(file);
  if (known) return known;
  // Node's own import() would give every set the same modules.
  const text = readFileSync(file, "utf8").replaceAll(/\bimport\(/g, "importLater(");
  const body = compileFunction(text, ["exports", "require", "module", "importLater"], {
    filename: file,
  }) as Body;
  const source = { file, body, required: new Map() };
  sources.set(file, source);
  return source;
}
