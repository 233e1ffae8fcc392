import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { githubRunner, TASK } from "./pipeline-jobs.ts";
import { pipelineStack } from "./pipeline-stack.ts";

const IMPORT = '\nimport * as pulumi from "@pulumi/pulumi";';

/** The example, with the task `deploy` and a way to change its program. */
async function deployment() {
  const stack = await pipelineStack();
  const run = githubRunner(stack);
  const file = join(stack.cwd, "index.ts");
  const program = await readFile(file, "utf8");
  return {
    ...stack,
    deploy: async (approve = "") => {
      const results = await run("task", { "inputs.task": "deploy", "inputs.approve": approve });
      const { code, output = "" } = results.find(({ step }) => step === TASK) ?? {};
      return { code, output, digest: /^Digest of this plan: (\w{16})$/m.exec(output)?.[1] ?? "none" };
    },
    /** Writes the program anew: as it was, with one text in place of another, and more lines at its end. */
    change: (from = "", to = "", more = "") => writeFile(file, program.replace(from, to) + more),
  };
}

it("deploy: nothing happens until exactly the plan that was shown is approved", async () => {
  const { sandbox, deploy, change } = await deployment();
  const shown = await deploy();
  expect(shown.code).toBe(2);
  expect(shown.output).toContain(`To apply exactly this: node deploy.ts --approve ${shown.digest}`);

  // The same steps with another value are another plan.
  await change('state: "active"', 'state: "disabled"');
  const changed = await deploy(shown.digest);
  expect(changed.code).toBe(2);
  expect(changed.output).toContain(
    `Approved was ${shown.digest}: the plan is another one now. Nothing was changed.`,
  );
  expect(changed.digest).not.toBe(shown.digest);
  expect(sandbox.apiKeys).toEqual([]);

  await change();
  expect((await deploy(shown.digest)).code).toBe(0);
  expect(sandbox.apiKeys).toHaveLength(1);
  const nothing = await deploy();
  expect(nothing.code).toBe(0);
  expect(nothing.output).toContain("Nothing to approve: neither resources nor outputs change.");
});

it("deploy: a change of outputs or of options alone needs an approval, too", async () => {
  const { sandbox, stateFile, deploy, change } = await deployment();
  expect((await deploy((await deploy()).digest)).code).toBe(0);
  const [key = "no key"] = sandbox.apiKeys;

  const digests = new Set<string>();
  for (const [from, to, more] of [
    ["", "", '\nexport const added = "an output";'],
    [
      "export const apiKey = checkout.apiKey;",
      "export const apiKey = pulumi.unsecret(checkout.apiKey);",
      IMPORT,
    ],
    ["7 } }", "7 } }, { protect: true }", ""],
    ["7 } }", "7 } }, { retainOnDelete: true }", ""],
  ] as const) {
    await change(from, to, more);
    const shown = await deploy();
    expect(shown.code).toBe(2);
    digests.add(shown.digest);
  }
  expect(digests.size).toBe(4);
  expect(await readFile(stateFile, "utf8")).not.toMatch(
    new RegExp(`an output|retainOnDelete|"protect"|${key}`),
  );

  await change("", "", '\nexport const added = "an output";');
  expect((await deploy((await deploy()).digest)).code).toBe(0);
  expect(await readFile(stateFile, "utf8")).toContain("an output");
});

it("deploy: the engine refuses what the approved preview did not show", async () => {
  const { sandbox, deploy, change } = await deployment();
  sandbox.setWebhookState(101, "active");
  await change('state: "active"', 'state: pulumi.runtime.isDryRun() ? "active" : "disabled"', IMPORT);
  const { code, output } = await deploy((await deploy()).digest);
  expect(code).toBe(1);
  expect(output).toMatch(/orders.*violates plan/);
  expect(sandbox.webhooks.get(101)).toBe("active");
});
