import { join } from "node:path";
import { expect, it } from "vitest";

import { LONG } from "../support/random.ts";
import { age, editState, environmentFor, exampleProject, expectShown, sandboxFor } from "./support.ts";

it.each(["pipeline", "pipeline-yaml"])(
  "%s: a preview, an approved deployment, a nightly rotation with drift, its repair, and a killed run",
  { timeout: 300_000 }, // There are many steps, and each starts several processes.
  async (example) => {
    const sandbox = await sandboxFor();
    const { engine, pulumi, shell } = await exampleProject(example, {
      ...environmentFor(sandbox),
      PULUMI_STACK: "production",
    });
    await pulumi("stack", "init", "production");
    const stateFile = join(engine.backendDir, `.pulumi/stacks/partners-${example}/production.json`);
    /** Runs the scripts of a job until one fails. @returns The exit code and everything that was printed. */
    const run = async (...scripts: string[]) => {
      const { code, stdout, stderr } = await shell(scripts.join("\n"));
      return { code, output: stdout + stderr };
    };

    // The plugin is installed here. source-plugin.test.ts runs it from its sources.
    const install = "sed -i 's/^  partners:.*/  partners: partners@0.1.0/' Pulumi.yaml; pulumi install";
    if (example === "pipeline-yaml") expect(await run(install)).toMatchObject({ code: 0 });
    // A lookup is a step of every preview, and nothing to approve.
    else await run("echo 'void partners.getPartnerWebhooks();' >> index.ts");

    // Both examples have the same scripts, so in a short run, YAML proves only that its program is valid.
    const isWhole = example === "pipeline" || LONG;
    if (isWhole) {
      sandbox.removeWebhook(103);
      expect(await run("ci/preview.sh")).toMatchObject({ code: 1 });
      expect((await run("cat preview.log")).output).toContain("Webhook 103");
      sandbox.addWebhook(103, "active");
    }

    // Nothing changes until someone approves exactly the plan that was shown.
    const deploy = (approve = "") => run(`export APPROVE=${approve}`, "ci/task.sh deploy");
    const other = await deploy("0123456789abcdef");
    expect(other.code).toBe(2);
    expect(sandbox.apiKeys).toEqual([]);
    if (!isWhole) return;
    const digest = /^Digest of this plan: (\w{16})$/m.exec(other.output)?.[1];
    expect(await deploy(digest)).toMatchObject({ code: 0 });
    const [first] = sandbox.apiKeys;
    const again = await deploy();
    expect(again, again.output).toMatchObject({ code: 0 });
    expect(again.output).toContain("Nothing to do");

    await age(stateFile, 90);
    sandbox.setWebhookState(103, "active");
    const night = await run("ci/up.sh", "ci/drift.sh");
    expect(night.code).toBe(7);
    if (example === "pipeline") await expectShown("docs/pipelines.md", night.output);
    expect(sandbox.apiKeys).toEqual([first, expect.any(String)]);

    expect(await run("ci/task.sh repair-drift")).toMatchObject({ code: 0 });
    expect(sandbox.webhooks.get(103)).toBe("disabled");

    if (LONG) {
      // As the comment in Pulumi.yaml says. The first run applies the setting.
      const inEveryRun = "sed -Ei 's/^# (config:|options:|  )/\\1/' Pulumi.yaml";
      expect(await run(inEveryRun, "ci/up.sh")).toMatchObject({ code: 0 });
      sandbox.setWebhookState(103, "active");
      expect(await run("ci/up.sh")).toMatchObject({ code: 0 });
      expect(sandbox.webhooks.get(103)).toBe("disabled");
      await run("sed -Ei '/^(config|options):/,+1d' Pulumi.yaml", "ci/up.sh");
    }

    // The state of a CLI that was killed after it created keys and before it saved them. Nothing changes
    // until a person has looked.
    await editState(stateFile, ({ checkpoint: { latest } }) => {
      const key = latest.resources.find(({ type }) => type.endsWith(":PartnerApiKey"));
      const created = { ...key, urn: `${key?.urn ?? ""}-new`, outputs: {} };
      latest.pending_operations = [
        { type: "creating", resource: created },
        { type: "updating", resource: key },
      ];
    });
    sandbox.clearRequests();
    expect(await run("ci/up.sh")).toMatchObject({ code: 1 });
    const { code, output } = await deploy(digest);
    expect(code).toBe(1);
    await expectShown("docs/pipelines.md", output);
    expect(sandbox.requests).toEqual([]);
    expect(await run("ci/task.sh forget-interrupted", "ci/up.sh")).toMatchObject({ code: 0 });
  },
);
