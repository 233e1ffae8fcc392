import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runProcess } from "../../provider/tools/child-process.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { createTestStack } from "../support/stack.ts";

/** The measured operations, in the order in which they run. */
export const OPERATIONS = ["up", "unchanged up", "preview", "refresh", "destroy"] as const;

type Operation = (typeof OPERATIONS)[number];

/** Creates a project that declares active webhooks with the IDs from 1 to `count`. Applies nothing. */
export type Declare = (count: number, service: Sandbox) => Promise<Project>;

interface Project {
  /** Returns the wall time of the command in milliseconds. @throws if the operation fails. */
  run(operation: Operation): Promise<number>;
  dispose(): Promise<void>;
}

/** Milliseconds for one operation. */
const TIMEOUT = 600_000;

/** Ours, each with a program that declares active webhooks with the IDs in `IDS`. */
const OURS = {
  // As in an SDK that Pulumi generates.
  native: `const { CustomResource } = require("@pulumi/pulumi");
const type = "partners:index:PartnerWebhookState";
for (const webhookId of IDS) new CustomResource(type, "webhook-" + webhookId, { webhookId, state: "active" });`,
  dynamic: `const { PartnerWebhookState } = require("pulumi-partners");
for (const webhookId of IDS) new PartnerWebhookState("webhook-" + webhookId, { webhookId, state: "active" });`,
  fleet: `const { PartnerWebhookStates } = require("pulumi-partners");
new PartnerWebhookStates("fleet", { states: Object.fromEntries(IDS.map((id) => [id, "active"])) });`,
};

/**
 * Finds the contenders that can run on this machine, ours first.
 *
 * @param plugin The folder of the native plugin's executable.
 */
export async function findContenders(plugin: string) {
  const ours =
    (name: keyof typeof OURS): Declare =>
    (count, service) =>
      pulumiProject(OURS[name], plugin, count, service);
  const found = { native: ours("native"), dynamic: ours("dynamic"), fleet: ours("fleet") };
  const { code, stdout } = await runProcess("which", ["terraform", "terraform-provider-restapi"]);
  if (code !== 0) {
    console.log("Skipping terraform: terraform or terraform-provider-restapi is not on PATH.");
    return found;
  }
  const providers = dirname(stdout.trim().split("\n").at(-1) ?? "");
  const terraform: Declare = (count, service) => terraformProject(providers, count, service);
  return { ...found, terraform };
}

async function pulumiProject(
  program: string,
  plugin: string,
  count: number,
  { url, accessToken }: Sandbox,
): Promise<Project> {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const plugins = { providers: [{ name: "partners", path: plugin }] };
  const stack = await createTestStack({
    files: {
      "Pulumi.yaml": `name: test\nruntime: nodejs\nplugins: ${JSON.stringify(plugins)}\n`,
      "Pulumi.dev.yaml": "", // The CLI protects the secrets with a passphrase, as it does for users.
      "package.json": "{}",
      "index.js": `const IDS = ${JSON.stringify(ids)};\n${program}\n`,
    },
    env: {
      PARTNERS_BASE_URL: url,
      PARTNERS_ACCESS_TOKEN: accessToken,
      NODE_COMPILE_CACHE: "", // The tests cache compiled code, but users do not.
    },
  });
  const run = async (operation: Operation): Promise<number> => {
    const result = await stack[operation === "unchanged up" ? "up" : operation]({ timeoutMs: TIMEOUT });
    if (!result.ok) throw new Error(`${operation}: ${result.error}\n${program}`);
    return result.ms;
  };
  return { run, dispose: () => stack.dispose() };
}

const COMMANDS: Readonly<Record<Operation, readonly string[]>> = {
  up: ["apply", "-auto-approve"],
  "unchanged up": ["apply", "-auto-approve"],
  preview: ["plan"],
  refresh: ["apply", "-refresh-only", "-auto-approve"],
  destroy: ["destroy", "-auto-approve"],
};

/** @param providers The folder of the restapi provider. */
async function terraformProject(
  providers: string,
  count: number,
  { url, accessToken }: Sandbox,
): Promise<Project> {
  const cwd = await mkdtemp(join(tmpdir(), "partners-bench-"));
  const settings = join(cwd, "terraform.rc");
  const override = `dev_overrides { "Mastercard/restapi" = ${JSON.stringify(providers)} }`;
  await writeFile(settings, `provider_installation {\n  ${override}\n  direct {}\n}\n`);
  await copyFile(join(import.meta.dirname, "restapi.tf"), join(cwd, "main.tf"));
  const env = {
    ...process.env,
    TF_CLI_CONFIG_FILE: settings,
    TF_VAR_url: url,
    TF_VAR_token: accessToken,
    TF_VAR_webhooks: String(count),
    CHECKPOINT_DISABLE: "1",
  };
  const run = async (operation: Operation): Promise<number> => {
    const args = [...COMMANDS[operation], "-input=false", "-no-color"];
    const { code, ms, stderr } = await runProcess("terraform", args, { cwd, env, timeoutMs: TIMEOUT });
    if (code !== 0) throw new Error(`terraform, ${operation}: ${stderr}`);
    return ms;
  };
  return { run, dispose: () => rm(cwd, { recursive: true }) };
}
