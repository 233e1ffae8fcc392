import { randomUUID } from "node:crypto";
import { lstat, rename, rm, writeFile } from "node:fs/promises";

import { CommandError } from "../command.js";

/** A file to be written. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
  /** Whether nobody else may read it. */
  readonly isPrivate: boolean;
}

/**
 * Writes files that do not exist yet, or none of them. Each is complete before the first takes its place.
 *
 * @param force Whether files that exist are replaced; never anything that is no plain file. An old one is kept until its
 *   successor takes its place.
 * @throws {CommandError}
 */
export async function writeNewFiles(files: readonly NewFile[], force: boolean): Promise<void> {
  for (const { path } of files) await assertFree(path, force);
  const drafts = files.map((file) => ({ ...file, draft: `${file.path}.${randomUUID()}.tmp` }));
  const placed: string[] = [];
  try {
    for (const { path, draft, text, isPrivate } of drafts) {
      await writeFile(draft, text, { flag: "wx", mode: isPrivate ? 0o600 : 0o666 }).catch(refuse(path));
    }
    for (const { path, draft } of drafts) {
      await assertFree(path, force); // Somebody may have been faster.
      await rename(draft, path).catch(refuse(path));
      placed.push(path);
    }
  } catch (error) {
    // A file that was overwritten cannot be brought back, so its successor stays.
    const unwanted = [...drafts.map(({ draft }) => draft), ...(force ? [] : placed)];
    for (const path of unwanted) await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
}

function refuse(path: string): (error: unknown) => never {
  return (error) => {
    throw new CommandError(`${path} cannot be written (${codeOf(error)}). Give another path.`);
  };
}

async function assertFree(path: string, force: boolean): Promise<void> {
  const found = await lstat(path).catch(() => null); // What cannot be looked at cannot be written either, and says why then.
  if (found === null || (force && found.isFile())) return;
  throw new CommandError(
    found.isFile()
      ? `${path} exists already, so nothing was written. Give another path, or --force to overwrite it.`
      : `${path} is no plain file, so nothing was written. Give another path.`,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
