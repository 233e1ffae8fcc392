import { messageOf } from "../../plugin/boundary.js";
import { findSetting, isExplicit, variableOf, type ConfigSource } from "../../plugin/setting-lookup.js";
import { readSettings, type Settings } from "../../plugin/settings.js";
import { SETTING_NAMES } from "../../setting-names.js";
import { failed, ok, warning, type Check, type SettingReport } from "./report.js";

const REQUIRED: ReadonlySet<string> = new Set(["baseUrl", "accessToken"]);

/** What is known of the settings; `settings` is `null` if they cannot be used. */
export interface SettingsExamined {
  readonly check: Check;
  readonly settings: Settings | null;
  readonly report: readonly SettingReport[];
}

/**
 * Reads the settings as the plugin does, and says where each is from.
 *
 * @param isSecret Whether a key of stack configuration is stored as a secret.
 */
export function examineSettings(
  config: ConfigSource,
  env: NodeJS.ProcessEnv,
  isSecret: (key: string) => boolean,
): SettingsExamined {
  const configuration = isExplicit(config) ? "Provider" : "stack configuration";
  const report = SETTING_NAMES.map((name): SettingReport => {
    const found = findSetting(name, config, env);
    const unset = REQUIRED.has(name) ? "missing" : "default";
    const from = found?.from === "configuration" ? configuration : (found?.from ?? unset);
    return { name, from, variable: variableOf(name) };
  });
  let settings: Settings;
  try {
    settings = readSettings(config, env);
  } catch (error) {
    return { check: failed("settings", messageOf(error)), settings: null, report };
  }
  const server = `The service is ${settings.baseUrl.origin}${settings.baseUrl.prefix}.`;
  const token = report.find(({ name }) => name === "accessToken");
  const plain = token?.from === "stack configuration" && !isSecret("partners:accessToken");
  const check = plain
    ? warning(
        "settings",
        `${server} The access token stands in stack configuration in clear text.`,
        "pulumi config set --secret partners:accessToken",
        "Then have the service replace the token.",
      )
    : ok("settings", server);
  return { check, settings, report };
}
