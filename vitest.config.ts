import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The slowest files, slowest first. They run first, so that no worker is idle at the end. */
const SLOWEST = [
  "runbooks",
  "guides",
  "adoption",
  "docs",
  "secrets",
  "life",
  "accounts",
  "pipeline",
  "examples",
  "hooks",
  "crash",
].map((name) => `/engine/${name}.test.ts`);
/** The others run by project. A file of the last one takes about a second. */
const PROJECTS = ["engine", "plugin", "unit"];

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const index = SLOWEST.findIndex((name) => moduleId.endsWith(name));
      return index === -1 ? SLOWEST.length + PROJECTS.indexOf(project.name) : index;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

// Engine tests start many processes, but also wait, so that one more worker than cores is faster.
export default defineConfig({
  test: {
    maxWorkers: 3,
    sequence: { sequencer: SlowestFirst },
    projects: [
      // No file changes what others import, so files share modules: to load the SDK takes longer than a test.
      { test: { name: "unit", isolate: false, include: ["test/unit/**/*.test.ts"], testTimeout: 30_000 } },
      {
        test: {
          name: "plugin",
          isolate: false,
          include: ["test/plugin/**/*.test.ts"],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "engine",
          isolate: false,
          include: ["test/engine/**/*.test.ts"],
          testTimeout: 180_000,
          globalSetup: "provider/tools/engine/pulumi-cli.ts",
        },
      },
    ],
  },
});
