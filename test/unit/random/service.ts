import { json, type Answer } from "../../../provider/dist/sandbox/partner-account.js";
import { pageOf } from "../../../provider/dist/sandbox/pages.js";
import type { OperationCall } from "../../../provider/dist/sandbox/sandbox.js";
import { SHAPES, startSandbox, tokenOf, type WebhookSeed, type WebhookState } from "../../support/sandbox.ts";

/** The webhooks that exist at the start, in each account. */
export const WEBHOOKS = [101, 102, 103] as const;

/** The accounts at the service, each with an access token of its own. */
export const ACCOUNTS = ["first", "second"] as const;
export type Account = (typeof ACCOUNTS)[number];
export const TOKENS: Readonly<Record<Account, string>> = {
  first: "sandbox_5d41402abc4b2a76b9719d911017c592",
  second: "sandbox_7d793037a0760186574b0282f2f435e7",
};

/** A key that someone else created in the first account. Nothing may delete it. */
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
    complete: true, // There is a second list.
  },
} as const;

export type ServiceShape = keyof typeof MAPPINGS;

/** A service that records the keys it issued. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** Ways in which a service may treat keys. All can change at any time. */
export interface KeyRules {
  /** It refuses to create a key while there is another one. */
  oneKey: boolean;
  /** Each creation returns the same key while it exists. */
  sameKey: boolean;
  /** Each creation replaces the key in the only record, whose ID therefore does not change. */
  oneRecord: boolean;
  /** Milliseconds after its creation during which a key is not found. */
  keyLag: number;
}

export const USUAL_RULES: Readonly<KeyRules> = {
  oneKey: false,
  sameKey: false,
  oneRecord: false,
  keyLag: 0,
};

/** The ID of the only record. */
const RECORD = "key_record";

/**
 * Starts a sandbox that records the keys it issues, with the responses to their creation.
 *
 * @param isListRead The setting `readWebhooks`.
 * @param pageSize The number of webhooks on a page of the list; `null` for a list without pages.
 */
export async function startService(
  shape: ServiceShape,
  isListRead: boolean,
  pageSize: number | null,
  currentTime: () => number,
) {
  const issued = new Map<string, { id: string; body: string; at: number; account: Account }>();
  /** The webhooks at each request for the list, newest last. */
  const lists: Record<Account, (readonly WebhookSeed[])[]> = { first: [], second: [] };
  const accountOf = (token: string): Account => (token === TOKENS.second ? "second" : "first");
  /** Returns what the list shows, which may be what it showed some requests ago. */
  const shownTo = (account: Account, current: readonly WebhookSeed[]): readonly WebhookSeed[] => {
    const earlier = lists[account];
    earlier.push(current);
    const shown = earlier.at(-1 - service.lag) ?? earlier[0] ?? current;
    const stateOf = (list: readonly WebhookSeed[], id: number): unknown =>
      list.find(({ webhookId }) => webhookId === id)?.state;
    for (const id of WEBHOOKS) {
      if (stateOf(shown, id) !== stateOf(current, id)) service.outdated[account].add(id);
      if (stateOf(shown, id) === undefined) service.unlisted[account].add(id);
    }
    return shown;
  };
  /** What the first page was cut from. The other pages are cut from the same list. */
  const cutFrom: Record<Account, readonly WebhookSeed[]> = { first: [], second: [] };
  const pageFor = (call: OperationCall, size: number): Answer => {
    const token = tokenOf(call);
    const account = accountOf(token);
    const url = new URL(call.response.req.url ?? "", sandbox.url);
    const current = Array.from(sandbox.account(token).webhooks, ([webhookId, state]) => {
      return { webhookId, state };
    });
    if (!url.searchParams.has("page")) cutFrom[account] = shownTo(account, current);
    const { body, headers } = pageOf(cutFrom[account], size, "link", url);
    return json(200, SHAPES[shape].webhooks(body as WebhookSeed[], token), headers);
  };
  const sandbox = await startSandbox({
    shape: {
      ...SHAPES[shape],
      apiKey: (created, token) => {
        const hasRecord = service.oneRecord && shape === "byId";
        const id = hasRecord ? RECORD : created.id;
        const body = SHAPES[shape].apiKey({ ...created, id }, token);
        const account = accountOf(token);
        issued.set(created.key, { id, body: JSON.stringify(body), at: currentTime(), account });
        return body;
      },
      webhooks: (current, token) => SHAPES[shape].webhooks(shownTo(accountOf(token), current), token),
    },
    currentTime,
    refuse: (call) => {
      const account = accountOf(tokenOf(call));
      const keys = liveKeys(service).filter((key) => issued.get(key)?.account === account);
      const inRecord = keys.filter((key) => issued.get(key)?.id === RECORD);
      if (call.operation === "createApiKey") {
        const [first] = keys;
        if (first === undefined) return null;
        if (service.oneKey) return json(409, { error: "delete the other key first" });
        const known = issued.get(first);
        if (service.sameKey && known) return json(201, JSON.parse(known.body));
        if (service.oneRecord) for (const key of inRecord) service.replacedKeys.add(key);
      }
      if (call.operation === "listWebhooks" && pageSize !== null) return pageFor(call, pageSize);
      if (call.operation !== "deleteApiKey") return null;
      const key = keys.find((each) => each === call.parameter || issued.get(each)?.id === call.parameter);
      if (key === undefined) return null;
      if (currentTime() < (issued.get(key)?.at ?? 0) + service.keyLag)
        return json(404, { error: "no such key" });
      if (call.parameter !== RECORD) return null;
      service.deletedKeys.add(key);
      return json(200, { success: true });
    },
    accessToken: TOKENS.first,
    otherAccounts: [TOKENS.second],
    apiKeys: [FOREIGN_KEY],
    webhooks: Object.fromEntries(WEBHOOKS.map((webhookId) => [webhookId, "active"])),
    onRequest: () => {
      service.onRequest();
    },
  });
  const request = (account: Account, method: string, path: string): Promise<Response> =>
    fetch(`${sandbox.url}/api/v1/partners/${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKENS[account]}` },
    });
  const service = {
    sandbox,
    issued,
    ...USUAL_RULES,
    isListRead,
    hasPages: pageSize !== null,
    /** The setting `responses` that suits the service. */
    mapping:
      pageSize === null || shape !== "unreadable"
        ? MAPPINGS[shape]
        : { ...MAPPINGS[shape], pageParameter: "page" },
    /** Whether the setting `responses` says that the list is complete. Then, an empty one is believed. */
    isSaidComplete: "complete" in MAPPINGS[shape],
    /** The keys in whose place another one was created in the only record. They are no longer valid. */
    replacedKeys: new Set<string>(),
    /** The keys that were deleted with the record. */
    deletedKeys: new Set<string>(),
    /**
     * The number of requests for the list by which it lags: it shows the webhooks as they were that many
     * requests ago.
     */
    lag: 0,
    /**
     * The webhooks that a list has shown in a state in which they were not, or although they were gone, or
     * not at all.
     */
    outdated: { first: new Set<number>(), second: new Set<number>() },
    /** The webhooks that a list has not shown. */
    unlisted: { first: new Set<number>(), second: new Set<number>() },
    /** Records that a list may not show a webhook. */
    hide(account: Account, id: number): void {
      service.outdated[account].add(id);
      service.unlisted[account].add(id);
    },
    /** Returns the webhooks of an account. */
    webhooksOf: (account: Account): ReadonlyMap<number, WebhookState> =>
      sandbox.account(TOKENS[account]).webhooks,
    /** Changes a webhook as a person would do. The second account never loses one. */
    async changeWebhook(account: Account, id: number, state: WebhookState | "gone"): Promise<void> {
      if (account === "second") {
        const change = state === "active" ? "active" : "disable";
        await request(account, "PATCH", `webhooks/${id}/${change}`);
        return;
      }
      if (sandbox.webhooks.has(id)) sandbox.removeWebhook(id);
      if (state !== "gone") sandbox.addWebhook(id, state);
    },
    /** Makes the list current, and forgets older ones. Returns to the usual rules for keys. */
    catchUp(): void {
      Object.assign(service, USUAL_RULES, { lag: 0 });
      for (const account of ACCOUNTS) lists[account].splice(0);
    },
    /** Called when a request has ended. */
    onRequest: (): void => undefined,
    /** Deletes a key as a person would do on the service's website. */
    async revoke(key: string): Promise<void> {
      service.keyLag = 0;
      const { id = "", account = "first" } = issued.get(key) ?? {};
      await request(account, "DELETE", `api-key/${encodeURIComponent(shape === "byId" ? id : key)}`);
      if (liveKeys(service).includes(key)) throw new Error("the sandbox did not revoke the key");
    },
  };
  return service;
}

/** Returns the valid keys of both accounts, except {@link FOREIGN_KEY}. */
export function liveKeys({ sandbox, replacedKeys, deletedKeys }: Service): readonly string[] {
  const isGone = (key: string): boolean => replacedKeys.has(key) || deletedKeys.has(key);
  const keys = ACCOUNTS.flatMap((account) => sandbox.account(TOKENS[account]).apiKeys);
  return keys.filter((key) => key !== FOREIGN_KEY && !isGone(key));
}
