import type { ApiResponse, PartnerClient } from "../api/client.js";
import { keepResponse, type KeptResponse } from "../api/kept-response.js";
import type { WebhookState } from "../api/operations.js";
import { isWebPage, reportsFailure } from "../responses/failure-report.js";
import { isFailedCreation } from "../responses/key-reader.js";
import type { ResponseMapping } from "../responses/mapping.js";
import { readWebhookList, type WebhookListReading } from "../responses/webhook-list-reader.js";

/** The result of a successful creation. */
export interface CreatedKey {
  /** Secret. */
  readonly response: KeptResponse;
  /** When the response arrived, ISO 8601. */
  readonly createdAt: string;
}

/** A webhook list that was read successfully. */
export type WebhookList = Extract<WebhookListReading, { readable: true }>;

/** The Partner API, with its responses interpreted. Created by {@link interpretResponses}. */
export interface PartnerService extends Pick<PartnerClient, "pendingOperations" | "close"> {
  /**
   * Creates a key. Never throws once the server has returned a key: the response is the only copy.
   * @throws {RequestError} with `effect: "possible"` if a key may have been created.
   */
  createApiKey(): Promise<CreatedKey>;
  /**
   * Deletes a key, identified by its value or by its ID.
   * @throws {RequestError}
   * @throws {SettingsError} if the value or ID cannot be part of a path.
   */
  deleteApiKey(apiKey: string): Promise<void>;
  /** Lists the webhooks. @param timeout Milliseconds, if less than `operationTimeout`. @throws {RequestError} */
  listWebhooks(timeout?: number): Promise<WebhookList>;
  /** Sets the state of a webhook. @throws {RequestError} */
  setWebhookState(webhookId: number, state: WebhookState): Promise<void>;
}

/** Interprets what the client receives: a 2xx response may still report a failure, and a list may not be recognized. */
export function interpretResponses(client: PartnerClient, mapping: ResponseMapping): PartnerService {
  return {
    async createApiKey() {
      const response = await client.createApiKey();
      const text = textOf(response);
      if (isFailedCreation(text, mapping)) throw reportedFailure(response, text);
      const { body, isComplete, receivedAt } = response;
      return { response: keepResponse(body, isComplete), createdAt: receivedAt };
    },
    async deleteApiKey(apiKey) {
      assertSuccess(await client.deleteApiKey(apiKey));
    },
    async listWebhooks(timeout) {
      const response = await client.listWebhooks(timeout);
      const text = assertSuccess(response);
      const reading = readWebhookList(text, response.headers, response.status, mapping);
      if (reading.readable) return reading;
      throw response.failure({ kind: "unreadableList", reading });
    },
    async setWebhookState(webhookId, state) {
      assertSuccess(await client.setWebhookState(webhookId, state));
    },
    get pendingOperations() {
      return client.pendingOperations;
    },
    close: () => client.close(),
  };
}

/** Returns the text of a response. @throws {RequestError} if it reports a failure. */
function assertSuccess(response: ApiResponse): string {
  const text = textOf(response);
  if (reportsFailure(text)) throw reportedFailure(response, text);
  return text;
}

function reportedFailure(response: ApiResponse, text: string): Error {
  return response.failure({ kind: isWebPage(text) ? "webPage" : "reportedFailure" });
}

function textOf({ body }: ApiResponse): string {
  return body.toString("utf8");
}
