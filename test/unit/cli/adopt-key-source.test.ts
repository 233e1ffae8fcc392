import { expect, it, onTestFinished } from "vitest";

import { readKey } from "../../../provider/src/cli/adopt/key-source.js";

it("a terminal is not read from: it would show the key", async () => {
  const { isTTY } = process.stdin;
  onTestFinished(() => {
    process.stdin.isTTY = isTTY;
  });
  process.stdin.isTTY = true;
  await expect(readKey(null)).rejects.toThrow("Pipe it into the command");
});
