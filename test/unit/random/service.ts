import { json } from "../../../provider/dist/sandbox/partner-account.js";
import { SHAPES, startSandbox, type WebhookSeed } from "../../support/sandbox.ts";

/** The webhooks that exist at the start. */
export const WEBHOOKS = [101, 102, 103] as const;

/** A key that someone else created. Nothing may delete it. */
export const FOREIGN_KEY = "pk_live_0f5omebody3lse";

/**
 * The shapes of responses, and the setting `responses` for each. It always has `apiKey`, because automatic
 * recognition may refuse a random key that looks like words.
 */
export const MAPPINGS = {
  flat: { apiKey: "/apiKey" },
  byId: { apiKey: "/apiKey/key", apiKeyId: "/apiKey/id" },
  unreadable: {
    apiKey: "/result/token",
    webhooks: "/outgoing",
    webhookId: "/ref",
    webhookState: "/mode",
    active: ["go"],
    disabled: ["halt"],
  },
} as const;

export type ServiceShape = keyof typeof MAPPINGS;

/** A service that records the keys it issued. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** Starts a sandbox that records the keys it issues, with the responses to their creation. */
export async function startService(shape: ServiceShape) {
  const issued = new Map<string, { id: string; body: string }>();
  /** The webhooks at each request for the list, newest last. */
  const lists: (readonly WebhookSeed[])[] = [];
  const sandbox = await startSandbox({
    shape: {
      ...SHAPES[shape],
      apiKey: (created) => {
        const body = SHAPES[shape].apiKey(created);
        issued.set(created.key, { id: created.id, body: JSON.stringify(body) });
        return body;
      },
      webhooks: (current) => {
        lists.push(current);
        const shown = lists.at(-1 - service.lag) ?? lists[0] ?? current;
        const stateOf = (list: readonly WebhookSeed[], id: number): unknown =>
          list.find(({ webhookId }) => webhookId === id)?.state;
        for (const id of WEBHOOKS) if (stateOf(shown, id) !== stateOf(current, id)) service.outdated.add(id);
        return SHAPES[shape].webhooks(shown);
      },
    },
    refuse: ({ operation }) =>
      operation === "createApiKey" && service.oneKey && liveKeys(service).length > 0
        ? json(409, { error: "delete the other key first" })
        : null,
    apiKeys: [FOREIGN_KEY],
    webhooks: Object.fromEntries(WEBHOOKS.map((webhookId) => [webhookId, "active"])),
    onRequest: () => {
      service.onRequest();
    },
  });
  const service = {
    sandbox,
    issued,
    /** Whether the service refuses to create a key while there is another one. */
    oneKey: false,
    /** Whether each creation returns the same key while it exists. */
    sameKey: false,
    /**
     * The number of requests for the list by which it lags: it shows the webhooks as they were that many
     * requests ago.
     */
    lag: 0,
    /**
     * The webhooks that a list has shown in a state in which they were not, or although they were gone, or
     * not at all.
     */
    outdated: new Set<number>(),
    /** Makes the list current, and forgets older ones. */
    catchUp(): void {
      service.lag = 0;
      lists.splice(0);
    },
    /** Called when a request has ended. */
    onRequest: (): void => undefined,
    /** Deletes a key as a person would do on the service's website. */
    async revoke(key: string): Promise<void> {
      const parameter = shape === "byId" ? (issued.get(key)?.id ?? "") : key;
      await fetch(`${sandbox.url}/api/v1/partners/api-key/${encodeURIComponent(parameter)}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${sandbox.accessToken}` },
      });
      if (sandbox.verify(key)) throw new Error("the sandbox did not revoke the key");
    },
  };
  return service;
}

/** Returns the valid keys, except {@link FOREIGN_KEY}. */
export function liveKeys({ sandbox }: Service): readonly string[] {
  return sandbox.apiKeys.filter((key) => key !== FOREIGN_KEY);
}
