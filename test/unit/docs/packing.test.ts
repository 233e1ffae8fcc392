import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { withAbsoluteLinks } from "../../support/prepack.ts";
import { staleOutput } from "../../support/stale-output.ts";

const REPOSITORY = { version: "1.2.3", repository: { url: "git+https://github.com/someone/thing.git" } };

it.each([
  ["[a](docs/a.md)", "[a](https://github.com/someone/thing/blob/v1.2.3/docs/a.md)"],
  ["[a](docs/a.md#b)", "[a](https://github.com/someone/thing/blob/v1.2.3/docs/a.md#b)"],
  ["![a](docs/a.svg)", "![a](https://raw.githubusercontent.com/someone/thing/v1.2.3/docs/a.svg)"],
  [
    "[![a](a.svg)](a.svg)",
    "[![a](https://raw.githubusercontent.com/someone/thing/v1.2.3/a.svg)](https://github.com/someone/thing/blob/v1.2.3/a.svg)",
  ],
  ["[a](https://example.com)", "[a](https://example.com)"],
  ["[a](#b)", "[a](#b)"],
])("in the package, %s of the README becomes %s", (link, absolute) => {
  expect(withAbsoluteLinks(link, REPOSITORY)).toBe(absolute);
});

it("output without a source is stale, other output is not", async () => {
  const provider = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  onTestFinished(() => rm(provider, { recursive: true }));
  for (const folder of ["src/api", "dist/api", "dist/gone"])
    await mkdir(join(provider, folder), { recursive: true });
  const files = [
    "src/index.ts",
    "src/api/http.ts",
    "dist/.tsbuildinfo",
    "dist/index.js",
    "dist/api/http.d.ts",
  ];
  const stale = ["dist/api/old.js", "dist/api/old.d.ts", "dist/gone/index.js", "dist/index.js.map"];
  for (const file of [...files, ...stale]) await writeFile(join(provider, file), "");
  const found = await staleOutput(provider);
  expect(found.map((path) => `dist/${path}`).sort()).toEqual(stale.sort());
});
