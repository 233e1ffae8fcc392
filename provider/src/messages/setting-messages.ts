import type { SettingProblem, SettingRule } from "../api/errors.js";
import { API_ROOT } from "../api/operations.js";
import { variableOf } from "../shared/settings.js";
import { sentences, settingName, type MessageContext } from "./wording.js";

/**
 * Says what is wrong with a setting or with the environment, and how to correct it. A name that is no setting
 * is only a warning, which a program can show as well: `unknownSettingText` in setting-names.ts.
 */
export function renderSettingProblem(problem: SettingProblem, context: MessageContext): string {
  switch (problem.kind) {
    case "missing": {
      const name = settingName(problem.setting, { ...context, origins: {} }); // Wherever the others are.
      if (context.account !== undefined)
        return `Set ${name}. A Provider does not read environment variables.`;
      if (context.hasNoProject) return `Set ${name}.`;
      const [secret, example] =
        problem.setting === "accessToken" ? ["--secret ", ""] : ["", " https://partners.example.com"];
      const command = `pulumi config set ${secret}partners:${problem.setting}${example}`;
      return `Set ${name}, as in "${command}".`;
    }
    case "invalid": {
      const name = settingName(problem.setting, context);
      // Until the settings can be read, nothing says which of the two it is.
      const inVariable =
        context.origins === undefined && name.startsWith("partners:responses.")
          ? " (or PARTNERS_RESPONSES)"
          : "";
      return capitalized(`${name}${inVariable} ${ruleText(problem.rule, context)}.`);
    }
    case "separatedPair": {
      const { replaced, kept } = problem;
      return sentences(
        `partners:${replaced} replaces ${variableOf(replaced)} but not ${variableOf(kept)},`,
        `so a secret could reach the wrong server. Set partners:${kept} as well.`,
      );
    }
    case "oldNode":
      return sentences(
        `Node ${problem.version} is too old.`,
        `Install Node ${problem.minimum} or newer, and put it on the PATH of the Pulumi CLI.`,
      );
    case "loggedPaths":
      return sentences(
        "NODE_DEBUG would print API keys.",
        "Remove undici, fetch, websocket and wildcards from it; use PARTNERS_DEBUG=1 instead.",
      );
    case "invalidProxy":
      return sentences(
        "The proxy in HTTPS_PROXY or HTTP_PROXY must be an http:// or https:// URL,",
        "as in http://proxy.example.com:3128.",
      );
  }
}

/** Begins a sentence. A name such as `partners:baseUrl` stays as it is. */
function capitalized(text: string): string {
  return text.replace(/^the /, "The ");
}

/** Words a broken rule so that it follows the name of the setting. */
function ruleText(rule: SettingRule, context: MessageContext): string {
  if (rule === "https") return `${RULES[rule]} ${settingName("allowTokenOverPlainHttp", context)} to true`;
  if (typeof rule === "string") return RULES[rule];
  if ("members" in rule) return `has an unknown name; valid names: ${rule.members.join(", ")}`;
  if ("reserved" in rule)
    return `must not contain the header ${rule.reserved}, which only the provider may set`;
  return `must be a number from ${rule.min} to ${rule.max}`;
}

const RULES: Readonly<Record<SettingRule & string, string>> = {
  visibleAscii: 'must contain only letters, digits and punctuation: no spaces, no newlines, no "Bearer"',
  flag: "must be true or false",
  url: "is not a URL; it should look like https://partners.example.com",
  noCredentials: "must not contain a user name or password; the access token is a separate setting",
  https:
    "must start with https://: plain http:// sends the access token and the keys unencrypted. " +
    "To accept that, as inside a cluster, set",
  noQuery: "must not contain a query or a fragment",
  noApiRoot: `must not include ${API_ROOT}, which is added automatically`,
  nativeOnly:
    "has no effect on dynamic resources. " +
    'Remove it, and set "options: { refresh: always }" in Pulumi.yaml, or ' +
    "PULUMI_OPTION_REFRESH=true",
  needsList: "must be false if readWebhooks is false",
  jsonObject: "must be a JSON object",
  headerName: "contains a name that is not valid for a header",
  headerText: "contains a value that is not text: quote it",
  headerValue:
    "contains a value that is not 1 to 8192 letters, digits and punctuation marks, " +
    "with spaces only between them",
  headerTwice: "contains a header twice; upper and lower case do not matter",
  jsonPointer: 'must be a JSON Pointer such as "/data/key"',
  parameterName: "must be the name of a query parameter, such as cursor or page[after]",
  wordList: "must be a list of one or more strings, numbers, booleans or nulls",
  distinctWords: "must not have a value in common with responses.active",
  pathSegment: "must point to a text or a number that can be part of a path",
};
