import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The slowest files. They run first, so that no worker is idle at the end. */
const SLOW = /\/(lifecycle|pipeline|packed|readme|installed|fleet|crash)\.test\.ts$/;

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

// Engine tests start many processes, so more workers than cores would not be faster.
export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: SlowestFirst },
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"] } },
      { test: { name: "plugin", include: ["test/plugin/**/*.test.ts"], testTimeout: 60_000 } },
      {
        test: {
          name: "engine",
          include: ["test/engine/**/*.test.ts"],
          testTimeout: 180_000,
          globalSetup: [
            "provider/tools/engine/pulumi-cli.ts",
            "provider/tools/codegen/generators.ts",
            "provider/tools/engine/python-sdk.ts",
          ],
        },
      },
    ],
  },
});
