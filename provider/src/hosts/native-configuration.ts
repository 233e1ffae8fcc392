import proto from "@pulumi/pulumi/proto/provider_pb.js";

import { UNKNOWN } from "../shared/properties.js";
import { SECRET_SETTINGS } from "../setting-names.js";
import type { PluginHost } from "./plugin-host.js";
import {
  areChecked,
  checkedProviderInputs,
  configSource,
  diffProviderInputs,
  unknownSettings,
  wrongTypes,
} from "./provider-inputs.js";
import { fromStruct, toStruct } from "./struct.js";

/** The calls of the engine about the provider itself, whose inputs are the settings. */
export class NativeConfiguration {
  readonly #host: PluginHost;
  #isCurrent = false;

  constructor(host: PluginHost) {
    this.#host = host;
  }

  /**
   * Whether the settings are current, even in a destroy or refresh: a program runs or, in `pulumi do`, there
   * is no stack.
   */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  check(request: proto.CheckRequest): proto.CheckResponse {
    this.#isCurrent = true; // Without a program, the engine calls only `configure`.
    const news = fromStruct(request.getNews());
    const inputs = checkedProviderInputs(request.getUrn(), news);
    this.#host.plugin.configure(configSource(inputs));
    for (const name of unknownSettings(news)) this.#host.plugin.warn({ kind: "unknownSetting", name });
    const response = new proto.CheckResponse().setInputs(toStruct(inputs, SECRET_SETTINGS));
    const wrong = wrongTypes(news);
    if (wrong.length > 0) return response.setFailuresList(wrong.map(checkFailure));
    try {
      // Values that are not known yet cannot be checked here; the checks of the resources report them later.
      if (!JSON.stringify(inputs).includes(UNKNOWN)) this.#host.plugin.readSettings();
    } catch (error) {
      response.setFailuresList([checkFailure(this.#host.describeError(error))]);
    }
    return response;
  }

  diff(request: proto.DiffRequest): proto.DiffResponse {
    const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    const { changed, replaces } = diffProviderInputs(olds, news);
    const { DIFF_SOME, DIFF_NONE } = proto.DiffResponse.DiffChanges;
    return new proto.DiffResponse()
      .setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE)
      .setDiffsList(changed)
      .setReplacesList(replaces);
  }

  configure(request: proto.ConfigureRequest): proto.ConfigureResponse {
    const inputs = fromStruct(request.getArgs());
    const checked = areChecked(inputs);
    this.#isCurrent ||= !checked;
    // With `--provider`, `pulumi do` has the checked inputs of a provider in a stack, but not its name.
    const hasNoStack = !checked || (request.hasName() && request.getName() === "");
    this.#host.plugin.configure(configSource(inputs), hasNoStack);
    // Without acceptSecrets, the engine passes plain values and itself marks values that derive from
    // secrets.
    return new proto.ConfigureResponse().setSupportspreview(true);
  }
}

/**
 * Creates a failure without a property name: the engine would print the property's value, even if it is a
 * secret.
 */
export function checkFailure(reason: string): proto.CheckFailure {
  return new proto.CheckFailure().setReason(reason);
}
