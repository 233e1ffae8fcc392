import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";

import type { JournalEntry } from "../../../provider/src/handlers/webhook-release.js";
import { openRunJournal } from "../../../provider/src/hosts/run-journal.js";

const CLAIM: JournalEntry = {
  kind: "claim",
  servers: ["5e1f"],
  account: "default",
  webhooks: [101],
  urn: "",
  at: 1,
};

const stopping = new AbortController();
let folder: string;
beforeEach(() => {
  const parent = mkdtempSync(join(tmpdir(), "journal-"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(parent, { recursive: true });
  });
  vi.stubEnv("TMPDIR", parent);
  ({ folder } = openRunJournal("127.0.0.1:1", stopping.signal));
});

it("the processes of one run read each other's complete entries, but not their own or those of other runs", () => {
  const stopping = new AbortController();
  const journal = openRunJournal("127.0.0.1:1", stopping.signal);
  expect(journal.append(CLAIM)).toBe(true);
  const [own = ""] = readdirSync(folder);
  writeFileSync(
    join(folder, own.replace(/\d+\.jsonl$/, "0.jsonl")),
    `${JSON.stringify(CLAIM)}\n{"kind":"rel`,
  );
  expect(journal.readOthers()).toEqual([[CLAIM]]);
  expect(openRunJournal("127.0.0.1:2", stopping.signal).readOthers()).toEqual([]);
  stopping.abort();
  expect(readdirSync(folder)).not.toContain(own);
});

it("a file that a killed process left a week ago is removed", () => {
  mkdirSync(folder, { mode: 0o700 });
  const old = join(folder, "v1-0123456789abcdef-1.jsonl");
  writeFileSync(old, "");
  utimesSync(old, 0, 0);
  expect(openRunJournal("127.0.0.1:1", stopping.signal).readOthers()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

it.each<[string, () => void]>([
  [
    "others can read or write it",
    () => {
      mkdirSync(folder);
      chmodSync(folder, 0o770);
    },
  ],
  [
    "it is a link",
    () => {
      mkdirSync(`${folder}-elsewhere`, { mode: 0o700 });
      symlinkSync(`${folder}-elsewhere`, folder);
    },
  ],
  [
    "it is a file",
    () => {
      writeFileSync(folder, "");
    },
  ],
])("the folder is not used if %s", (_what, prepare) => {
  prepare();
  const journal = openRunJournal("127.0.0.1:1", stopping.signal);
  expect([journal.append(CLAIM), journal.readOthers()]).toEqual([false, null]);
});
