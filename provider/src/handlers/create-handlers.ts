import { SettingsError } from "../api/errors.js";
import type { WebhookState } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { apiKeyHandlers } from "./api-key.js";
import { PartialFailure, withoutSpecialValues, type Properties, type ResourceHandlers } from "./contract.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess } from "./process.js";
import { listResources, type ListedResource, type ListedType } from "./resource-list.js";
import { webhookStateHandlers } from "./webhook-state.js";
import { webhookStatesHandlers } from "./webhook-states.js";

/** A webhook as programs see it. */
export type ListedWebhook = Pick<WebhookReading, "webhookId" | "state" | "record">;

/** The handlers of all resources and of the one function, and the list of what can be imported. */
export interface PartnerHandlers {
  readonly partnerApiKey: ResourceHandlers;
  readonly partnerWebhookState: ResourceHandlers;
  readonly partnerWebhookStates: ResourceHandlers;
  /** Lists all webhooks of the account. @throws {PartnerError} if the list cannot be read or has further pages. */
  readonly listWebhooks: () => Promise<ListedWebhook[]>;
  /** See {@link listResources}. */
  readonly listResources: (type: ListedType, state?: WebhookState) => Promise<ListedResource[]>;
}

/** Creates the handlers of one plugin process. Both hosts use them. */
export function createHandlers(plugin: PluginProcess): PartnerHandlers {
  const fleet = webhookStatesHandlers(plugin);
  return {
    partnerApiKey: guardOwnership(plugin, apiKeyHandlers(plugin)),
    partnerWebhookState: guardOwnership(plugin, webhookStateHandlers(plugin, fleet)),
    partnerWebhookStates: guardOwnership(plugin, fleet),
    async listWebhooks() {
      const { webhooks } = await plugin.open();
      const listed = (await webhooks.lookUp([])).all();
      return listed.map(({ webhookId, state, record }) => {
        return { webhookId, state, record: withoutSpecialValues(record) as Properties };
      });
    },
    listResources: (type, state) => listResources(plugin, type, state),
  };
}

/**
 * Wraps handlers so that they touch a resource only with the settings of its account and its server. With other settings, a key
 * would not be found and would be dropped from the state, and an unrelated webhook with the same ID would be changed. The output
 * `server` records the server.
 */
function guardOwnership(plugin: PluginProcess, handlers: ResourceHandlers): ResourceHandlers {
  const otherServer = (owner: string) =>
    ({ kind: "otherServer", owner, present: plugin.server ?? "" }) as const;
  /** Returns the recorded server, if it differs from the configured one; `null` also if either is unknown. */
  const formerServer = ({ server }: Properties): string | null =>
    typeof server !== "string" || plugin.server === null || server === plugin.server ? null : server;
  const assertOwned = (olds: Properties): void => {
    const { account: owner } = olds;
    if (typeof owner === "string" && owner !== plugin.account)
      throw new ResourceError({ kind: "otherAccount", owner, present: plugin.account });
    const former = formerServer(olds);
    if (former !== null && former !== plugin.previousServer) throw new ResourceError(otherServer(former));
  };
  const withServer = (outputs: Properties): Properties => ({
    ...outputs,
    server: plugin.server ?? outputs["server"] ?? null,
  });
  const rethrowWithServer = (error: unknown): never => {
    if (!(error instanceof PartialFailure)) throw error;
    throw new PartialFailure(error.id, withServer(error.properties), error.reason);
  };

  return {
    ...handlers,

    async check(olds, news, urn) {
      const { inputs, problems } = await handlers.check(olds, news, urn);
      const found = new Set(problems);
      // Even if nothing changes, because the next change would fail.
      if (plugin.settings instanceof SettingsError) found.add(plugin.settings);
      const { account: owner } = olds;
      // The default provider has one account: it could create the new resource but not delete the old one.
      if (!plugin.isExplicit && typeof owner === "string" && owner !== plugin.account)
        found.add(new ResourceError({ kind: "otherAccount", owner, present: plugin.account }));
      return { inputs, problems: [...found] };
    },

    diff(olds, news) {
      const difference = handlers.diff(olds, news);
      if (olds["account"] !== plugin.account) return difference; // The process of the old account deletes it.
      const former = formerServer(olds);
      if (former === null) return difference;
      if (former === plugin.previousServer) {
        plugin.warn({ kind: "moved", owner: former, present: plugin.server ?? "" });
        return { ...difference, changes: true };
      }
      plugin.warn(otherServer(former));
      // A replacement would create the new resource before it fails to delete the old one; an update fails at once.
      return { ...difference, replaces: [] };
    },

    preview(olds, news) {
      if (olds !== null) assertOwned(olds);
      return withServer(handlers.preview(olds, news));
    },

    async create(inputs) {
      const { id, outputs } = await handlers.create(inputs).catch(rethrowWithServer);
      return { id, outputs: withServer(outputs) };
    },

    async read(olds) {
      assertOwned(olds);
      const found = await handlers.read(olds);
      return found && { ...found, outputs: withServer(found.outputs) };
    },

    async update(id, olds, news) {
      assertOwned(olds);
      // If only the address changed, there is nothing to send.
      if (formerServer(olds) !== null && !handlers.diff(olds, news).changes) return withServer(olds);
      return withServer(await handlers.update(id, olds, news).catch(rethrowWithServer));
    },

    async delete(olds) {
      assertOwned(olds);
      return handlers.delete(olds);
    },

    async adopt(id) {
      const adopted = await handlers.adopt(id);
      return { ...adopted, outputs: withServer(adopted.outputs) };
    },
  };
}
