import proto from "@pulumi/pulumi/proto/provider_pb.js";

import { warning } from "../account/notice.js";
import { mustBeText, unknownSettings } from "../setting-messages.js";
import {
  ACCOUNT,
  accountOf,
  EXPLICIT,
  NAMESPACE,
  SECRET_SETTINGS,
  SETTINGS,
  TEXT_SETTINGS,
} from "../setting-names.js";
import type { ConfigSource } from "../account/settings.js";
import { partsOf, UNKNOWN, type Properties } from "../adapter/properties.js";
import type { PluginHost } from "./plugin-host.js";
import { markSecrets } from "./secret-marks.js";
import { checkFailure, fromStruct, toStruct } from "./struct.js";

/** What the engine puts among the inputs of a provider. */
const ENGINE_INPUT = /^(?:version|pluginDownloadURL|__.*)$/;
/** The names of a default provider: the version and the host of the plugin may follow. */
const DEFAULT_NAME = /^default(?:_\d+_\d+_\d|_[a-z]+_\/|$)/;

/** The calls of the engine about the provider itself, whose inputs are the settings. */
export class NativeConfiguration {
  readonly #host: PluginHost;

  constructor(host: PluginHost) {
    this.#host = host;
  }

  check(request: proto.CheckRequest): proto.CheckResponse {
    this.#host.hasCurrentSettings = true; // Without a program, the engine calls only `configure`.
    const { session } = this.#host;
    const news = fromStruct(request.getNews());
    const inputs = checkedInputs(request.getUrn(), news);
    session.configure(configSource(inputs));
    const names = Object.keys(news).filter((name) => !ENGINE_INPUT.test(name));
    const prefix = session.settings.isExplicit ? "" : NAMESPACE;
    for (const text of unknownSettings(partsOf(request.getUrn()).project, names, prefix))
      session.notify(warning(text));
    const notText = TEXT_SETTINGS.filter((name) => !isText(news[name]));
    const problems = notText.map((name) => this.#host.mask(mustBeText(name)));
    try {
      // Values that are not known yet cannot be checked here; the checks of the resources report them later.
      if (problems.length === 0 && !JSON.stringify(inputs).includes(UNKNOWN)) session.readSettings();
    } catch (error) {
      problems.push(this.#host.describeError(error));
    }
    return new proto.CheckResponse()
      .setInputs(toStruct(markSecrets(inputs, SECRET_SETTINGS)))
      .setFailuresList(problems.map(checkFailure));
  }

  /**
   * Names the settings that differ. A new account name replaces an explicit provider together with its
   * resources. The default provider is only updated: its resources refuse the new account. A replacement
   * would leave the old provider in the state, and the next run would replace every resource that names it.
   */
  diff(request: proto.DiffRequest): proto.DiffResponse {
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    const isChanged = (name: string): boolean =>
      JSON.stringify(valueOf(olds, name)) !== JSON.stringify(valueOf(news, name));
    const changed = SETTINGS.filter(isChanged);
    // The engine also asks when a resource gets another provider. A dynamic resource without a `Provider`
    // becomes a native one of the same account, which then has a name.
    const hadAccount = valueOf(olds, ACCOUNT) !== undefined;
    const isDefault = valueOf(news, EXPLICIT) === "false";
    const replaces = hadAccount && !isDefault && changed.includes(ACCOUNT);
    const { DIFF_SOME, DIFF_NONE } = proto.DiffResponse.DiffChanges;
    return new proto.DiffResponse()
      .setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE)
      .setDiffsList(changed)
      .setReplacesList(replaces ? [ACCOUNT] : []);
  }

  configure(request: proto.ConfigureRequest): proto.ConfigureResponse {
    const inputs = fromStruct(request.getArgs());
    const { session } = this.#host;
    const hasStack = partsOf(request.getUrn() ?? "").name !== ""; // The provider of `pulumi do` has no name.
    this.#host.hasCurrentSettings ||= !hasStack;
    session.configure(configSource(inputs), hasStack);
    // Without acceptSecrets, the engine passes plain values, and itself marks what derives from secrets.
    return new proto.ConfigureResponse().setSupportspreview(true);
  }
}

/**
 * Adds to a provider's inputs the name of its account, and whether the provider is explicit. Both are stored
 * for a `destroy`, which runs without a program. Headers of which one is not known yet are unknown as a
 * whole, because they are encrypted as one.
 */
function checkedInputs(urn: string, news: Properties): Properties {
  const { type, name } = partsOf(urn);
  const isExplicit = type !== "pulumi:providers:partners" || !DEFAULT_NAME.test(name);
  const isUnknown = JSON.stringify(news["headers"] ?? null).includes(UNKNOWN);
  return {
    ...news,
    ...(isUnknown && { headers: UNKNOWN }),
    [ACCOUNT]: accountOf(news[ACCOUNT] as string | undefined, isExplicit ? name : null),
    [EXPLICIT]: String(isExplicit),
  };
}

function isText(value: unknown): boolean {
  return value == null || typeof value === "string";
}

/** Reads settings from a provider's inputs. What is not text is passed on as JSON. */
function configSource(inputs: Properties): ConfigSource {
  return {
    get: (key) => {
      const value = valueOf(inputs, key.slice(NAMESPACE.length)) ?? undefined;
      return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
    },
  };
}

/** Returns an input. The provider of dynamic resources names its inputs by their full configuration keys. */
function valueOf(inputs: Properties, name: string): unknown {
  return inputs[name] ?? inputs[NAMESPACE + name];
}
