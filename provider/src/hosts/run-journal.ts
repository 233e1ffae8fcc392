import { createHash } from "node:crypto";
import { appendFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { JournalEntry, RunJournal } from "../handlers/webhook-release.js";

/** Milliseconds after which the file of a process that was killed is removed. No run takes longer. */
const MAX_FILE_AGE = 7 * 86_400_000;

/**
 * Connects the plugin processes of one engine run through files: one per process, in a folder that only this user can access. The
 * processes of a run share the address of the engine. A file holds hashed addresses, account names, webhook IDs and URNs, and nothing secret.
 *
 * @param engine The engine's address as host and port.
 * @param stopping Aborts when the run ends. From then on, no process of the run lets go of webhooks.
 */
export function openRunJournal(engine: string, stopping: AbortSignal): RunJournal {
  const folder = join(tmpdir(), `pulumi-partners-${process.getuid?.() ?? "run"}`);
  const run = `v1-${createHash("sha256").update(engine).digest("hex").slice(0, 16)}-`;
  const own = join(folder, `${run}${process.pid}.jsonl`);
  const read = new Map<string, JournalEntry[]>();
  let isOpen = false;
  const use = <Result>(access: () => Result): Result | null => {
    try {
      assertPrivate(folder);
      if (!isOpen) open(folder, own, stopping);
      isOpen = true;
      return access();
    } catch {
      return null;
    }
  };
  return {
    folder,
    append: (entry) =>
      use(() => {
        appendFileSync(own, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
        return true;
      }) ?? false,
    readOthers: () =>
      use(() =>
        readdirSync(folder)
          .filter((name) => name.startsWith(run))
          .map((name) => join(folder, name))
          .filter((file) => file !== own)
          .map((file) => entriesIn(file, read)),
      ),
  };
}

/** Creates the folder if necessary. @throws if it is not ours: another user could add claims. */
function assertPrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const status = lstatSync(folder);
  const uid = process.getuid?.();
  const isPrivate = uid === undefined || (status.uid === uid && (status.mode & 0o077) === 0);
  if (!status.isDirectory() || !isPrivate) throw new Error("not a private folder");
}

/** Removes old files, and at the end of the run this process's own. */
function open(folder: string, own: string, stopping: AbortSignal): void {
  rmSync(own, { force: true }); // An earlier process may have had the same ID.
  for (const file of readdirSync(folder).map((name) => join(folder, name))) {
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    if (Date.now() - mtimeMs > MAX_FILE_AGE) rmSync(file, { force: true });
  }
  stopping.addEventListener("abort", () => {
    rmSync(own, { force: true });
  });
}

/**
 * Returns the complete lines of a file; none if its process has ended and removed it. A run asks for each of its webhooks, so a line
 * is parsed only once: files only grow.
 */
function entriesIn(file: string, read: Map<string, JournalEntry[]>): readonly JournalEntry[] {
  try {
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    const entries = read.get(file) ?? [];
    for (const line of lines.slice(entries.length)) entries.push(JSON.parse(line) as JournalEntry);
    read.set(file, entries);
    return entries;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
