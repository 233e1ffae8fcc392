import { PartialFailure, type Properties, type ResourceHandlers } from "./contract.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess } from "./process.js";

/**
 * Lets handlers touch a resource only with the settings of its account and its server: elsewhere a key would not be found and be
 * forgotten, and a webhook of the same id would be changed. The output `server` remembers where a resource was last.
 */
export function guardOwnership(plugin: PluginProcess, handlers: ResourceHandlers): ResourceHandlers {
  /** The server of a resource that is not at the present one; `null` also if its own or the present one is not known. */
  const formerServer = ({ server }: Properties): string | null =>
    typeof server !== "string" || plugin.server === null || server === plugin.server ? null : server;
  const assertOwn = (olds: Properties): void => {
    const { account: owner } = olds;
    if (typeof owner === "string" && owner !== plugin.account)
      throw new ResourceError({ kind: "otherAccount", owner, present: plugin.account });
    const former = formerServer(olds);
    if (former !== null && former !== plugin.previousServer) throw new ResourceError(otherServer(former));
  };
  const otherServer = (owner: string) =>
    ({ kind: "otherServer", owner, present: plugin.server ?? "" }) as const;
  const stamped = (outputs: Properties): Properties => ({
    ...outputs,
    server: plugin.server ?? outputs["server"] ?? null,
  });
  const keepStamped = (error: unknown): never => {
    if (!(error instanceof PartialFailure)) throw error;
    throw new PartialFailure(error.id, stamped(error.properties), error.reason);
  };

  return {
    ...handlers,

    async check(olds, news, urn) {
      const checked = await handlers.check(olds, news, urn);
      const { account: owner } = olds;
      // One provider has one account: it could create the new one and not delete the old one.
      if (plugin.isExplicit || typeof owner !== "string" || owner === plugin.account) return checked;
      const problem = new ResourceError({ kind: "otherAccount", owner, present: plugin.account });
      return { ...checked, problems: [...checked.problems, problem] };
    },

    diff(olds, news) {
      const difference = handlers.diff(olds, news);
      if (olds["account"] !== plugin.account) return difference; // The process of that account deletes it.
      const former = formerServer(olds);
      if (former === null) return difference;
      if (former === plugin.previousServer) return { ...difference, changes: true };
      plugin.warn(otherServer(former));
      // A replacement would create the new one before it fails to delete the old one; an update fails at once.
      return { ...difference, replaces: [] };
    },

    preview(olds, news) {
      if (olds !== null) assertOwn(olds);
      return stamped(handlers.preview(olds, news));
    },

    async create(inputs) {
      const { id, outputs } = await handlers.create(inputs).catch(keepStamped);
      return { id, outputs: stamped(outputs) };
    },

    async read(olds) {
      assertOwn(olds);
      const found = await handlers.read(olds);
      return found && { ...found, outputs: stamped(found.outputs) };
    },

    async update(id, olds, news) {
      assertOwn(olds);
      // If nothing but the address is new, nothing is to be sent.
      if (formerServer(olds) !== null && !handlers.diff(olds, news).changes) return stamped(olds);
      return stamped(await handlers.update(id, olds, news).catch(keepStamped));
    },

    async delete(olds) {
      assertOwn(olds);
      return handlers.delete(olds);
    },

    async adopt(id) {
      const adopted = await handlers.adopt(id);
      return { ...adopted, outputs: stamped(adopted.outputs) };
    },
  };
}
