import fc from "fast-check";

import { SHAPES, startSandbox, type Fault, type Sandbox, type Shape } from "../../support/sandbox.ts";

/** The webhooks that exist in the beginning. */
export const WEBHOOKS = [101, 102, 103] as const;

/** A key that somebody else created; it must survive everything. */
export const STRANGER = "pk_live_0f5omebody3lse";

/**
 * The settings by which everything is found. `flat` and `byId` explain themselves, but a random key may look like words and be
 * refused; `byId` deletes keys by their ids.
 */
const MAPPINGS = {
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

/** How a service answers. */
export type ServiceShape = keyof typeof MAPPINGS;

type Issued = ReadonlyMap<string, { readonly id: string; readonly body: string }>;

/** The Partner API with faults, and a record of all that it ever sent. */
export class Service {
  readonly sandbox: Sandbox;
  /** The faults injected since the last {@link calm}. */
  readonly faults: Fault[] = [];
  /** Called when a request has ended. */
  onRequest: () => void = () => undefined;
  readonly #shape: ServiceShape;
  /** The id and the body that answered the creation of each key. */
  readonly #issued: Issued;

  private constructor(shape: ServiceShape, sandbox: Sandbox, issued: Issued) {
    this.#shape = shape;
    this.sandbox = sandbox;
    this.#issued = issued;
  }

  static async start(shape: ServiceShape): Promise<Service> {
    const issued = new Map<string, { id: string; body: string }>();
    const apiKey: Shape["apiKey"] = (key) => {
      const body = SHAPES[shape].apiKey(key);
      issued.set(key.key, { id: key.id, body: JSON.stringify(body) });
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
    const service = new Service(shape, sandbox, issued);
    return service;
  }

  /** `responses` by which everything can be read and deleted. */
  get mapping(): object {
    return MAPPINGS[this.#shape];
  }

  /** The keys of ours that are valid now. */
  get liveKeys(): readonly string[] {
    return this.sandbox.apiKeys.filter((key) => key !== STRANGER);
  }

  /** The keys that were ever created through the API. A snapshot. */
  get issuedKeys(): ReadonlySet<string> {
    return new Set(this.#issued.keys());
  }

  /** Whether a text is the whole body of a creation, so that the right mapping must find the key in it. */
  hasSent(body: string): boolean {
    return [...this.#issued.values()].some((issued) => issued.body === body);
  }

  /** What no message may repeat: the token, and the secrets in the answers to creations. */
  get secrets(): readonly string[] {
    const inBodies = [...this.#issued.values()].flatMap(({ body }) => body.match(/pk_live_[^"]+/g) ?? []);
    return [this.sandbox.accessToken, STRANGER, ...inBodies];
  }

  /** Whether an answer can have been cut off or replaced although its status was a success. */
  get mangles(): boolean {
    return this.faults.some(
      (fault) =>
        ["truncate", "resetMidBody", "hang"].includes(fault.kind) ||
        (fault.kind === "status" && fault.status < 300),
    );
  }

  inject(...faults: readonly Fault[]): void {
    this.faults.push(...faults);
    this.sandbox.inject(...faults);
  }

  calm(): void {
    this.faults.length = 0;
    this.sandbox.clearFaults();
  }

  /** Deletes a key as a person would at the service's own site. Ends all faults. */
  async revoke(key: string): Promise<void> {
    this.calm();
    const parameter = this.#shape === "byId" ? (this.#issued.get(key)?.id ?? "") : key;
    await fetch(`${this.sandbox.url}/api/v1/partners/api-key/${encodeURIComponent(parameter)}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${this.sandbox.accessToken}` },
    });
    if (this.sandbox.verify(key)) throw new Error("the sandbox did not revoke a key");
  }
}

/** Any service. */
export const shapes = fc.constantFrom(...(Object.keys(MAPPINGS) as ServiceShape[]));

/** Statuses that refuse a request: with an effect, they would be a lie. */
const REFUSALS = [400, 401, 403, 404, 409, 422, 429, 451];
/** Statuses that leave open whether anything was done. */
const OPEN_ENDED = [302, 303, 307, 408, 500, 502, 503, 504, 520];

const retryAfter = fc.constantFrom("0", "1", "7", "99999", "soon", "Fri, 31 Dec 2099 23:59:59 GMT");
const headers = fc.oneof(
  fc.constant({}),
  retryAfter.map((value) => ({ "retry-after": value })),
);
const effect = fc.boolean();

const wireFaults: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constantFrom("reset", "fin"), effect }),
  fc.record({ kind: fc.constant("resetMidBody") }),
  fc.record({ kind: fc.constant("truncate"), bytes: fc.nat({ max: 120 }) }),
  fc.record({ kind: fc.constant("html"), effect }),
  fc.record({ kind: fc.constant("rateLimit"), retryAfter }),
  fc.record({ kind: fc.constant("status"), status: fc.constantFrom(...OPEN_ENDED), headers, effect }),
  fc.record({ kind: fc.constant("status"), status: fc.constantFrom(...REFUSALS), headers }),
);

/** A success that says nothing. Of another operation it would be a lie where the server refuses. */
const silentSuccess: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constant("status"),
  operation: fc.constantFrom("createApiKey", "listWebhooks"),
  status: fc.constantFrom(200, 202, 206),
  body: fc.constantFrom("", "{}", "null", "Created"),
  effect: fc.constant(true),
});

/** The client waits for nothing, which takes real time, so they are few. */
const slowFaults: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant("hang"), at: fc.constant("headers"), effect }),
  fc.record({ kind: fc.constant("hang"), at: fc.constant("body") }),
);

const oftenOrSeldom = fc
  .record({
    fault: fc.oneof(
      { weight: 20, arbitrary: wireFaults },
      { weight: 3, arbitrary: silentSuccess },
      { weight: 1, arbitrary: slowFaults },
    ),
    operation: fc.constantFrom("createApiKey", "deleteApiKey", "listWebhooks", "activateWebhook", undefined),
    skip: fc.constantFrom(0, 0, 0, 1, 2),
    times: fc.constantFrom(1, 1, 2, 5, 1_000),
  })
  .map(({ fault, operation, skip, times }): Fault => {
    const most = fault.kind === "hang" ? 2 : Infinity;
    return { ...(operation && { operation }), skip, times: Math.min(times, most), ...fault };
  });

/** Something that goes wrong on the wire, once or for a while; or there is a server that is not the Partner API. */
export const storms: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 9, arbitrary: oftenOrSeldom },
  { weight: 1, arbitrary: fc.constant<Fault>({ kind: "status", status: 404, times: 1_000 }) },
);
