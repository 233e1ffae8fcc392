import { createHash } from "node:crypto";
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  type Stats,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Journal } from "../shared/journal.js";

/** A part of the journal: each process has a file for each topic that it writes about. */
export type JournalTopic = "webhooks" | "keys";

/**
 * Connects the plugin processes of one engine run through files: one per process, in a folder that only this
 * user can access. The processes of a run share the address of the engine. A file holds hashed addresses,
 * account names, webhook IDs, URNs, fingerprints of keys and hashes that need the access token, and nothing
 * secret.
 *
 * It is among the temporary files, not in PULUMI_HOME: several machines may share a home, and on each, an
 * address or a process ID means something else.
 *
 * @param engine The engine's address as host and port.
 * @param ending Aborts when the run ends. From then on, nothing is written, and no process of the run sends a
 * change.
 * @param startedAt When this process started, in milliseconds since the epoch.
 */
export function openRunJournal<Entry>(
  engine: string,
  ending: AbortSignal,
  topic: JournalTopic,
  startedAt = Date.now() - process.uptime() * 1000,
): Journal<Entry> {
  const folder = join(tmpdir(), `pulumi-partners-${process.getuid?.() ?? "run"}`);
  const run = `${topic}-${createHash("sha256").update(engine).digest("hex").slice(0, 16)}-`;
  const own = `${run}${process.pid}.jsonl`;
  /** How far each file of the run has been read, in bytes. */
  const offsets = new Map<string, number>();

  /**
   * Creates the folder if necessary, and removes what other processes left there: before our engine started,
   * another one could have had its address, or another process our ID.
   */
  const open = (): void => {
    createFolder(folder);
    assertPrivate(folder);
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      if (name === own || isLeftOver(file, startedAt)) rmSync(file, { force: true });
    }
    ending.addEventListener("abort", () => {
      rmSync(join(folder, own), { force: true });
    });
  };
  let isOpen = false;
  const isOther = (name: string): boolean => name.startsWith(run) && name !== own;
  const use = <Result>(access: () => Result): Result | null => {
    try {
      if (!isOpen) open();
      isOpen = true;
      return access();
    } catch {
      return null;
    }
  };
  /** Returns the new entries of a file. */
  const readOn = (name: string): Entry[] => {
    const file = join(folder, name);
    const offset = offsets.get(name) ?? 0;
    // Its process may just have ended and removed it.
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= offset) return [];
    const added = readFileSync(file).subarray(offset);
    const complete = added.subarray(0, added.lastIndexOf("\n") + 1);
    offsets.set(name, offset + complete.length);
    return complete
      .toString()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Entry);
  };
  return {
    folder,
    get isPrivate() {
      try {
        return isOwn(lstatSync(folder));
      } catch {
        return true; // It does not exist, or cannot be looked at.
      }
    },
    append: (entry) => {
      if (ending.aborted) return true;
      const line = `${JSON.stringify(entry)}\n`;
      return use(() => (appendFileSync(join(folder, own), line, { mode: 0o600 }), true)) ?? false;
    },
    readOthers: () => use(() => readdirSync(folder).filter(isOther).flatMap(readOn)),
  };
}

/**
 * Whether a file is left over: the process in its name is gone, and nothing was written lately.
 *
 * @param since Until when nothing may have been written, in milliseconds since the epoch. After that, the
 * file may be of a run that goes on without the process.
 */
function isLeftOver(file: string, since: number): boolean {
  if (isAlive(processOf(file))) return false;
  // Asked second, because until then the process may have written.
  const modifiedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
  return modifiedAt < since;
}

/** Returns the ID of the process that writes a file, such as 42 for `keys-0123456789abcdef-42.jsonl`. */
function processOf(file: string): number {
  return Number(/-([0-9]+)\.jsonl$/.exec(file)?.[1] ?? NaN);
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // Or of another user, who cannot have written the file.
  }
}

/**
 * Creates the folder, but not the one for temporary files: below a missing folder of /proc, a recursive call
 * never returns.
 */
function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** @throws if the folder is not ours: another user could add claims. */
function assertPrivate(folder: string): void {
  if (!isOwn(lstatSync(folder))) throw new Error("not a private folder");
}

function isOwn(status: Stats): boolean {
  const uid = process.getuid?.();
  const isPrivate = uid === undefined || (status.uid === uid && (status.mode & 0o077) === 0);
  return status.isDirectory() && isPrivate;
}
