import type { WebhookState } from "../api/operations.js";
import type { WebhookQuery } from "../webhook-search.js";
import { apiKeyResource } from "../keys/api-key.js";
import { fleetForm } from "../webhooks/fleet-form.js";
import { fleetResource } from "../webhooks/fleet.js";
import { webhookForm } from "../webhooks/webhook-form.js";
import {
  findOnlyWebhook,
  listResources,
  listWebhooks,
  type ListedResource,
  type ListedWebhook,
} from "../webhooks/webhook-queries.js";
import type { PluginProcess } from "./plugin-process.js";
import { PreviewCheck } from "./preview-check.js";
import { ResourceAdapter } from "./resource-adapter.js";
import type { Resource } from "./resource.js";

/** The handlers of one plugin process: of all resources and functions, and of what can be imported. */
export interface PartnerHandlers {
  readonly partnerApiKey: ResourceAdapter;
  readonly partnerWebhookState: ResourceAdapter;
  readonly partnerWebhookStates: ResourceAdapter;
  /** See {@link listWebhooks}. */
  listWebhooks(): Promise<readonly ListedWebhook[]>;
  /** See {@link findOnlyWebhook}. */
  findWebhook(query: WebhookQuery): ReturnType<typeof findOnlyWebhook>;
  /** See {@link listResources}. */
  listResources(state?: WebhookState): Promise<readonly ListedResource[]>;
}

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
    listWebhooks: () => listWebhooks(plugin),
    findWebhook: (query) => findOnlyWebhook(plugin, query),
    listResources: (state) => listResources(plugin, state),
  };
}

/** Returns a function that creates a value when it is first called, and then returns the same one. */
function lazy<Value extends object>(create: () => Value): () => Value {
  let value: Value | null = null;
  return () => (value ??= create());
}
