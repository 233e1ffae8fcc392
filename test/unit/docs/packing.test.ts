import { expect, it } from "vitest";

import { withAbsoluteLinks } from "../../support/prepack.ts";

const REPOSITORY = { version: "1.2.3", repository: { url: "git+https://github.com/someone/thing.git" } };

it.each([
  ["[a](docs/a.md#b)", "[a](https://github.com/someone/thing/blob/v1.2.3/docs/a.md#b)"],
  ["![a](docs/a.svg)", "![a](https://raw.githubusercontent.com/someone/thing/v1.2.3/docs/a.svg)"],
  [
    "[![a](a.svg)](a.svg)",
    "[![a](https://raw.githubusercontent.com/someone/thing/v1.2.3/a.svg)](https://github.com/someone/thing/blob/v1.2.3/a.svg)",
  ],
  ["[a](https://example.com)", "[a](https://example.com)"],
  ["[a](#b)", "[a](#b)"],
])("packing changes the link %s of the README to %s", (link, absolute) => {
  expect(withAbsoluteLinks(link, REPOSITORY)).toBe(absolute);
});
