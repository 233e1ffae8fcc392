import { SettingsError } from "../api/errors.js";
import type { Properties, ResourceHandlers } from "../shared/properties.js";
import { PartialFailure } from "../shared/partial-failure.js";
import type { PluginProcess } from "../shared/plugin-process.js";

/** The setting, which is also an input and an output of each resource that it applies to. */
const NAME = "refreshBeforeUpdate";

/**
 * Whether the engine must read a resource before each preview and update.
 *
 * @param outputs The outputs in its state.
 */
export function isRefreshedFirst(outputs: Properties): boolean {
  return outputs[NAME] === true;
}

/**
 * Wraps handlers so that their resources record the setting `refreshBeforeUpdate`. The engine keeps it with
 * each resource until it creates, reads or updates the resource, so a new value must count as a difference.
 * Without the setting, nothing is recorded.
 */
export function refreshBeforeUpdate(plugin: PluginProcess, handlers: ResourceHandlers): ResourceHandlers {
  const setting = (): Properties => (plugin.readSettings().refreshBeforeUpdate ? { [NAME]: true } : {});
  const recorded = (properties: Properties): Properties =>
    isRefreshedFirst(properties) ? { [NAME]: true } : {};
  /** Copies outputs, with the value in other properties. */
  const withRecorded = (outputs: Properties, properties: Properties): Properties => {
    const others = Object.entries(outputs).filter(([name]) => name !== NAME);
    return { ...Object.fromEntries(others), ...recorded(properties) };
  };
  const rethrowWithRecorded = (error: unknown, inputs: Properties): never => {
    if (!(error instanceof PartialFailure)) throw error;
    throw new PartialFailure(error.id, withRecorded(error.properties, inputs), error.reason);
  };

  return {
    ...handlers,

    async check(olds, news, urn) {
      const { inputs, problems } = await handlers.check(olds, news, urn);
      const value = setting();
      const isRefused = isRefreshedFirst(value) && !plugin.canRefreshFirst;
      return {
        inputs: { ...inputs, ...value },
        problems: isRefused ? [...problems, new SettingsError([REFUSED])] : problems,
      };
    },

    diff(olds, news) {
      const difference = handlers.diff(olds, news);
      return {
        ...difference,
        changes: difference.changes || isRefreshedFirst(olds) !== isRefreshedFirst(news),
      };
    },

    preview: (olds, news) => withRecorded(handlers.preview(olds, news), news),

    async create(inputs, urn) {
      const created = await handlers
        .create(inputs, urn)
        .catch((error: unknown) => rethrowWithRecorded(error, inputs));
      return { ...created, outputs: withRecorded(created.outputs, inputs) };
    },

    async read(olds) {
      const found = await handlers.read(olds);
      if (found === null) return null;
      const { outputs, inputs } = found;
      return { outputs: withRecorded(outputs, olds), ...(inputs && { inputs: withRecorded(inputs, olds) }) };
    },

    async update(id, olds, news, urn) {
      // If the setting was removed, and nothing else differs, there is nothing to send: the engine has just
      // read the resource.
      if (isRefreshedFirst(olds) && !isRefreshedFirst(news) && !handlers.diff(olds, news).changes)
        return withRecorded(olds, news);
      const outputs = await handlers
        .update(id, olds, news, urn)
        .catch((error: unknown) => rethrowWithRecorded(error, news));
      return withRecorded(outputs, news);
    },

    async adopt(id) {
      const { inputs, outputs, ...adopted } = await handlers.adopt(id);
      return { ...adopted, inputs: { ...inputs, ...setting() }, outputs: { ...outputs, ...setting() } };
    },
  };
}

/** A host that cannot pass the setting to the engine refuses it. */
const REFUSED = { kind: "invalid", setting: NAME, rule: "nativeOnly" } as const;
