import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

import type { Workflow } from "../../support/pipeline.ts";
import { page } from "./tables.ts";

const FOLDER = ".github/workflows";

it.each(readdirSync(join(import.meta.dirname, "../../..", FOLDER)))(
  "%s runs fixed versions of actions, with no more than it needs",
  (file) => {
    const workflow = page(`${FOLDER}/${file}`);
    const uses = [...workflow.matchAll(/uses: (.*)/g)].map(([, action = ""]) => action);
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(action).toMatch(/^(\.\/|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d)/);
    // The whole workflow can read at most; a job that needs more says so itself.
    expect(workflow).toMatch(/^permissions:( \{\}|\n {2}contents: read)\n\n/m);
    expect(workflow.match(/(\w[\w-]*): write/g) ?? []).toEqual(
      file === "release.yml" ? ["contents: write", "id-token: write"] : [],
    );
    expect(workflow).not.toContain("pull_request_target");
    expect(workflow.match(/actions\/checkout@/g)?.length).toBe(
      workflow.match(/persist-credentials: false/g)?.length,
    );
  },
);

it("the job that can publish runs nothing but the publication of what another has packed", () => {
  const { jobs } = parse(page(`${FOLDER}/release.yml`)) as Pick<Workflow, "jobs">;
  const publishing = Object.values(jobs).filter(({ permissions }) => permissions?.["id-token"] === "write");
  const steps = publishing.flatMap((job) => job.steps);
  expect(steps.map(({ run, uses }) => run ?? uses?.replace(/@.*/, ""))).toEqual([
    "actions/setup-node",
    "actions/download-artifact",
    "npm publish ./pulumi-partners-*.tgz --provenance --access public",
  ]);
});

it("the job that creates the release runs nothing that came with the code", () => {
  const { jobs } = parse(page(`${FOLDER}/release.yml`)) as Pick<Workflow, "jobs">;
  const releasing = Object.values(jobs).filter(({ permissions }) => permissions?.["contents"] === "write");
  const steps = releasing.flatMap((job) => job.steps);
  expect(steps.map(({ run, uses }) => run?.replace(/ .*/s, "") ?? uses?.replace(/@.*/, ""))).toEqual([
    "actions/download-artifact",
    "sha256sum",
  ]);
});

it("the changelog has the version of the package", () => {
  const { version } = JSON.parse(page("provider/package.json")) as { version: string };
  expect(page("CHANGELOG.md")).toContain(`\n## [${version}]`);
  expect(page("CHANGELOG.md")).toContain(`\n[${version}]: https://`);
});
