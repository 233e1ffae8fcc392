import { UNKNOWN, type Properties } from "../handlers/contract.js";
import type { ConfigSource } from "../handlers/settings.js";
import { ACCOUNT_KEY, DEFAULT_ACCOUNT, EXPLICIT_KEY, SETTINGS } from "../setting-names.js";

const NAMESPACE = "partners:";
const [ACCOUNT, EXPLICIT] = [ACCOUNT_KEY.slice(NAMESPACE.length), EXPLICIT_KEY.slice(NAMESPACE.length)];

/**
 * Completes the inputs of a provider: with its account, and whether it is an explicit one, which takes nothing from the
 * environment. Both then hold in every operation, also in a `destroy` that has no program.
 */
export function checkedProviderInputs(urn: string, news: Properties): Properties {
  const name = urn.split("::").slice(3).join("::");
  const explicit = !DEFAULT_PROVIDER.test(name);
  const account = news[ACCOUNT] || (explicit ? name : DEFAULT_ACCOUNT); // An empty one counts as not set.
  return { ...news, [ACCOUNT]: account, [EXPLICIT]: String(explicit) };
}

/** Names of inputs that have no effect. The engine adds some of its own. */
export function unknownSettings(news: Properties): string[] {
  const engines = ["version", "pluginDownloadURL", EXPLICIT];
  return Object.keys(news).filter(
    (name) => ![...SETTINGS, ...engines].includes(name) && !name.startsWith("__"),
  );
}

/**
 * How the engine calls the provider that stack configuration makes: `default`, with a version such as `default_0_1_0`, and with
 * the address of a `pluginDownloadURL` such as `default_0_1_0_github_/api.github.com/owner`.
 */
const DEFAULT_PROVIDER = /^default(_\d+_\d+_\d+\w*)?(_[a-z]+_\/.+)?$/;

/** Whether something is not known yet, at any depth; the engine passes objects on as they are, or as JSON. */
export function hasUnknown(inputs: Properties): boolean {
  return JSON.stringify(inputs).includes(UNKNOWN);
}

/** The inputs of a provider as a source of settings. */
export function configSource(inputs: Properties): ConfigSource {
  return {
    get: (key) => {
      const value = valueOf(inputs, key.slice(NAMESPACE.length));
      return value == null || typeof value === "string" ? (value ?? undefined) : JSON.stringify(value);
    },
  };
}

/**
 * Which settings differ. Another account replaces a provider of the program, and with it all that it has created. That of stack
 * configuration is updated: its resources refuse another account, and a replacement would outlive that, and replace every key.
 */
export function diffProviderInputs(
  olds: Properties,
  news: Properties,
): { readonly changed: string[]; readonly replaces: string[] } {
  const changed = SETTINGS.filter(
    (name) => JSON.stringify(valueOf(olds, name)) !== JSON.stringify(valueOf(news, name)),
  );
  // A name that is absent says nothing: the provider of dynamic resources, from which a stack can move here, has none.
  const isReplaced =
    valueOf(news, EXPLICIT) !== "false" &&
    [olds, news].every((inputs) => typeof valueOf(inputs, ACCOUNT) === "string");
  return { changed, replaces: changed.filter((name) => name === ACCOUNT && isReplaced) };
}

/** The provider of dynamic resources has the keys of stack configuration as names. */
function valueOf(inputs: Properties, name: string): unknown {
  return inputs[name] ?? inputs[NAMESPACE + name];
}
