import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Run for minutes, and are small: vitest, which begins with large files, would run them last, and the second worker idle. */
const LONG = /\/test\/unit\/(fuzz\/lifecycle|loss\/loss)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// Engine tests start real processes: with more than one worker per core they only wait for each other.
export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"] } },
      { test: { name: "plugin", include: ["test/plugin/**/*.test.ts"], testTimeout: 60_000 } },
      {
        test: {
          name: "engine",
          include: ["test/engine/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 900_000, // The first run on a machine may have to build the Pulumi CLI: 5 min 40 s, measured.
          globalSetup: ["test/support/require-pulumi.ts"],
        },
      },
    ],
  },
});
