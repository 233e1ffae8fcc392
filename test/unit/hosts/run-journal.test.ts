import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";

import type { JournalEntry } from "../../../provider/src/webhooks/run-claims.js";
import { openRunJournal } from "../../../provider/src/hosts/run-journal.js";

const CLAIM: JournalEntry = {
  kind: "claim",
  servers: ["5e1f"],
  account: "default",
  token: "7a0c",
  webhooks: [101],
  urn: "",
};

const stopping = new AbortController();
let folder: string;
beforeEach(() => {
  const parent = mkdtempSync(join(tmpdir(), "journal-"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    rmSync(parent, { recursive: true, force: true });
  });
  vi.stubEnv("TMPDIR", parent);
  ({ folder } = openRunJournal("127.0.0.1:1", stopping.signal, "webhooks"));
});

/** Writes the file of another process of the run, last changed at a time, and returns its name. */
function writeFor(pid: number, text: string, changedAt = Date.now()): string {
  const name = `webhooks-${createHash("sha256").update("127.0.0.1:1").digest("hex").slice(0, 16)}-${pid}.jsonl`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, name), text);
  utimesSync(join(folder, name), changedAt / 1000, changedAt / 1000);
  return name;
}

/** Starts another process. */
function startProcess(): ChildProcess & { readonly pid: number } {
  const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { stdio: "ignore" });
  onTestFinished(() => void child.kill());
  return child as ChildProcess & { readonly pid: number };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

const LINE = `${JSON.stringify(CLAIM)}\n`;

it("the processes of one run read each other's complete entries once, but not their own or those of other runs", () => {
  const journal = openRunJournal("127.0.0.1:1", stopping.signal, "webhooks");
  expect(journal.append(CLAIM)).toBe(true);
  const [{ pid }, ended] = [startProcess(), startProcess()];
  const name = writeFor(pid, `${LINE}{"kind":"rel`);
  symlinkSync("removed meanwhile", join(folder, name.replace(String(pid), String(ended.pid))));
  expect(journal.readOthers(), "a complete entry").toEqual([CLAIM]);
  expect(openRunJournal("127.0.0.1:2", stopping.signal, "webhooks").readOthers(), "another run").toEqual([]);
  expect(openRunJournal("127.0.0.1:1", stopping.signal, "keys").readOthers(), "another topic").toEqual([]);
  expect(journal.readOthers(), "the same entry").toEqual([]);
  writeFor(pid, `${LINE}{"kind":"release"}\n`);
  expect(journal.readOthers(), "a new entry").toEqual([{ kind: "release" }]);
  rmSync(join(folder, name));
  expect(journal.readOthers(), "a removed file").toEqual([]);
});

it("nothing is written after the end of the run, which removes the file", () => {
  const ending = new AbortController();
  const journal = openRunJournal("127.0.0.1:1", ending.signal, "webhooks");
  journal.append(CLAIM);
  expect(readdirSync(folder)).toHaveLength(1);
  ending.abort();
  expect(journal.append({ ...CLAIM, kind: "release" })).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

it("a file of a process that no longer lives counts only if this process could have seen it in its own run", async () => {
  const [killed, gone] = [startProcess(), startProcess()];
  await kill(gone);
  const startedAt = Date.now() - 10_000;
  writeFor(killed.pid, LINE.replace("101", "102"), startedAt - 1);
  const stale = writeFor(gone.pid, LINE, startedAt - 1);
  const journal = openRunJournal("127.0.0.1:1", stopping.signal, "webhooks", startedAt);
  expect(journal.readOthers()).toEqual([{ ...CLAIM, webhooks: [102] }]);
  expect(readdirSync(folder)).not.toContain(stale);
  await kill(killed);
  writeFor(killed.pid, LINE + LINE, startedAt + 1);
  const late = openRunJournal("127.0.0.1:1", stopping.signal, "webhooks", startedAt);
  expect(late.readOthers(), "killed after it wrote in the run").toHaveLength(2);
});

it("a file that an earlier process with our ID has left does not count", () => {
  const name = writeFor(process.pid, LINE);
  const [journal, other] = [openRunJournal("127.0.0.1:1", stopping.signal, "webhooks"), startProcess()];
  writeFor(other.pid, LINE);
  expect(journal.readOthers()).toHaveLength(1);
  journal.append(CLAIM);
  expect(readFileSync(join(folder, name), "utf8")).toBe(LINE);
});

it("a file of another run is removed if its process was killed before this one started", async () => {
  const [alive, gone] = [startProcess(), startProcess()];
  await kill(gone);
  mkdirSync(folder, { mode: 0o700 });
  const files = [
    `webhooks-a-${alive.pid}.jsonl`,
    `webhooks-b-${gone.pid}.jsonl`,
    `webhooks-c-${gone.pid}.jsonl`,
  ];
  for (const name of files) writeFileSync(join(folder, name), "");
  for (const name of files.slice(0, 2)) utimesSync(join(folder, name), 0, 0);
  openRunJournal("127.0.0.1:1", stopping.signal, "webhooks").readOthers();
  expect(readdirSync(folder).sort()).toEqual([files[0], files[2]]);
});

it.each<[string, isPrivate: boolean, () => void]>([
  [
    "others can read or write it",
    false,
    () => {
      mkdirSync(folder);
      chmodSync(folder, 0o770);
    },
  ],
  [
    "the folder for temporary files does not exist, or is /proc",
    true,
    () => {
      rmSync(join(folder, ".."), { recursive: true });
      vi.stubEnv("TMPDIR", existsSync("/proc") ? "/proc" : join(folder, ".."));
    },
  ],
  [
    "it is another user's",
    false,
    () => {
      const user = Number(process.getuid?.()) + 1;
      mkdirSync(folder.replace(/\d+$/, String(user)), { mode: 0o700 });
      vi.spyOn(process, "getuid").mockReturnValue(user);
    },
  ],
  [
    "it is a link",
    false,
    () => {
      mkdirSync(`${folder}-elsewhere`, { mode: 0o700 });
      symlinkSync(`${folder}-elsewhere`, folder);
    },
  ],
  [
    "it is a file",
    false,
    () => {
      writeFileSync(folder, "");
    },
  ],
])("the folder is not used if %s", (_what, isPrivate, prepare) => {
  prepare();
  const journal = openRunJournal("127.0.0.1:1", stopping.signal, "webhooks");
  expect([journal.append(CLAIM), journal.readOthers()]).toEqual([false, null]);
  expect(journal.isPrivate).toBe(isPrivate);
});
