// THROW-AWAY: the modules of the redesign, over those of today. Deleted at the merge.
import { PartnerError, UnreadableResponseError } from "../api/errors.js";
import type { Exchange } from "../api/exchange.js";
import type { WebhookState } from "../api/operations.js";
import { explainWebhookList, reportsFailure } from "../api/responses.js";
import { describeStructure as describeOldStructure } from "../api/responses/structure.js";
import { textOf } from "../api/wire.js";
import { messageOf } from "../plugin/boundary.js";
import type { Settings } from "../plugin/settings.js";
import {
  startSandbox as startOldSandbox,
  type LoggedRequest,
  type Sandbox,
  type SandboxOptions,
} from "../sandbox/index.js";

export { ACCOUNT_KEY, DEFAULT_ACCOUNT } from "../account-name.js";
export { assertNodeVersion } from "../plugin/session.js";
export {
  accountName,
  EXPLICIT_KEY,
  findSetting,
  variableOf,
  type ConfigSource,
} from "../plugin/setting-lookup.js";
export { readSettings, type Settings } from "../plugin/settings.js";
export type { LoggedRequest, Sandbox };

export interface WebhookReading {
  readonly webhookId: number;
  readonly state: WebhookState | null;
  readonly missing: "webhookState" | "active" | null;
  readonly record: Readonly<Record<string, unknown>>;
}
export interface WebhookList {
  readonly webhooks: ReadonlyMap<number, WebhookReading>;
  readonly complete: boolean;
  readonly places: Readonly<Record<string, readonly string[]>>;
}
export interface PartnerClient {
  listWebhooks(): Promise<WebhookList>;
  close(): Promise<void>;
}
type Cause =
  | { kind: "other" }
  | {
      kind: "unreadableList";
      reading: { setting: "webhooks" | "webhookId"; reason: string; candidates: readonly string[] };
      body: string;
    };
export class RequestError extends Error {
  readonly failure: { readonly cause: Cause };
  constructor(message: string, cause: Cause) {
    super(message);
    this.failure = { cause };
  }
}
export function renderError(error: unknown, _terms: { explicit: boolean }): string {
  return error instanceof RequestError ? error.message : messageOf(error);
}
export function mappingCommand(member: string, value: string): string {
  const quoted = /^[\w/-]+$/.test(value) ? value : `'${value}'`;
  return `pulumi config set --path 'partners:responses.${member}' ${quoted}`;
}
export function describeStructure(text: string): string[] {
  return describeOldStructure(JSON.parse(text));
}
export function createClient(settings: Settings & { log?: (line: string) => void }): PartnerClient {
  let last: Exchange | undefined;
  const opened = import("../api/client.js").then(({ createClient: createOldClient }) =>
    createOldClient({ ...settings, observe: (exchange) => (last = exchange) }),
  );
  const body = () => (last?.kind === "answered" ? textOf(last.body) : "");
  return {
    close: async () => (await opened).close(),
    listWebhooks: async () => {
      const list = await (await opened).listWebhooks().catch((error: unknown) => {
        const shape =
          error instanceof UnreadableResponseError && !reportsFailure(body())
            ? explainWebhookList(body(), settings.responses)
            : null;
        if (!(error instanceof PartnerError) || shape?.missing == null) throw error;
        throw new RequestError(messageOf(error), {
          kind: "unreadableList",
          reading: { ...shape.missing, setting: shape.missing.setting as "webhooks", reason: "" },
          body: body(),
        });
      });
      const shape = explainWebhookList(body(), settings.responses);
      const missing = (shape?.missing?.setting ?? null) as WebhookReading["missing"];
      return {
        webhooks: new Map(
          [...list.webhooks.values()].map((one) => [
            one.webhookId,
            { ...one, missing: one.state === null ? missing : null },
          ]),
        ),
        complete: list.complete,
        places: shape?.pointers ?? {},
      };
    },
  };
}
export async function startSandbox({
  onRequest,
  ...options
}: SandboxOptions & { onRequest?: (request: LoggedRequest) => void }): Promise<Sandbox> {
  const sandbox = await startOldSandbox(options);
  let seen = 0;
  const timer = setInterval(() => {
    for (const request of sandbox.requests.slice(seen)) {
      seen += 1;
      onRequest?.(request);
    }
  }, 20);
  timer.unref();
  return sandbox;
}
