import { onTestFinished } from "vitest";

import {
  PartialFailure,
  type Properties,
  type ResourceHandlers,
} from "../../../provider/src/handlers/contract.js";
import { createHandlers, type PartnerHandlers } from "../../../provider/src/handlers/create-handlers.js";
import type { Notice } from "../../../provider/src/handlers/problems.js";
import { PluginProcess, type ProcessOptions } from "../../../provider/src/handlers/process.js";
import { SHAPES, type Sandbox, type Shape } from "../../support/sandbox.ts";
import { failureOf } from "../api/support.ts";

/** When runs of tests take place, unless they say otherwise. */
export const NOON = Date.parse("2026-06-15T12:00:00.000Z");

/** A list that does not tell states. */
export const STATELESS: Shape = {
  ...SHAPES.flat,
  webhooks: (list) => list.map(({ webhookId }) => ({ webhookId, mode: "LIVE" })),
};

/** A list that has further pages. */
export const PAGED: Shape = { ...SHAPES.flat, webhooks: (list) => ({ webhooks: list, hasMore: true }) };

/** One run of Pulumi: a plugin process of its own over a service that lives longer. */
export interface Run extends PartnerHandlers {
  readonly plugin: PluginProcess;
  /** What a person was told, in order. */
  readonly notices: readonly Notice[];
}

/** Starts a run. It takes place at {@link NOON}, unless `options` say otherwise. */
export function startRun(
  service: { readonly url: string; readonly accessToken: string },
  config: Readonly<Record<string, string>> = {},
  options: Partial<ProcessOptions> = {},
): Run {
  const notices: Notice[] = [];
  const plugin = new PluginProcess({
    env: {},
    warn: (notice) => void notices.push(notice),
    currentTime: () => NOON,
    ...options,
  });
  const settings: Readonly<Record<string, string>> = {
    baseUrl: service.url,
    accessToken: service.accessToken,
    requestTimeout: "0.5",
    operationTimeout: "1",
    ...config,
  };
  plugin.configure({ get: (key) => settings[key.replace("partners:", "")] });
  // What was never opened is opened here, and costs nothing.
  onTestFinished(() =>
    plugin.open().then(
      ({ client }) => client.close(),
      () => undefined,
    ),
  );
  return { ...createHandlers(plugin), plugin, notices };
}

/** The setting `responses`, for {@link startRun}. */
export function mapping(responses: object): { responses: string } {
  return { responses: JSON.stringify(responses) };
}

/** What `check` makes of arguments that are right. */
export async function checked(
  handlers: ResourceHandlers,
  args: Properties,
  olds: Properties = {},
): Promise<Properties> {
  const { inputs, problems } = await handlers.check(olds, args);
  if (problems.length > 0) throw new Error(`refused: ${JSON.stringify(problems)}`);
  return inputs;
}

/** Checks arguments and creates the resource. */
export async function create(
  handlers: ResourceHandlers,
  args: Properties = {},
): Promise<{ id: string; inputs: Properties; outputs: Properties }> {
  const inputs = await checked(handlers, args);
  return { inputs, ...(await handlers.create(inputs)) };
}

/** What is kept of a resource that could be created or updated in part only. */
export async function partialFailureOf(promise: Promise<unknown>): Promise<PartialFailure> {
  const error = await failureOf(promise);
  if (error instanceof PartialFailure) return error;
  throw error;
}

/** The methods of the requests that arrived, such as `["GET", "PATCH"]`. */
export function methods({ requests }: Sandbox): string[] {
  return requests.map(({ method }) => method);
}
