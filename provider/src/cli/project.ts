import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import { UsageError } from "./command.js";

/** A Pulumi project on disk. */
export interface Project {
  /** The folder of its project file. */
  readonly root: string;
  /** What it is called; empty if that cannot be read. */
  readonly name: string;
  /** The folder that its program, and so the plugin, loads packages from: that of `main`. */
  readonly programFolder: string;
}

/** Options of all commands that look at a project, for `parseArgs`. */
export const PROJECT_OPTIONS = {
  stack: { type: "string" },
  cwd: { type: "string", default: "." },
} as const;

/** The same for people. */
export const PROJECT_OPTIONS_HELP = `  --stack <name>           stack to look at (default: the one that is selected)
  --cwd <folder>           folder to work in (default: the current one)`;

/** The names of a project file, in the order in which the CLI looks for them. */
const PROJECT_FILES = ["Pulumi.json", "Pulumi.yaml", "Pulumi.yml"];

/**
 * Finds the project that a folder belongs to, upwards as the CLI does.
 *
 * @returns `null` if there is none.
 * @throws {UsageError} if the folder does not exist.
 */
export async function findProject(folder: string): Promise<Project | null> {
  const start = resolve(folder);
  const isFolder = await stat(start).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UsageError("--cwd must be a folder that exists.");
  for (let root = start; ; root = dirname(root)) {
    for (const name of PROJECT_FILES) {
      const source = await readFile(join(root, name), "utf8").catch(() => null);
      if (source !== null) {
        const main = textOf(source, "main") ?? ".";
        return { root, name: textOf(source, "name") ?? "", programFolder: await programFolder(root, main) };
      }
    }
    if (root === dirname(root)) return null;
  }
}

/** The value of a member at the top. Of YAML no more is needed than single lines, which are no reason for a parser. */
function textOf(source: string, member: "main" | "name"): string | undefined {
  const line = `^(?:${member}|\\s*["']${member}["'])[ \\t]*:[ \\t]*(?:["']([^"'\\n]*)["']|([^\\s#][^#\\n]*))`;
  const [, quoted, plain] = new RegExp(line, "m").exec(source) ?? [];
  return quoted ?? plain?.trim();
}

/** `main` names a folder or a file. */
async function programFolder(root: string, main: string): Promise<string> {
  const path = resolve(root, main);
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  return isFile ? dirname(path) : path;
}
