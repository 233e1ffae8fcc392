import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runProcess } from "../../support/process.ts";
import { onPath } from "../../support/pulumi-cli.ts";
import { createTestStack } from "../../support/stack.ts";

/** What a contender manages. */
export type Kind = "webhooks" | "keys";

/** The operations that are measured, in their order. */
export const OPERATIONS = ["up", "unchanged up", "preview", "refresh", "destroy"] as const;

/** One of {@link OPERATIONS}. */
export type Operation = (typeof OPERATIONS)[number];

/** A way to manage webhooks and keys. */
export interface Contender {
  readonly name: string;
  /** What it is, for the page. */
  readonly description: string;
  readonly kinds: readonly Kind[];
  /** Declares resources without applying them: keys, or active webhooks with the IDs from 1 to `count`. */
  declare(kind: Kind, count: number, service: Service): Promise<Declared>;
}

interface Service {
  readonly url: string;
  readonly accessToken: string;
}

/** What a contender has declared. */
export interface Declared {
  /** Returns the wall time of the command in milliseconds. @throws If the operation fails. */
  run(operation: Operation): Promise<number>;
  dispose(): Promise<void>;
}

/** Milliseconds for one operation. */
const TIMEOUT = 600_000;

/** The contenders that can run on this machine, ours first. @param plugin The folder of the native plugin's executable. */
export async function findContenders(plugin: string): Promise<Contender[]> {
  const found = [
    javascript("native", "the native plugin of `pulumi-partners`", plugin),
    javascript("dynamic", "the dynamic resources of `pulumi-partners`", plugin),
    javascript("fleet", "one `PartnerWebhookStates` for all webhooks", plugin, ["webhooks"]),
    javascript("floor", "a `dynamic.Resource` whose handlers do nothing", plugin),
    javascript(
      "tutorial",
      "a hand-written `dynamic.Resource` that reads each webhook with its own `GET`",
      plugin,
    ),
  ];
  if (await onPath("pulumi-language-yaml"))
    found.push(
      yaml("yaml", "the native plugin, from a YAML program", plugin, (count) => count),
      yaml("empty yaml", "a YAML program without resources", plugin, () => 0),
    );
  else console.log("YAML is left out: pulumi-language-yaml is not on PATH.");
  const { code, stdout } = await runProcess("which", ["terraform", "terraform-provider-restapi"]);
  if (code === 0) return [...found, terraform(dirname(stdout.trim().split("\n").at(-1) ?? ""))];
  console.log("terraform is left out: terraform or terraform-provider-restapi is not on PATH.");
  return found;
}

/** @param name Also the name of the file that declares resources. */
function javascript(
  name: string,
  description: string,
  plugin: string,
  kinds: readonly Kind[] = ["webhooks", "keys"],
): Contender {
  return pulumiContender(name, description, kinds, async (kind, count) => ({
    "Pulumi.yaml": project("nodejs", plugin),
    "package.json": "{}",
    "index.js": `require("./program.cjs").${kind}(Array.from({ length: ${count} }, (_, index) => index + 1));\n`,
    "program.cjs": await readFile(join(import.meta.dirname, `${name}.cjs`), "utf8"),
  }));
}

/** @param countOf How many webhooks the program declares. */
function yaml(
  name: string,
  description: string,
  plugin: string,
  countOf: (count: number) => number,
): Contender {
  return pulumiContender(name, description, ["webhooks"], (_kind, count) => {
    const webhooks = Array.from({ length: countOf(count) }, (_, index) => {
      const properties = { webhookId: index + 1, state: "active" };
      return [`webhook-${index + 1}`, { type: "partners:PartnerWebhookState", properties }] as const;
    });
    // JSON is YAML.
    const resources = `resources: ${JSON.stringify(Object.fromEntries(webhooks))}\n`;
    return Promise.resolve({ "Pulumi.yaml": `${project("yaml", plugin)}${resources}` });
  });
}

/** The settings of a project that uses the native plugin in this folder. */
function project(runtime: string, plugin: string): string {
  const plugins = { providers: [{ name: "partners", path: plugin }] };
  return `name: test\nruntime: ${runtime}\nplugins: ${JSON.stringify(plugins)}\n`;
}

/** A program in a process of its own, as with `pulumi up`. @param filesFor Makes the project. */
function pulumiContender(
  name: string,
  description: string,
  kinds: readonly Kind[],
  filesFor: (kind: Kind, count: number) => Promise<Record<string, string>>,
): Contender {
  const declare = async (kind: Kind, count: number, service: Service): Promise<Declared> => {
    const stack = await createTestStack({
      files: await filesFor(kind, count),
      env: {
        PARTNERS_BASE_URL: service.url,
        PARTNERS_ACCESS_TOKEN: service.accessToken,
        NODE_COMPILE_CACHE: "", // The tests keep compiled code, and users do not.
        PULUMI_IGNORE_AMBIENT_PLUGINS: "false", // The language host of YAML is on PATH.
      },
    });
    const run = async (operation: Operation): Promise<number> => {
      const result = await stack[operation === "unchanged up" ? "up" : operation]({ timeoutMs: TIMEOUT });
      if (!result.ok) throw new Error(`${name}, ${operation}: ${result.error}`);
      return result.ms;
    };
    return { run, dispose: () => stack.dispose() };
  };
  return { name, description, kinds, declare };
}

const COMMANDS: Readonly<Record<Operation, readonly string[]>> = {
  up: ["apply", "-auto-approve"],
  "unchanged up": ["apply", "-auto-approve"],
  preview: ["plan"],
  refresh: ["apply", "-refresh-only", "-auto-approve"],
  destroy: ["destroy", "-auto-approve"],
};

/** @param providers The folder of the restapi provider. */
function terraform(providers: string): Contender {
  const declare = async (_kind: Kind, count: number, service: Service): Promise<Declared> => {
    const cwd = await mkdtemp(join(tmpdir(), "partners-bench-"));
    const settings = join(cwd, "terraform.rc");
    const override = `dev_overrides { "Mastercard/restapi" = ${JSON.stringify(providers)} }`;
    await writeFile(settings, `provider_installation {\n  ${override}\n  direct {}\n}\n`);
    await copyFile(join(import.meta.dirname, "restapi.tf"), join(cwd, "main.tf"));
    const env = {
      ...process.env,
      TF_CLI_CONFIG_FILE: settings,
      TF_VAR_url: service.url,
      TF_VAR_token: service.accessToken,
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
  };
  const description =
    "Terraform with the Mastercard `restapi` provider, for webhooks only. It refreshes before each plan; Pulumi does so only with `--refresh`";
  return { name: "terraform", description, kinds: ["webhooks"], declare };
}
