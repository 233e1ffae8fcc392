import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

import { drawDemo, PICTURE } from "../support/demo-picture.ts";

it("the demo does its job, and its picture in the README shows what it prints", async () => {
  const drawn = await drawDemo();
  expect(await readFile(PICTURE, "utf8"), "npm run demo:picture draws it anew").toBe(drawn);
});
