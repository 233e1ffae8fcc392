import { SHAPES, startSandbox, type Sandbox, type Shape } from "../../support/sandbox.ts";

/** The webhooks that exist in the beginning. */
export const WEBHOOKS = [101, 102, 103] as const;

/** A key that somebody else created; it must survive everything. */
export const STRANGER = "pk_live_0f5omebody3lse";

/**
 * How a service answers, and the `responses` by which everything is found. `flat` and `byId` explain themselves, but a random key
 * may look like words and be refused; `byId` deletes keys by their ids.
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

/** The Partner API with faults, and a record of all that it ever sent. */
export interface Service {
  readonly sandbox: Sandbox;
  /** The id and the body that answered the creation of each key. */
  readonly issued: ReadonlyMap<string, { readonly id: string; readonly body: string }>;
  /** Called when a request has ended. */
  onRequest: () => void;
  /** Deletes a key as a person would at the service's own site. There must be no faults. */
  revoke(key: string): Promise<void>;
}

export async function startService(shape: ServiceShape): Promise<Service> {
  const issued = new Map<string, { id: string; body: string }>();
  const apiKey: Shape["apiKey"] = (created) => {
    const body = SHAPES[shape].apiKey(created);
    issued.set(created.key, { id: created.id, body: JSON.stringify(body) });
    return body;
  };
  const sandbox = await startSandbox({
    shape: { ...SHAPES[shape], apiKey },
    apiKeys: [STRANGER],
    webhooks: WEBHOOKS.map((webhookId) => ({ webhookId, state: "active" })),
    onRequest: () => {
      service.onRequest();
    },
  });
  const service: Service = {
    sandbox,
    issued,
    onRequest: () => undefined,
    async revoke(key) {
      const parameter = shape === "byId" ? (issued.get(key)?.id ?? "") : key;
      await fetch(`${sandbox.url}/api/v1/partners/api-key/${encodeURIComponent(parameter)}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${sandbox.accessToken}` },
      });
      if (sandbox.verify(key)) throw new Error("the sandbox did not revoke a key");
    },
  };
  return service;
}

/** The keys of ours that are valid now. */
export function liveKeys({ sandbox }: Service): readonly string[] {
  return sandbox.apiKeys.filter((key) => key !== STRANGER);
}
