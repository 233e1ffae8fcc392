import * as pulumi from "@pulumi/pulumi";

import { SETTING_NAMES } from "../setting-names.js";
import { perRun } from "./run.js";

/** What all settings of stack configuration are called; a `Provider` has arguments of the same names. */
export const SETTINGS: readonly string[] = [...SETTING_NAMES, "account"];

const NAMESPACE = "partners:";
const TOKEN = `${NAMESPACE}accessToken`;
/** Whether this run of a program has been warned. */
const notice = perRun(() => ({ given: false }));

/** Warns, once in a run, of stack configuration that has no effect, or that stands in clear text and should not. */
export function warnAboutStackSettings(): void {
  const warning = notice();
  if (warning.given) return;
  warning.given = true;
  if (pulumi.runtime.getConfig(TOKEN) !== undefined && !isSecret(TOKEN)) {
    void pulumi.log.warn(
      `${TOKEN} is stored in clear text. Run "pulumi config set --secret ${TOKEN}" and rotate the token.`,
    );
  }
  if (pulumi.getProject() === "partners") return; // There, what we do not know is the project's own.
  for (const key of Object.keys(pulumi.runtime.allConfig())) {
    const problem = key.startsWith(NAMESPACE) ? whyIdle(key.slice(NAMESPACE.length)) : null;
    if (problem !== null) void pulumi.log.warn(problem);
  }
}

/** Why a setting of this name has no effect; `null` if it has. */
function whyIdle(name: string): string | null {
  if (SETTINGS.includes(name)) return null;
  const key = JSON.stringify(NAMESPACE + name);
  if (name.startsWith("responses.")) {
    return (
      `${key} was set without --path, so it has no effect. ` +
      `Run "pulumi config set --path '${NAMESPACE}${name}' VALUE", and "pulumi config rm '${NAMESPACE}${name}'".`
    );
  }
  const meant = SETTINGS.filter((known) => known.toLowerCase() === name.toLowerCase());
  const names = (meant.length > 0 ? meant : SETTINGS).map((known) => NAMESPACE + known).join(", ");
  return `${key} is no setting of pulumi-partners, so it has no effect. ${meant.length > 0 ? "It is called" : "There are"} ${names}.`;
}

/** The SDK exports this function but does not declare it; without it we cannot tell, and do not warn. */
function isSecret(key: string): boolean {
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  return isConfigSecret?.(key) ?? true;
}
