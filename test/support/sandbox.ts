/** A Partner API of the contract for the plugin and engine tests, and the faults that they inject into it. */
import { onTestFinished } from "vitest";

import type { WebhookState } from "../../provider/src/partner-api/operations.ts";
import { startPartnerApi, type Answer, type Answers, type PartnerApiServer } from "./partner-api-server.ts";

export type { Answer, PartnerApiServer } from "./partner-api-server.ts";

/** Two active webhooks and a disabled one. */
export const WEBHOOKS = { 101: "active", 102: "active", 103: "disabled" } as const;

/** Starts a service that is closed when the test ends. */
export async function sandboxFor(
  webhooks: Readonly<Record<number, WebhookState>> = WEBHOOKS,
  accessToken?: string,
): Promise<PartnerApiServer> {
  const api = await startPartnerApi(webhooks, accessToken);
  onTestFinished(() => api.close());
  return api;
}

/** Returns the environment variables that point at a service. */
export function environmentFor({ url, accessToken }: PartnerApiServer): Record<string, string> {
  return { PARTNERS_BASE_URL: url, PARTNERS_ACCESS_TOKEN: accessToken };
}

/** Returns the webhook states of a service by ID. */
export function statesOf({ webhooks }: PartnerApiServer): Record<number, WebhookState> {
  return Object.fromEntries(webhooks);
}

/** Counts the requests since the last call by method. */
export function countRequests({ requests }: PartnerApiServer): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [method = ""] of requests.splice(0).map((call) => call.split(" ", 1)))
    counts[method] = (counts[method] ?? 0) + 1;
  return counts;
}

type Answered = Answer | Promise<Answer>;

/**
 * Replaces the answers of one operation.
 *
 * @param replacement Gets a function that performs the operation, and returns its usual answer.
 * @param times How many answers; then the usual ones follow.
 */
export function replaceAnswers(
  { answers }: PartnerApiServer,
  operation: keyof Answers,
  replacement: (usual: () => Answered) => Answered,
  times = Infinity,
): void {
  const usual = answers[operation] as (...args: unknown[]) => Answered;
  let left = times;
  const replaced = (...args: unknown[]): Answered =>
    (left -= 1) < 0 ? usual(...args) : replacement(() => usual(...args));
  Object.assign(answers, { [operation]: replaced });
}

/** Performs the next calls of an operation, and breaks the connections instead of answering. */
export function loseAnswers(api: PartnerApiServer, operation: keyof Answers, times = 1): void {
  const lose = async (usual: () => Answered): Promise<Answer> => {
    await usual();
    return "reset";
  };
  replaceAnswers(api, operation, lose, times);
}

/** Answers the next calls of an operation with a status, and does not perform them. */
export function refuse(api: PartnerApiServer, operation: keyof Answers, status: number, times = 1): void {
  replaceAnswers(api, operation, () => ({ status, body: { error: "refused by the test" } }), times);
}

/**
 * Performs the next call of an operation, but holds back its answer.
 *
 * @returns What to wait for, and what sends the answer.
 */
export function holdAnswer(api: PartnerApiServer, operation: keyof Answers) {
  const [reached, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const hold = async (usual: () => Answered): Promise<Answer> => {
    const answer = await usual();
    reached.resolve(undefined);
    await released.promise;
    return answer;
  };
  replaceAnswers(api, operation, hold, 1);
  return {
    /** Resolves when the operation has been performed. */
    reached: reached.promise,
    release: (): void => {
      released.resolve(undefined);
    },
  };
}
