import * as pulumi from "@pulumi/pulumi";

import { SETTINGS, unknownSettingText } from "../setting-names.js";

/**
 * Rejects unknown arguments. TypeScript reports them, but a JavaScript program could pass options instead of arguments, as in
 * `new PartnerApiKey("checkout", { provider })`, and create the key in the default account.
 *
 * @param resource The class and name for the message, such as `PartnerApiKey "checkout"`.
 * @param args The arguments that the program passes.
 * @param known The names of all valid arguments.
 * @throws {pulumi.RunError} if there is an unknown argument.
 */
export function assertArguments(resource: string, args: unknown, known: readonly string[]): void {
  if (typeof args !== "object" || args === null) {
    throw new pulumi.RunError(`${resource} needs its arguments as an object: ${known.join(", ")}.`);
  }
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => JSON.stringify(name)).join(", ");
  const options = known.includes("provider")
    ? ""
    : " Pass resource options, such as provider, as the last argument.";
  throw new pulumi.RunError(
    `${resource} has no argument ${names}. Valid arguments: ${known.join(", ")}.${options}`,
  );
}

const NAMESPACE = "partners:";
const TOKEN = `${NAMESPACE}accessToken`;
/** The runs that have checked their stack configuration. */
const checkedRuns = new WeakSet();

/**
 * Identifies the current run of a program, because one process can have many runs with the Automation API or with mocks. Each run has
 * its own connection to the engine.
 */
export function currentRun(): object {
  return pulumi.runtime.getMonitor() ?? currentRun; // Without an engine, no resource can be registered.
}

/** Warns, once per run, about stack configuration that has no effect, and about a token in plain text. */
export function warnAboutStackSettings(): void {
  const run = currentRun();
  if (checkedRuns.has(run)) return;
  checkedRuns.add(run);
  if (pulumi.runtime.getConfig(TOKEN) !== undefined && !isSecret(TOKEN)) {
    void pulumi.log.warn(
      `${TOKEN} is stored in plain text. Run "pulumi config set --secret ${TOKEN}" and rotate the token.`,
    );
  }
  if (pulumi.getProject() === "partners") return; // In such a project, unknown names are its own settings.
  for (const key of Object.keys(pulumi.runtime.allConfig())) {
    const problem = key.startsWith(NAMESPACE) ? whyUnused(key.slice(NAMESPACE.length)) : null;
    if (problem !== null) void pulumi.log.warn(problem);
  }
}

/** Explains why a setting has no effect; returns `null` if it has an effect. */
function whyUnused(name: string): string | null {
  if (SETTINGS.includes(name)) return null;
  const key = NAMESPACE + name;
  if (name.startsWith("responses."))
    return `"${key}" was set without --path, so it has no effect. Run "pulumi config set --path '${key}' VALUE", and "pulumi config rm '${key}'".`;
  return unknownSettingText(key);
}

/** Whether a key is secret. The SDK exports `isConfigSecret` but does not declare it; without it, there is no warning. */
function isSecret(key: string): boolean {
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  return isConfigSecret?.(key) ?? true;
}
