import { keyResource } from "../keys/key-resource.js";
import type { PluginProcess } from "../plugin/plugin-process.js";
import { ResourceAdapter } from "../plugin/resource-adapter.js";
import type { Resource } from "../plugin/resource.js";
import { createWebhooks, type ListedWebhook } from "../webhooks/webhooks.js";

/** The handlers of one plugin process: those of all resources, and the list of webhooks. */
export interface PartnerHandlers {
  readonly partnerApiKey: ResourceAdapter;
  readonly partnerWebhookState: ResourceAdapter;
  readonly partnerWebhookStates: ResourceAdapter;
  /** Lists all webhooks of the account, without what the engine would interpret. */
  listWebhooks(): Promise<readonly ListedWebhook[]>;
}

/** Creates the handlers, which both hosts call. Those of a feature are created when it is first used. */
export function createHandlers(plugin: PluginProcess): PartnerHandlers {
  const adapt = <Inputs, State>(resource: Resource<Inputs, State>) => new ResourceAdapter(plugin, resource);
  const key = once(() => adapt(keyResource(plugin)));
  const webhooks = once(() => createWebhooks(plugin));
  const webhookState = once(() => adapt(webhooks().webhookState));
  const webhookStates = once(() => adapt(webhooks().webhookStates));
  return {
    get partnerApiKey() {
      return key();
    },
    get partnerWebhookState() {
      return webhookState();
    },
    get partnerWebhookStates() {
      return webhookStates();
    },
    listWebhooks: () => webhooks().list(),
  };
}

/** Returns a function that creates a value when it is first called, and then returns the same one. */
function once<Value extends object>(create: () => Value): () => Value {
  let value: Value | null = null;
  return () => (value ??= create());
}
