import { onTestFinished } from "vitest";

import type { Clock } from "../../../provider/src/partner-api/rate-limiter.js";
import { PartnerError } from "../../../provider/src/partner-api/errors.js";
import type { WebhookState } from "../../../provider/src/partner-api/operations.js";
import { PluginProcess } from "../../../provider/src/plugin/plugin-process.js";
import type { Properties } from "../../../provider/src/plugin/properties.js";
import { PartialFailure, ResourceAdapter } from "../../../provider/src/plugin/resource-adapter.js";
import type { Notice } from "../../../provider/src/plugin/resource.js";
import { createWebhooks } from "../../../provider/src/webhooks/webhooks.js";
import { ACCESS_TOKEN, startPartnerApi, type PartnerApiServer } from "../../support/partner-api-server.ts";

/** The webhooks of a service, unless a test says otherwise. */
export const FOUND = { 101: "active", 102: "active", 103: "disabled" } as const;
export const URN = "urn:pulumi:dev::shop::partners:index:PartnerWebhookStates::fleet";
export const NAME = { id: "default", urn: URN };

/** A resource as a stack stores it. */
export interface Stored {
  readonly inputs: Properties;
  readonly outputs: Properties;
}

/** Starts a service that ends with the test. */
export async function serviceWith(
  webhooks: Readonly<Record<number, WebhookState>> = FOUND,
): Promise<PartnerApiServer> {
  const service = await startPartnerApi(webhooks);
  onTestFinished(() => service.close());
  return service;
}

/** Changes what the list shows. @param change Gets records such as `{ id: 101, status: "active" }`. */
export function showList(
  service: PartnerApiServer,
  change: (records: { id: number; status: WebhookState }[]) => unknown,
  headers = {},
): void {
  service.answers.listWebhooks = () => {
    const records = Array.from(service.webhooks, ([id, status]) => ({ id, status }));
    return { body: change(records), headers };
  };
}

/** A list without states. */
export function hideStates(service: PartnerApiServer): void {
  showList(service, (records) => records.map(({ id }) => ({ id })));
}

/** A list that is incomplete: it shows only its first record. */
export function showOne(service: PartnerApiServer): void {
  showList(service, (records) => ({ data: records.slice(0, 1), has_more: true }));
}

export type Run = ReturnType<typeof startRun>;

/** Starts one process of the plugin, in which retries do not wait. */
export function startRun({ url }: PartnerApiServer, responses: object = {}) {
  const notices: Notice[] = [];
  const shown: string[] = [];
  let skipped = 0;
  const clock: Clock = {
    now: () => performance.now() + skipped,
    random: () => 0.5,
    sleep: (milliseconds) => {
      skipped += milliseconds;
      return Promise.resolve();
    },
  };
  const plugin = new PluginProcess({
    env: {},
    clock,
    notify: (notice) => void notices.push(notice),
    showStatus: (text) => void shown.push(text),
  });
  const settings: Readonly<Record<string, string>> = {
    baseUrl: url,
    accessToken: ACCESS_TOKEN,
    responses: JSON.stringify(responses),
  };
  plugin.configure({ get: (key) => settings[key.replace("partners:", "")] });
  onTestFinished(async () => {
    await (await plugin.open()).close();
  });
  const { webhookState, webhookStates, list } = createWebhooks(plugin);
  return {
    webhook: new ResourceAdapter(plugin, webhookState),
    fleet: new ResourceAdapter(plugin, webhookStates),
    ...{ list, plugin, notices, shown },
    /** The texts of the notices of one severity. */
    texts: (severity: Notice["severity"]) =>
      notices.filter((notice) => notice.severity === severity).map(({ text }) => text),
  };
}

/** Previews arguments: checks them, and compares them with the stack. @throws the first problem. */
export async function preview(handlers: ResourceAdapter, olds: Stored | null, args: Properties, urn = URN) {
  const { inputs, problems } = await handlers.check(olds?.inputs ?? {}, args, urn);
  const [problem] = problems;
  if (problem !== undefined) throw new Error(problem);
  return { inputs, plan: olds && handlers.diff(olds.outputs, inputs, { ...NAME, urn }) };
}

/** Updates a resource, or creates it. @throws as the handlers do. */
export async function up(
  handlers: ResourceAdapter,
  olds: Stored | null,
  args: Properties,
  urn = URN,
): Promise<Stored> {
  const { inputs, plan } = await preview(handlers, olds, args, urn);
  if (olds === null) return { inputs, outputs: (await handlers.create(inputs, urn)).outputs };
  if (plan?.changes !== true) return olds;
  return { inputs, outputs: await handlers.update(olds.outputs, inputs, { ...NAME, urn }) };
}

/** Refreshes a resource. @returns `null` if it is gone. */
export async function refresh(handlers: ResourceAdapter, olds: Stored): Promise<Stored | null> {
  const found = await handlers.read(olds.outputs);
  return found && { inputs: found.inputs ?? olds.inputs, outputs: found.outputs };
}

/** Returns the error with which a promise rejects, and what a partial failure keeps. */
export async function failureOf(
  promise: Promise<unknown>,
): Promise<{ readonly error: PartnerError; readonly kept: Properties | null }> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof PartialFailure) return { error: error.reason, kept: error.properties };
  if (error instanceof PartnerError) return { error, kept: null };
  throw new Error("no failure", { cause: error });
}

/** Returns the requests since the last call. */
export function taken({ requests }: PartnerApiServer): string[] {
  return requests.splice(0);
}
