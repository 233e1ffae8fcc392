import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

import { CommandError } from "./command.js";

const INSTALL = "https://www.pulumi.com/docs/install/";

/** What the CLI says, and what that means for the user. What it prints itself is never repeated: a backend's address can hold a password. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/no stack selected/, 'no stack is selected. Run "pulumi stack select", or give --stack.'],
  [/no stack named/, 'there is no stack of that name. "pulumi stack ls" lists those that exist.'],
  [/incorrect passphrase/, "the passphrase is wrong. Correct PULUMI_CONFIG_PASSPHRASE."],
  [
    /passphrase must be set/,
    "the passphrase is not known. Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE.",
  ],
  [/PULUMI_ACCESS_TOKEN must be set/, 'you are not logged in. Run "pulumi login".'],
  [/no Pulumi.* project file found/, "there is no Pulumi.yaml here."],
];

/**
 * Runs the Pulumi CLI and waits for it; it never asks anything.
 *
 * @param args The command, such as `["stack", "export"]`.
 * @param cwd The folder it works in.
 * @returns What it printed on stdout. Secret where it was asked for secrets.
 * @throws {CommandError} that says why it failed, as far as that is known, and never what the CLI printed.
 */
export async function pulumi(args: readonly string[], cwd: string): Promise<string> {
  const child = spawn("pulumi", [...args, "--non-interactive"], {
    cwd,
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]).catch(
    (error: unknown) => {
      throw new CommandError(whyNotStarted(error));
    },
  );
  if (code === 0) return stdout;
  const [, reason] = REASONS.find(([pattern]) => pattern.test(stderr)) ?? [];
  const command = `pulumi ${args.filter((arg) => arg !== "--show-secrets").join(" ")}`;
  throw new CommandError(
    `"${command}" failed: ${reason ?? `exit code ${String(code)}. Run it yourself to see why.`}`,
  );
}

/** {@link pulumi}, its output parsed. @throws {CommandError} */
export async function pulumiJson(args: readonly string[], cwd: string): Promise<unknown> {
  const stdout = await pulumi(args, cwd);
  try {
    return JSON.parse(stdout) as unknown;
  } catch {
    // No cause: the message of JSON.parse repeats its input.
    throw new CommandError(
      `"pulumi ${args[0] ?? ""}" printed something that is not JSON. Update the Pulumi CLI.`,
    );
  }
}

/** The flags that name a stack to the CLI. @param stack Its name. @default the one that is selected */
export function stackFlags(stack: string | undefined): string[] {
  return stack === undefined ? [] : ["--stack", stack];
}

function whyNotStarted(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  if (code === "ENOENT") return `The Pulumi CLI was not found on PATH. Install it: ${INSTALL}`;
  return `The Pulumi CLI could not be started (${code}). Install it anew: ${INSTALL}`;
}
