import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Run longest. vitest begins with large files, which these are not all, and a worker would be idle at the end. */
const LONG = /\/(lifecycle|pipeline|packed|readme)\.test\.ts$/;

/** Run only by `npm run test:long`. */
const LONG_ONLY =
  Number(process.env["PARTNERS_TEST_SCALE"] ?? 1) < 10 ? ["test/engine/installed.test.ts"] : [];

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
          exclude: LONG_ONLY,
          testTimeout: 180_000,
          globalSetup: ["pulumi-cli", "codegen", "python"].map((name) => `test/support/${name}.ts`),
        },
      },
    ],
  },
});
