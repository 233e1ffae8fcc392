import { onTestFinished } from "vitest";

import { PartnerError } from "../../../provider/src/partner-api/errors.js";
import type { WebhookState } from "../../../provider/src/partner-api/operations.js";
import type { Properties } from "../../../provider/src/adapter/properties.js";
import { PartialFailure } from "../../../provider/src/adapter/resumable-changes.js";
import type { ResourceAdapter } from "../../../provider/src/adapter/resource-adapter.js";
import type { Notice } from "../../../provider/src/account/notice.js";
import type { PartnerApiServer } from "../../support/sandbox.ts";
import { startPlugin } from "../random/engine.ts";

export { sandboxFor as serviceWith, WEBHOOKS as FOUND } from "../../support/sandbox.ts";

export const URN = "urn:pulumi:dev::shop::partners:index:PartnerWebhookStates::fleet";
export const NAME = { id: "default", urn: URN };

/** A resource as a stack stores it. */
export interface Stored {
  readonly inputs: Properties;
  readonly outputs: Properties;
}

type Change = (records: { id: number; status: WebhookState }[]) => unknown;

/** Changes what the list shows. */
export function showList(service: PartnerApiServer, change: Change, headers = {}): void {
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
export function startRun({ url: baseUrl, accessToken }: PartnerApiServer, responses: object = {}) {
  let skipped = 0;
  const { session, adapterOf, list, notices, visible } = startPlugin({
    env: {},
    clock: {
      now: () => performance.now() + skipped,
      random: () => 0.5,
      sleep: (milliseconds) => Promise.resolve(void (skipped += milliseconds)),
    },
    settings: { baseUrl, accessToken, responses: JSON.stringify(responses) },
  });
  onTestFinished(async () => {
    await (await session.open()).close();
  });
  return {
    webhook: adapterOf("webhook1"),
    fleet: adapterOf("fleet1"),
    ...{ list, session, notices, shown: visible },
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
export async function up(handlers: ResourceAdapter, olds: Stored | null, args: Properties, urn = URN) {
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
  const [outcome] = await Promise.allSettled([promise]);
  const error: unknown = outcome.status === "rejected" ? outcome.reason : null;
  if (error instanceof PartialFailure) return { error: error.reason, kept: error.properties };
  if (error instanceof PartnerError) return { error, kept: null };
  throw new Error("no failure", { cause: error });
}

/** Returns the requests since the last call. */
export function taken({ requests }: PartnerApiServer): string[] {
  return requests.splice(0);
}
