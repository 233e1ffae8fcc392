import {
  SHAPES,
  startSandbox,
  type Fault,
  type KeyAlphabet,
  type Sandbox,
  type ShapeName,
  type WebhookSeed,
} from "../../support/sandbox.ts";

/** What a {@link Service} is made of. */
export interface ServiceOptions {
  readonly shape: ShapeName;
  readonly keyAlphabet?: KeyAlphabet;
  readonly webhooks?: readonly WebhookSeed[];
  readonly oneKeyAtATime?: boolean;
  /** Keys that somebody else made, and that must survive everything. @default 0 */
  readonly strangers?: number;
}

/** The mappings without which nothing of a shape can be read, or keys cannot be deleted. */
const NEEDED_MAPPINGS: Partial<Record<ShapeName, object>> = {
  byId: { apiKeyId: "/apiKey/id" },
  unreadable: {
    apiKey: "/result/token",
    webhooks: "/outgoing",
    webhookId: "/ref",
    webhookState: "/mode",
    active: ["go"],
    disabled: ["halt"],
  },
};

/** What answered the creation of each key. */
type Issued = ReadonlyMap<string, { readonly id: string; readonly body: string }>;

/** The account of one customer at one sandbox, and all that was ever sent from it. */
export class Service {
  readonly sandbox: Sandbox;
  readonly shape: ShapeName;
  readonly strangers: ReadonlySet<string>;
  /** How often all went well again. */
  calms = 0;
  /** The faults injected since the last {@link calm}. */
  readonly faults: Fault[] = [];
  readonly #issued: Issued;

  private constructor(sandbox: Sandbox, shape: ShapeName, issued: Issued) {
    this.sandbox = sandbox;
    this.shape = shape;
    this.strangers = new Set(sandbox.apiKeys);
    this.#issued = issued;
  }

  static async start({ shape, strangers = 0, ...options }: ServiceOptions): Promise<Service> {
    const issued = new Map<string, { id: string; body: string }>();
    const apiKeys = Array.from({ length: strangers }, (_, index) => `pk_live_of_somebody_else_${index}`);
    const recording = {
      ...SHAPES[shape],
      apiKey: (key: Parameters<(typeof SHAPES)[ShapeName]["apiKey"]>[0]) => {
        const body = SHAPES[shape].apiKey(key);
        issued.set(key.key, { id: key.id, body: JSON.stringify(body) });
        return body;
      },
    };
    return new Service(await startSandbox({ ...options, apiKeys, shape: recording }), shape, issued);
  }

  /** The mapping by which everything can be read and deleted; undefined where none is needed. */
  get mapping(): string | undefined {
    const needed = NEEDED_MAPPINGS[this.shape];
    return needed && JSON.stringify(needed);
  }

  /** All keys ever made here through the API. */
  get everIssued(): readonly string[] {
    return [...this.#issued.keys()];
  }

  /** The body that answered the creation of a key, as the server meant to send it. */
  bodyOf(key: string): string {
    return this.#issued.get(key)?.body ?? "";
  }

  inject(...faults: readonly Fault[]): void {
    this.faults.push(...faults);
    this.sandbox.inject(...faults);
  }

  calm(): void {
    this.calms += 1;
    this.faults.length = 0;
    this.sandbox.clearFaults();
  }

  /** Deletes a key as somebody else would, at the service's own site. Not while there are faults. */
  async revoke(key: string): Promise<void> {
    const { url, accessToken } = this.sandbox;
    const parameter = this.shape === "byId" ? (this.#issued.get(key)?.id ?? "") : key;
    await fetch(`${url}/api/v1/partners/api-key/${encodeURIComponent(parameter)}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${accessToken}` },
    });
    if (this.sandbox.verify(key)) throw new Error("The sandbox did not revoke a key.");
  }
}
