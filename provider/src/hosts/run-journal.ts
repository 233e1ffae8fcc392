import { createHash } from "node:crypto";
import { appendFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isRecord } from "../handlers/contract.js";
import { ResourceError } from "../handlers/problems.js";
import type { JournalEntry, RunJournal } from "../handlers/webhook-release.js";

/** Milliseconds after which the file of a process that was killed is removed. No run takes longer. */
const MAX_FILE_AGE = 7 * 86_400_000;

/**
 * Connects the plugin processes of one engine run through files: one per process, in a folder that only this user can access. The
 * processes of a run share the address of the engine. A file holds hashed addresses and webhook IDs, and nothing secret.
 *
 * @param engine The engine's address as host and port.
 */
export function openRunJournal(engine: string): RunJournal {
  const uid = process.getuid?.();
  const folder = join(tmpdir(), `pulumi-partners-${uid ?? "run"}`);
  const run = createHash("sha256").update(engine).digest("hex").slice(0, 16);
  const own = `v1-${run}-${process.pid}.jsonl`;
  let isStarted = false;

  /** @throws if the folder is not ours: another user could add claims, or read ours. */
  const openFolder = (): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const status = lstatSync(folder);
    const isPrivate = uid === undefined || (status.uid === uid && (status.mode & 0o077) === 0);
    if (!status.isDirectory() || !isPrivate) throw new Error("not a private folder");
  };
  const start = (): void => {
    isStarted = true;
    rmSync(join(folder, own), { force: true }); // An earlier process may have had the same ID.
    for (const name of readdirSync(folder)) {
      const { mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
      if (Date.now() - mtimeMs > MAX_FILE_AGE) rmSync(join(folder, name), { force: true });
    }
    for (const event of ["exit", "SIGINT", "SIGTERM"])
      process.once(event, () => {
        rmSync(join(folder, own), { force: true });
      });
  };
  const orRefuse = <Result>(use: () => Result): Result => {
    try {
      openFolder();
      if (!isStarted) start();
      return use();
    } catch {
      throw new ResourceError({ kind: "noRunFolder", folder });
    }
  };

  return {
    append(entry) {
      orRefuse(() => {
        appendFileSync(join(folder, own), `${JSON.stringify(entry)}\n`, { mode: 0o600 });
      });
    },
    readOthers: () =>
      orRefuse(() =>
        readdirSync(folder)
          .filter((name) => name.startsWith(`v1-${run}-`) && name !== own)
          .map((name) => entriesIn(join(folder, name))),
      ),
  };
}

/** Reads complete lines. The file may disappear, because its process ends. */
function entriesIn(file: string): JournalEntry[] {
  const lines = readIfPresent(file).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as unknown).filter(isEntry);
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function isEntry(value: unknown): value is JournalEntry {
  return isRecord(value) && Array.isArray(value["servers"]) && Array.isArray(value["webhookIds"]);
}
