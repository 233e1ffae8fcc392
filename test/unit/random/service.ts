import { SHAPES, startSandbox } from "../../support/sandbox.ts";

/** The webhooks that exist at the start. */
export const WEBHOOKS = [101, 102, 103] as const;

/** A key that someone else created. Nothing may delete it. */
export const FOREIGN_KEY = "pk_live_0f5omebody3lse";

/**
 * The shapes of responses, and the setting `responses` for each. It always has `apiKey`, because automatic recognition may
 * refuse a random key that looks like words.
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
  const sandbox = await startSandbox({
    shape: {
      ...SHAPES[shape],
      apiKey: (created) => {
        const body = SHAPES[shape].apiKey(created);
        issued.set(created.key, { id: created.id, body: JSON.stringify(body) });
        return body;
      },
    },
    apiKeys: [FOREIGN_KEY],
    webhooks: Object.fromEntries(WEBHOOKS.map((webhookId) => [webhookId, "active"])),
    onRequest: () => {
      service.onRequest();
    },
  });
  const service = {
    sandbox,
    issued,
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
