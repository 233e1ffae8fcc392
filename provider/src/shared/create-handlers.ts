import type { WebhookState } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { findWebhook, isFound, type WebhookQuery } from "../webhook-search.js";
import { apiKeyResource } from "../keys/api-key.js";
import type { Properties, ResourceHandlers } from "./properties.js";
import { ResourceError } from "./problems.js";
import { PartialFailure } from "./partial-failure.js";
import { assertOwned, otherAccount, otherServer } from "./ownership.js";
import type { PluginProcess } from "./plugin-process.js";
import { ResourceAdapter } from "./resource-adapter.js";
import { listResources, type ListedResource } from "../webhooks/resource-list.js";
import { FleetOperations } from "../webhooks/fleet-operations.js";
import { webhookStatesHandlers } from "../webhooks/fleet.js";
import { refreshBeforeUpdate } from "../webhooks/refresh-before-update.js";
import { shownWebhook, type ShownWebhook } from "../webhooks/shown-webhook.js";
import { webhookStateHandlers } from "../webhooks/single.js";

/**
 * The handlers of one plugin process: of all resources and of the one function, and the list of what can be
 * imported.
 */
export interface PartnerHandlers {
  readonly partnerApiKey: ResourceHandlers;
  readonly partnerWebhookState: ResourceHandlers;
  readonly partnerWebhookStates: ResourceHandlers;
  /**
   * Lists all webhooks of the account. The records may hold special values: see `withoutSpecialValues`.
   *
   * @throws {PartnerError} if the list cannot be read or has further pages that cannot be read.
   */
  listWebhooks(): Promise<readonly ListedWebhook[]>;
  /**
   * Finds the only webhook with a URL or a name, in the same list.
   *
   * @throws {PartnerError} as `listWebhooks` does, and if not exactly one webhook matches.
   */
  findWebhook(query: WebhookQuery): Promise<Omit<ShownWebhook, "full">>;
  /** See {@link listResources}. */
  listResources(state?: WebhookState): Promise<readonly ListedResource[]>;
}

/** A webhook as a program sees it; `full` is not for programs. */
export type ListedWebhook = ShownWebhook & Pick<WebhookReading, "record">;

/** Creates the handlers. Both hosts use them. Those of a resource are created when it is first used. */
export function createHandlers(plugin: PluginProcess): PartnerHandlers {
  const fleet = lazy(() => new FleetOperations(plugin));
  const webhook = (handlers: ResourceHandlers): ResourceHandlers =>
    guardOwnership(plugin, refreshBeforeUpdate(plugin, handlers));
  const partnerApiKey = lazy(() => new ResourceAdapter(plugin, apiKeyResource(plugin)));
  const partnerWebhookState = lazy(() => webhook(webhookStateHandlers(plugin, fleet())));
  const partnerWebhookStates = lazy(() => webhook(webhookStatesHandlers(plugin, fleet())));
  return {
    get partnerApiKey() {
      return partnerApiKey();
    },
    get partnerWebhookState() {
      return partnerWebhookState();
    },
    get partnerWebhookStates() {
      return partnerWebhookStates();
    },
    listWebhooks: async () => {
      const { webhooks } = await plugin.open();
      const listed = (await webhooks.list()).all();
      return listed.map((webhook) => ({ ...shownWebhook(plugin, webhook), record: webhook.record }));
    },
    findWebhook: async (query) => {
      const { webhooks } = await plugin.open();
      const listed = (await webhooks.list()).all();
      const found = findWebhook(
        listed.map((webhook) => shownWebhook(plugin, webhook)),
        query,
      );
      if (!isFound(found)) throw new ResourceError({ kind: "noMatch", failure: found });
      const { webhookId, state, url, name } = found;
      return { webhookId, state, url, name };
    },
    listResources: (state) => listResources(plugin, state),
  };
}

/** Returns a function that creates a value when it is first called, and then returns the same one. */
function lazy<Value extends object>(create: () => Value): () => Value {
  let value: Value | null = null;
  return () => (value ??= create());
}

/** Wraps handlers so that they protect the resources of other accounts and servers. */
function guardOwnership(plugin: PluginProcess, handlers: ResourceHandlers): ResourceHandlers {
  const withServer = (outputs: Properties) => ({ ...outputs, server: plugin.readSettings().servers[0] });
  const rethrowWithServer = (error: unknown): never => {
    if (!(error instanceof PartialFailure)) throw error;
    throw new PartialFailure(error.id, withServer(error.properties), error.reason);
  };

  return {
    ...handlers,

    async check(olds, news, urn) {
      plugin.readSettings(); // Even if nothing changes, because the next change would fail.
      const { inputs, problems } = await handlers.check(olds, news, urn);
      // The default provider has one account: it could create the new resource but not delete the old one.
      const account = plugin.isExplicit ? null : otherAccount(plugin, olds);
      return { inputs, problems: account ? [...problems, account] : problems };
    },

    diff(olds, news, resource) {
      const difference = handlers.diff(olds, news, resource);
      if (olds["account"] !== plugin.account) return difference; // The process of the old account deletes it.
      const server = otherServer(plugin, olds);
      if (server === null) return difference;
      plugin.warn(server);
      if (server.kind === "moved") return { ...difference, changes: true };
      // A replacement would create the new resource before it fails to delete the old one; an update fails at
      // once.
      return { ...difference, replaces: [] };
    },

    preview(olds, news) {
      if (olds !== null) assertOwned(plugin, olds);
      return withServer(handlers.preview(olds, news));
    },

    async create(inputs, urn) {
      const { id, outputs } = await handlers.create(inputs, urn).catch(rethrowWithServer);
      return { id, outputs: withServer(outputs) };
    },

    async read(olds) {
      assertOwned(plugin, olds);
      const found = await handlers.read(olds);
      return found && { ...found, outputs: withServer(found.outputs) };
    },

    async update(id, olds, news, urn) {
      assertOwned(plugin, olds);
      // If only the address changed, there is nothing to send.
      if (otherServer(plugin, olds) && !handlers.diff(olds, news, { id, urn: urn ?? "" }).changes)
        return withServer(olds);
      return withServer(await handlers.update(id, olds, news, urn).catch(rethrowWithServer));
    },

    async delete(olds, resource) {
      assertOwned(plugin, olds);
      return handlers.delete(olds, resource);
    },

    async adopt(id) {
      const adopted = await handlers.adopt(id);
      return { ...adopted, outputs: withServer(adopted.outputs) };
    },
  };
}
