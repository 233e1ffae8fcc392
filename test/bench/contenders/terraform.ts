import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { inheritedEnv } from "../../support/process.ts";
import { runProcess } from "../../support/process.ts";
import { onPath } from "../../support/pulumi-cli.ts";
import type { Step } from "../case.ts";
import type { Contender, Subject } from "../contender.ts";
import type { SandboxProcess } from "../sandbox-process.ts";

const BINARY = "terraform-provider-restapi";
const WEBHOOKS = "/api/v1/partners/webhooks";
const YES = ["-auto-approve", "-input=false", "-no-color"];
/** Milliseconds for one operation. */
const TIMEOUT = 1_800_000;

const COMMANDS: Readonly<Record<Step, readonly string[]>> = {
  up: ["apply", ...YES],
  "unchanged up": ["apply", ...YES],
  preview: ["plan", "-input=false", "-no-color"],
  refresh: ["apply", "-refresh-only", ...YES],
  destroy: ["destroy", ...YES],
};

/** Terraform with the provider for any REST API that most use. */
export const terraform: Contender = {
  name: "terraform",
  description: "Terraform with the Mastercard `restapi` provider, version 3",
  unavailable: async (kind) => {
    if (kind === "keys") return "measured for webhooks only";
    for (const command of ["terraform", BINARY]) {
      if ((await onPath(command)) === undefined) return `${command} is not on PATH`;
    }
    return null;
  },
  begin: async (_kind, count, sandbox) => subject(count, sandbox, dirname((await onPath(BINARY)) ?? "")),
};

async function subject(count: number, sandbox: SandboxProcess, providers: string): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), "partners-bench-"));
  const settings = join(folder, "terraform.rc");
  await writeFile(
    settings,
    `provider_installation {\n  dev_overrides { "Mastercard/restapi" = ${JSON.stringify(providers)} }\n  direct {}\n}\n`,
  );
  await writeFile(join(folder, "main.tf.json"), JSON.stringify(configuration(count, sandbox)));
  const env = { ...inheritedEnv(), TF_CLI_CONFIG_FILE: settings, CHECKPOINT_DISABLE: "1" };
  return {
    run: async (step) => {
      const { code, ms, stderr } = await runProcess("terraform", COMMANDS[step], {
        cwd: folder,
        env,
        timeoutMs: TIMEOUT,
      });
      if (code !== 0) throw new Error(`terraform ${step} failed: ${stderr}`);
      const state = await readFile(join(folder, "terraform.tfstate"));
      const requests = await sandbox.takeRequests();
      return { ms, requests, memory: null, cpu: null, stateBytes: state.length };
    },
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

/** As the provider's documentation has it for an API whose objects are only found in a list. */
function configuration(count: number, sandbox: SandboxProcess): object {
  const ids = Array.from({ length: count }, (_, index) => String(index + 1));
  return {
    terraform: { required_providers: { restapi: { source: "Mastercard/restapi" } } },
    provider: {
      restapi: {
        uri: sandbox.url,
        bearer_token: sandbox.accessToken,
        id_attribute: "webhookId",
        create_method: "PATCH",
        update_method: "PATCH",
        destroy_method: "GET", // There is nothing to undo, and to send nothing is not possible.
      },
    },
    resource: {
      restapi_object: {
        webhook: {
          for_each: Object.fromEntries(ids.map((id) => [id, "active"])),
          path: WEBHOOKS,
          create_path: `${WEBHOOKS}/\${each.key}/\${each.value}`,
          update_path: `${WEBHOOKS}/\${each.key}/\${each.value}`,
          destroy_path: WEBHOOKS,
          read_search: { search_key: "webhookId", search_value: "${each.key}" },
          data: "${jsonencode({ webhookId = tonumber(each.key), state = each.value })}",
        },
      },
    },
  };
}
