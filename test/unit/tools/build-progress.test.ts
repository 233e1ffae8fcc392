import { expect, it } from "vitest";

import { BuildProgress } from "../../../provider/tools/go-build.ts";

it("the build of a Pulumi CLI counts modules and packages, each once", () => {
  const progress = new BuildProgress();
  const described = (...lines: string[]): string => {
    for (const line of lines) progress.read(line);
    return progress.describe();
  };
  expect(described()).toBe("0 of ? packages compiled");
  expect(
    described("go: downloading github.com/spf13/cobra v1.9.1", "go: downloading gocloud.dev v0.37.0"),
  ).toBe("2 modules downloaded, 0 of ? packages compiled");
  progress.total = 3;
  expect(described("internal/goarch", "github.com/spf13/cobra", "github.com/spf13/cobra")).toBe(
    "2 modules downloaded, 2 of 3 packages compiled",
  );
  // Errors and warnings are not progress.
  expect(described("# github.com/spf13/cobra", "./args.go:12:2: undefined: x", "go: warning: no match")).toBe(
    "2 modules downloaded, 2 of 3 packages compiled",
  );
});
