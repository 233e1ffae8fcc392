import { onTestFinished } from "vitest";

import type { Properties } from "../../../provider/src/shared/properties.js";
import { PartialFailure } from "../../../provider/src/shared/partial-failure.js";
import { isInformation } from "../../../provider/src/messages/notice-messages.js";
import { createHandlers } from "../../../provider/src/shared/create-handlers.js";
import type { Notice } from "../../../provider/src/shared/problems.js";
import { PluginProcess, type ProcessOptions } from "../../../provider/src/shared/plugin-process.js";
import type { Journal } from "../../../provider/src/shared/journal.js";
import type { KeyEntry } from "../../../provider/src/keys/key-holders.js";
import type { JournalEntry } from "../../../provider/src/webhooks/run-claims.js";
import type { ResourceAdapter } from "../../../provider/src/shared/resource-adapter.js";
import type { Sandbox } from "../../support/sandbox.ts";
import { failureOf } from "../api/support.ts";

const DAY = 86_400_000;
/**
 * The time of a run, unless its options set another one: noon tomorrow, UTC, so that the keys that tests
 * create are neither a moment old nor from the future.
 */
export const NOON = (Math.floor(Date.now() / DAY) + 1.5) * DAY;

/**
 * The handlers of a separate plugin process, its warnings in order, and what else it tells. The service
 * outlives it.
 */
export type Run = ReturnType<typeof startRun>;

/** Settings under which a test can wait for the end of a request that hangs or is always throttled. */
export const SHORT_TIMEOUTS = { requestTimeout: "0.5", operationTimeout: "1" };

/** Starts one run of Pulumi. It takes place at {@link NOON}, unless its options set another time. */
export function startRun(
  service: { readonly url: string; readonly accessToken: string },
  config: Readonly<Record<string, string>> = {},
  options: Partial<ProcessOptions> = {},
) {
  const notices: Notice[] = [];
  const information: Notice[] = [];
  const plugin = new PluginProcess({
    env: {},
    warn: (notice) => void (isInformation(notice) ? information : notices).push(notice),
    currentTime: () => NOON,
    ...options,
  });
  const settings: Readonly<Record<string, string>> = {
    baseUrl: service.url,
    accessToken: service.accessToken,
    requestTimeout: "10",
    operationTimeout: "20",
    ...config,
  };
  plugin.configure({ get: (key) => settings[key.replace("partners:", "")] });
  // Opening a session sends no request, so this may open one that the test never used.
  onTestFinished(() =>
    plugin.open().then(
      ({ client }) => client.close(),
      () => undefined,
    ),
  );
  return { ...createHandlers(plugin), plugin, notices, information };
}

/** Connects the processes of one run. Returns a function that connects one more. */
export function sharedJournals(): () => {
  readonly journal: Journal<JournalEntry>;
  readonly keyJournal: Journal<KeyEntry>;
} {
  const [connectWebhooks, connectKeys] = [sharedEntries<JournalEntry>(), sharedEntries<KeyEntry>()];
  return () => ({ journal: connectWebhooks(), keyJournal: connectKeys() });
}

function sharedEntries<Entry>() {
  const all: { readonly process: number; readonly entry: Entry }[] = [];
  let processes = 0;
  return (): Journal<Entry> => {
    const process = ++processes;
    let read = 0;
    return {
      folder: "in memory",
      isPrivate: true,
      append: (entry: Entry) => all.push({ process, entry }) > 0,
      readOthers: () => {
        const added = all.slice(read).filter((other) => other.process !== process);
        read = all.length;
        return added.map(({ entry }) => entry);
      },
    };
  };
}

/** Returns the setting `responses`, for {@link startRun}. */
export function mapping(responses: object): { responses: string } {
  return { responses: JSON.stringify(responses) };
}

/** Checks valid arguments and returns the inputs. @throws if `check` finds a problem. */
export async function checked(
  handlers: ResourceAdapter,
  args: Properties,
  olds: Properties = {},
): Promise<Properties> {
  const { inputs, problems } = await handlers.check(olds, args);
  if (problems.length > 0) throw new Error(`refused: ${JSON.stringify(problems)}`);
  return inputs;
}

/** Checks arguments and creates the resource. */
export async function create(
  handlers: ResourceAdapter,
  args: Properties = {},
): Promise<{ id: string; inputs: Properties; outputs: Properties }> {
  const inputs = await checked(handlers, args);
  return { inputs, ...(await handlers.create(inputs)) };
}

/** Returns the partial failure with which a promise rejects. */
export async function partialFailureOf(promise: Promise<unknown>): Promise<PartialFailure> {
  const error = await failureOf(promise);
  if (error instanceof PartialFailure) return error;
  throw error;
}

/** Returns the methods of the requests that the service received, such as `["GET", "PATCH"]`. */
export function methods({ requests }: Sandbox): string[] {
  return requests.map(({ method }) => method);
}
