import { isObject, parseDocument } from "../bodies/json.js";
import { readMapping, type ResponseMapping } from "../bodies/response-mapping.js";
import type { BaseUrl } from "../partner-api/connections.js";
import { PartnerError } from "../partner-api/errors.js";
import { isVisibleAscii } from "../partner-api/operations.js";
import {
  INVALID_SETTINGS,
  invalidSetting,
  invalidSettings,
  memberCommands,
  memberProposal,
  missingSetting,
  oldNode,
  RULES,
  unusedVariable,
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
import { parseBaseUrl } from "./setting-values.js";

/** Returns the decrypted values of keys such as `partners:baseUrl`. */
export interface ConfigSource {
  get(key: string): string | undefined;
}

/** The validated settings of one account. */
export interface Settings {
  readonly baseUrl: BaseUrl;
  /** Secret. */
  readonly accessToken: string;
  /** The headers for a gateway, by name. Secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds for one attempt. @default 30000 */
  readonly requestTimeout: number;
  readonly responses: ResponseMapping;
  /** The address of the account, as the state records it; then its previous address, if it has moved. */
  readonly servers: readonly [string, ...string[]];
}

/** The minimum that undici 8 declares in its package.json: major and minor version. */
const MIN_NODE = [22, 19] as const;

/** Reads the settings of one account from stack configuration or from the arguments of a `Provider`. */
export class SettingsReader {
  readonly #source: ConfigSource;
  readonly #env: NodeJS.ProcessEnv;
  readonly #problems: string[] = [];

  /** @param env Ignored by a `Provider`, which could otherwise send the token of another account. */
  constructor(source: ConfigSource, env: NodeJS.ProcessEnv) {
    this.#source = source;
    this.#env = this.isExplicit ? {} : env;
  }

  /** Whether the settings are the arguments of a `Provider`. */
  get isExplicit(): boolean {
    return this.#source.get(NAMESPACE + EXPLICIT) === "true";
  }

  /** The name of the account. Resources keep it as an input. */
  get account(): string {
    return accountOf(this.#source.get(NAMESPACE + ACCOUNT), null);
  }

  /** Names a setting, such as `responses.apiKey`, by where it is set; if unset, by where the address is. */
  readonly settingName = (name: string): string => {
    const [setting = "", member] = name.split(".");
    const variable = variableOf(setting);
    return {
      Provider: `the Provider's ${name}`,
      configuration: NAMESPACE + name,
      environment: member === undefined ? variable : `${member} in ${variable}`,
    }[this.#placeOf(setting)];
  };

  /** See {@link ProposeMember}. */
  readonly proposeMember: ProposeMember = (member, values) =>
    memberProposal(this.#placeOf("responses"), this.#responses(), member, values);

  /** Returns what to type into a shell to set members of `responses`: one or several lines. */
  commandsFor(members: ResponseMapping): string[] {
    return memberCommands(this.#placeOf("responses"), this.#responses(), members);
  }

  /** Whether a value comes from the settings of the last `up` in a run without a program. */
  get usesStoredSettings(): boolean {
    const isStored = (name: SettingName): boolean => this.originOf(name) === "configuration";
    // A setting that is missing here may have been set since.
    const isMissing = this.originOf("baseUrl") === null || this.originOf("accessToken") === null;
    return isMissing || this.account !== DEFAULT_ACCOUNT || SETTING_NAMES.some(isStored);
  }

  /** Returns where the value of a setting comes from; `null` if it has none. */
  originOf(setting: SettingName): "configuration" | "environment" | null {
    if (this.#configured(setting)) return "configuration";
    return this.#text(setting) === null ? null : "environment";
  }

  /** @throws {PartnerError} that names everything that is missing or wrong. */
  read(): Settings {
    this.#problems.length = 0;
    const { node } = process.versions;
    const [major = 0, minor = 0] = node.split(".").map(Number);
    if (major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1]))
      throw failure([oldNode(node, MIN_NODE.join("."))]);
    const baseUrl = this.#address("baseUrl", this.#required("baseUrl"));
    const previousBaseUrl = this.#address("previousBaseUrl", this.#text("previousBaseUrl"));
    const accessToken = this.#required("accessToken");
    if (accessToken !== null && !isVisibleAscii(accessToken)) this.#refuse("accessToken", RULES.visibleAscii);
    const settings = {
      headers: this.#headers(),
      requestTimeout: this.#seconds("requestTimeout", 30) * 1000,
      responses: this.#responses((setting, rule) => {
        this.#refuse(setting, rule);
      }),
    };
    if (this.#problems.length > 0 || baseUrl === null || accessToken === null) throw failure(this.#problems);
    const previous = previousBaseUrl === null ? [] : [addressOf(previousBaseUrl)];
    return { ...settings, baseUrl, accessToken, servers: [addressOf(baseUrl), ...previous] };
  }

  /** Returns a setting; `null` if it is not set, or empty. */
  #text(setting: SettingName): string | null {
    const configured = this.#configured(setting);
    if (configured) return configured;
    const isSecret = (SECRET_SETTINGS as readonly string[]).includes(setting);
    return isSecret && !this.#usesEnvironmentAddress() ? null : this.#variable(setting);
  }

  /** Where a setting is set, or would be: the account has no variable. */
  #placeOf(setting: string): SettingPlace {
    if (this.isExplicit) return "Provider";
    if (setting === ACCOUNT) return "configuration";
    return this.originOf(setting as SettingName) ?? this.originOf("baseUrl") ?? "configuration";
  }

  #responses(refuse: (setting: string, rule: string) => void = () => undefined): ResponseMapping {
    return readMapping(this.#text("responses") ?? "{}", refuse);
  }

  #configured(setting: SettingName): string | null {
    return this.#source.get(NAMESPACE + setting) || null;
  }

  /** Returns a variable without its last newline: secrets that are mounted as files end with one. */
  #variable(setting: SettingName): string | null {
    return this.#env[variableOf(setting)]?.replace(/\r?\n$/, "") || null;
  }

  /** Whether the environment's secrets are for this address: a stack may have replaced it with another. */
  #usesEnvironmentAddress(): boolean {
    const configured = this.#configured("baseUrl");
    return configured === null || configured === this.#variable("baseUrl");
  }

  #required(setting: SettingName): string | null {
    const text = this.#text(setting);
    if (text !== null) return text;
    if (!this.#refuseUnused(setting)) this.#problems.push(missingSetting(setting, this.isExplicit));
    return null;
  }

  /** Whether the environment has a setting that is not used, which is a problem. */
  #refuseUnused(setting: SettingName): boolean {
    const isUnused = this.#text(setting) === null && this.#variable(setting) !== null;
    if (isUnused) this.#problems.push(unusedVariable(setting));
    return isUnused;
  }

  #address(setting: SettingName, text: string | null): BaseUrl | null {
    const parsed = text === null ? null : parseBaseUrl(text);
    if (typeof parsed !== "string") return parsed;
    this.#refuse(setting, parsed);
    return null;
  }

  #seconds(setting: SettingName, byDefault: number): number {
    const text = this.#text(setting);
    const value = text === null ? byDefault : Number(text);
    if (!(value >= 0.001 && value <= 86_400)) this.#refuse(setting, RULES.seconds);
    return value;
  }

  /** Reads the headers. A member that is `null` counts as not set. */
  #headers(): Readonly<Record<string, string>> {
    this.#refuseUnused("headers");
    const document = parseDocument(this.#text("headers") ?? "{}");
    const members = Object.entries(isObject(document) ? document : {}).filter(([, value]) => value !== null);
    const isHeader = ([name, value]: [string, unknown]): boolean =>
      HEADER_NAME.test(name) && typeof value === "string" && HEADER_VALUE.test(value);
    if (!isObject(document) || !members.every(isHeader)) this.#refuse("headers", RULES.headers);
    for (const [name] of members)
      if (RESERVED_HEADER.test(name)) this.#refuse("headers", RULES.reservedHeader(name.toLowerCase()));
    return Object.fromEntries(members) as Record<string, string>;
  }

  /** @param setting A setting, or a member of `responses`. */
  #refuse(setting: string, rule: string): void {
    this.#problems.push(invalidSetting(setting, rule, this.settingName));
  }
}

function failure(problems: readonly string[]): PartnerError {
  return new PartnerError("PARTNERS_CONFIGURATION", invalidSettings(problems), { summary: INVALID_SETTINGS });
}

/** A token of RFC 9110 (5.6.2), and visible ASCII with spaces inside. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;
/** What the client or undici sets, and what belongs to the connection. */
const RESERVED_HEADER = new RegExp(
  `^(?:${[
    "accept(?:-encoding)?|authorization|connection|content-.*|expect|host|keep-alive|proxy-.*|te|trailer",
    "transfer-encoding|upgrade|user-agent",
  ].join("|")})$`,
  "i",
);

function addressOf({ origin, prefix }: BaseUrl): string {
  return origin + prefix;
}
