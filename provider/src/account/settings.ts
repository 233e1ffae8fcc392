import { parseMapping, type ResponseMapping } from "../bodies/response-mapping.js";
import type { ServiceSettings } from "../partner-api/client.js";
import { PartnerError } from "../partner-api/errors.js";
import {
  invalidSetting,
  invalidSettings,
  memberProposal,
  missingSetting,
  missingVariable,
  oldNode,
  quoteForShell,
  unusedVariable,
  type NameSetting,
  type ProposeMember,
  type SettingPlace,
} from "../setting-messages.js";
import {
  ACCOUNT,
  accountOf,
  DEFAULT_ACCOUNT,
  EXPLICIT,
  NAMESPACE,
  SECRET_SETTINGS,
  SETTING_NAMES,
  variableOf,
  type SettingName,
} from "../setting-names.js";
import { parseBaseUrl, parseHeaders, parseSeconds, parseToken, type Parser } from "./setting-parsers.js";

/** Returns the decrypted values of keys such as `partners:baseUrl`. */
export interface ConfigSource {
  get(key: string): string | undefined;
}

/** The validated settings of one account. */
export interface Settings extends ServiceSettings {
  readonly responses: ResponseMapping;
  /** The address of the account, as the state records it; then its previous address, if it has moved. */
  readonly servers: readonly [string, ...string[]];
}

/** The minimum that undici 8 declares in its package.json: major and minor version. */
const MIN_NODE = [22, 19] as const;
const REQUIRED: readonly SettingName[] = ["baseUrl", "accessToken"];

/** Reads the settings of one account: from stack configuration and the environment, or from a `Provider`. */
export class SettingsReader {
  readonly #source: ConfigSource;
  readonly #env: NodeJS.ProcessEnv;
  readonly #hasStack: boolean;

  /**
   * @param env Ignored by a `Provider`, which could otherwise send the token of another account.
   * @param hasStack Whether there is stack configuration: not in `pulumi do`.
   */
  constructor(source: ConfigSource, env: NodeJS.ProcessEnv, hasStack = true) {
    this.#source = source;
    this.#env = this.isExplicit ? {} : env;
    this.#hasStack = hasStack;
  }

  /** Whether the settings are the arguments of a `Provider`. */
  get isExplicit(): boolean {
    return this.#source.get(NAMESPACE + EXPLICIT) === "true";
  }

  /** The name of the account. Resources keep it as an input. */
  get account(): string {
    return accountOf(this.#source.get(NAMESPACE + ACCOUNT), null);
  }

  /** See {@link NameSetting}. Names a setting by where it is set; if unset, by where the address is. */
  readonly settingName: NameSetting = (name) => {
    const [setting = "", member] = name.split(".");
    const variable = variableOf(setting);
    return {
      Provider: `the Provider's ${name}`,
      configuration: quoteForShell(NAMESPACE + name),
      environment: member === undefined ? variable : `${member} in ${variable}`,
    }[this.#placeOf(setting)];
  };

  /** See {@link ProposeMember}. */
  readonly proposeMember: ProposeMember = (member, values) =>
    memberProposal(this.#placeOf("responses"), this.#responses(), member, values);

  /** Whether a run without a program may use settings of the last `up` that have changed since. */
  get usesStoredSettings(): boolean {
    const isConfigured = SETTING_NAMES.some((name) => this.#configured(name) !== null);
    const isMissing = REQUIRED.some((name) => this.#text(name) === null); // It may have been set since.
    return isConfigured || isMissing || this.account !== DEFAULT_ACCOUNT;
  }

  /** Returns where the value of a setting comes from; `null` if it has none. */
  originOf(setting: SettingName): "configuration" | "environment" | null {
    if (this.#configured(setting) !== null) return "configuration";
    return this.#text(setting) === null ? null : "environment";
  }

  /** @throws {PartnerError} that names everything that is missing or wrong. */
  read(): Settings {
    const { node } = process.versions;
    if (isTooOld(node)) throw settingsError([oldNode(node, MIN_NODE.join("."))]);
    const problems: string[] = [];
    /** Returns the value of a setting; `null` if it is not set or not valid. Collects the problems. */
    const valueOf = <Value>(setting: SettingName, parse: Parser<Value>): Value | null => {
      const text = this.#text(setting);
      if (text === null) {
        problems.push(...this.#problemsWithout(setting));
        return null;
      }
      return parse(text, (rule, member) => {
        const name = member === undefined ? setting : `${setting}.${member}`;
        problems.push(invalidSetting(this.settingName(name), rule));
        return null;
      });
    };
    const baseUrl = valueOf("baseUrl", parseBaseUrl);
    const previousBaseUrl = valueOf("previousBaseUrl", parseBaseUrl);
    const accessToken = valueOf("accessToken", parseToken);
    const headers = valueOf("headers", parseHeaders) ?? {};
    const requestTimeout = valueOf("requestTimeout", parseSeconds) ?? 30_000;
    const responses = valueOf("responses", parseMapping) ?? {};
    if (problems.length > 0 || baseUrl === null || accessToken === null) throw settingsError(problems);
    const previous = previousBaseUrl === null ? [] : [previousBaseUrl.address];
    const servers = [baseUrl.address, ...previous] as const;
    return { baseUrl, accessToken, headers, requestTimeout, responses, servers };
  }

  /** Returns a setting; `null` if it is not set, or empty. */
  #text(setting: SettingName): string | null {
    const configured = this.#configured(setting);
    if (configured !== null) return configured;
    const isSecret = SECRET_SETTINGS.some((name) => name === setting);
    return isSecret && !this.#usesEnvironmentAddress() ? null : this.#variable(setting);
  }

  /** Where a setting is set, or would be. */
  #placeOf(setting: string): SettingPlace {
    if (this.isExplicit) return "Provider";
    const name = SETTING_NAMES.find((known) => known === setting);
    if (name === undefined) return "configuration"; // The account has no variable.
    const otherwise = this.#hasStack ? "configuration" : "environment";
    return this.originOf(name) ?? this.originOf("baseUrl") ?? otherwise;
  }

  /** Returns the setting `responses`, without what is wrong in it. */
  #responses(): ResponseMapping {
    return parseMapping(this.#text("responses") ?? "{}", () => null);
  }

  #configured(setting: SettingName): string | null {
    return this.#source.get(NAMESPACE + setting) || null;
  }

  #variable(setting: SettingName): string | null {
    return withoutLastNewline(this.#env[variableOf(setting)] ?? "") || null;
  }

  /** Whether the environment's secrets are for this address: a stack may have replaced it with another. */
  #usesEnvironmentAddress(): boolean {
    const configured = this.#configured("baseUrl");
    return configured === null || configured === this.#variable("baseUrl");
  }

  /** Returns why a setting without a value is a problem; empty if it is not. */
  #problemsWithout(setting: SettingName): string[] {
    // Set, and yet withheld by `#text`: a secret for another address than the one that is configured.
    if (this.#variable(setting) !== null) return [unusedVariable(setting)];
    if (!REQUIRED.includes(setting)) return [];
    // With `pulumi do`, a Provider still has its arguments.
    const hasOnlyVariables = !this.#hasStack && !this.isExplicit;
    return [hasOnlyVariables ? missingVariable(setting) : missingSetting(setting, this.isExplicit)];
  }
}

/** Returns a variable without its last newline: secrets that are mounted as files end with one. */
export function withoutLastNewline(value: string): string {
  return value.replace(/\r?\n$/, "");
}

function isTooOld(node: string): boolean {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  return major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1]);
}

function settingsError(problems: readonly string[]): PartnerError {
  const { message, summary } = invalidSettings(problems);
  return new PartnerError("PARTNERS_CONFIGURATION", message, { summary });
}
