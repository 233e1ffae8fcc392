import { expect, it } from "vitest";

import { quoteForShell } from "../../provider/src/setting-messages.js";

it.each<[text: string, posix: string, windows: string]>([
  ["/data/key", "/data/key", "/data/key"],
  ["--stack", "--stack", "--stack"],
  ["", "''", "''"],
  ["partners:responses.active[0]", "'partners:responses.active[0]'", "'partners:responses.active[0]'"],
  ["/it's $HOME", "'/it'\\''s $HOME'", "'/it''s $HOME'"],
  ["C:\\Users\\me", "'C:\\Users\\me'", "'C:\\Users\\me'"],
  ["@splatted", "'@splatted'", "'@splatted'"],
  ["a\u2019b", "'a\u2019b'", "'a\u2019\u2019b'"], // PowerShell reads typographic quotes as quotes.
])("%j is quoted for a POSIX shell, and for PowerShell on Windows", (text, posix, windows) => {
  expect([quoteForShell(text, "linux"), quoteForShell(text, "darwin")]).toEqual([posix, posix]);
  expect(quoteForShell(text, "win32")).toBe(windows);
});
