import type { WebhookState } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { findWebhook, isFound, type WebhookQuery } from "../webhook-search.js";
import { apiKeyResource } from "../keys/api-key.js";
import { fleetForm } from "../webhooks/fleet-form.js";
import { fleetResource } from "../webhooks/fleet.js";
import { listResources, type ListedResource } from "../webhooks/resource-list.js";
import { shownWebhook, type ShownWebhook } from "../webhooks/shown-webhook.js";
import { webhookForm } from "../webhooks/webhook-form.js";
import type { PluginProcess } from "./plugin-process.js";
import { PreviewCheck } from "./preview-check.js";
import { ResourceError } from "./problems.js";
import { ResourceAdapter } from "./resource-adapter.js";
import type { Resource } from "./resource.js";

/**
 * The handlers of one plugin process: of all resources and of the one function, and the list of what can be
 * imported.
 */
export interface PartnerHandlers {
  readonly partnerApiKey: ResourceAdapter;
  readonly partnerWebhookState: ResourceAdapter;
  readonly partnerWebhookStates: ResourceAdapter;
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
  const adapt = <Inputs, State>(resource: Resource<Inputs, State>) => new ResourceAdapter(plugin, resource);
  const previewCheck = lazy(() => new PreviewCheck(plugin));
  const partnerApiKey = lazy(() => adapt(apiKeyResource(plugin)));
  const partnerWebhookState = lazy(() => adapt(fleetResource(plugin, previewCheck(), webhookForm)));
  const partnerWebhookStates = lazy(() => adapt(fleetResource(plugin, previewCheck(), fleetForm)));
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
