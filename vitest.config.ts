import { defineConfig } from "vitest/config";

// Engine tests start real processes: with more than one worker per core they only wait for each other.
export default defineConfig({
  test: {
    maxWorkers: 2,
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
