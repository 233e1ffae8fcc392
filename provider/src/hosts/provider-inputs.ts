import { UNKNOWN, type Properties } from "../shared/properties.js";
import type { ConfigSource } from "../shared/settings.js";
import {
  ACCOUNT_KEY,
  accountText,
  DEFAULT_ACCOUNT,
  EXPLICIT_KEY,
  NUMERIC_TOKEN,
  SETTINGS,
} from "../setting-names.js";

const NAMESPACE = "partners:";
const [ACCOUNT, EXPLICIT] = [ACCOUNT_KEY.slice(NAMESPACE.length), EXPLICIT_KEY.slice(NAMESPACE.length)];

/**
 * Adds to a provider's inputs the name of its account, and whether the provider is explicit, which means that
 * it does not read the environment. Both are stored, so they also apply to a `destroy`, which runs without a
 * program.
 */
export function checkedProviderInputs(urn: string, news: Properties): Properties {
  const [, , type, ...rest] = urn.split("::");
  const name = rest.join("::");
  const explicit = type !== "pulumi:providers:partners" || !isDefaultName(name, news);
  const account = nameOrNull(news) ?? (explicit ? name : DEFAULT_ACCOUNT);
  return { ...news, ...unknownHeaders(news), [ACCOUNT]: account, [EXPLICIT]: String(explicit) };
}

/** Makes headers unknown as a whole if one of them is: an encrypted value holds no placeholder. */
function unknownHeaders({ headers }: Properties): Properties {
  return JSON.stringify(headers ?? null).includes(UNKNOWN) ? { headers: UNKNOWN } : {};
}

/** Returns what is wrong with the types of a provider's inputs, as sentences. */
export function wrongTypes(news: Properties): string[] {
  const failures: string[] = [];
  try {
    accountText(news[ACCOUNT]);
  } catch (error) {
    failures.push((error as TypeError).message);
  }
  if (typeof news["accessToken"] === "number") failures.push(NUMERIC_TOKEN);
  return failures;
}

/** Returns the name of the account; `null` if it is not set, or is no name. */
function nameOrNull(inputs: Properties): string | null {
  try {
    return accountText(valueOf(inputs, ACCOUNT));
  } catch {
    return null;
  }
}

/**
 * Whether the inputs went through {@link checkedProviderInputs}. Those of `pulumi do` do not: it has no
 * program and no stack.
 */
export function areChecked(inputs: Properties): boolean {
  return valueOf(inputs, EXPLICIT) !== undefined;
}

/** Returns the names of inputs that have no effect, apart from those that the engine adds. */
export function unknownSettings(news: Properties): string[] {
  const known: string[] = [...SETTINGS, "version", "pluginDownloadURL", EXPLICIT];
  return Object.keys(news).filter((name) => !known.includes(name) && !name.startsWith("__"));
}

/**
 * Whether the engine would give this name to a default provider: `default`, with a version `default_0_1_0`,
 * and with a `pluginDownloadURL` `default_0_1_0_github_/api.github.com/owner`. The engine does not pass that
 * URL.
 */
function isDefaultName(name: string, { version }: Properties): boolean {
  const start = typeof version === "string" ? `default_${version.replace(/[.+-]/g, "_")}` : "default";
  return name === start || (name.startsWith(start) && /^_[a-z]+_\/./.test(name.slice(start.length)));
}

/** Reads settings from a provider's inputs. */
export function configSource(inputs: Properties): ConfigSource {
  return {
    get: (key) => {
      if (key === ACCOUNT_KEY) return nameOrNull(inputs) ?? undefined;
      const value = valueOf(inputs, key.slice(NAMESPACE.length));
      return value == null || typeof value === "string" ? (value ?? undefined) : JSON.stringify(value);
    },
  };
}

/**
 * Returns the settings that differ. A new account name replaces an explicit provider together with its
 * resources. The default provider is only updated: its resources reject the new account, but a replacement
 * would stay in the state, and later replace every key.
 */
export function diffProviderInputs(olds: Properties, news: Properties) {
  const comparable = (inputs: Properties, name: string): unknown =>
    name === ACCOUNT ? nameOrNull(inputs) : valueOf(inputs, name);
  const changed = SETTINGS.filter(
    (name) => JSON.stringify(comparable(olds, name)) !== JSON.stringify(comparable(news, name)),
  );
  // A missing name is not a change: the provider of dynamic resources, from which a stack may have moved, has
  // no account name.
  const isReplaced =
    valueOf(news, EXPLICIT) !== "false" && [olds, news].every((inputs) => nameOrNull(inputs) !== null);
  return { changed, replaces: changed.filter((name) => name === ACCOUNT && isReplaced) };
}

/** Returns an input. The provider of dynamic resources names its inputs by their full configuration keys. */
function valueOf(inputs: Properties, name: string): unknown {
  return inputs[name] ?? inputs[NAMESPACE + name];
}
