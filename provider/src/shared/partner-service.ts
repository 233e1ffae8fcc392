import type { ApiResponse, ListResponse, PartnerClient } from "../api/client.js";
import type { FailureCause, RequestError } from "../api/errors.js";
import type { WebhookState } from "../api/operations.js";
import { readChange } from "../responses/change-reader.js";
import { deniesDeletion } from "../responses/deletion-reader.js";
import type { PagePosition } from "../responses/next-page.js";
import { reportsFailure } from "../responses/failure-report.js";
import { readWebhookList } from "../responses/webhook-list-reader.js";
import { isWebPage, parseDocument, provesWhole } from "../json.js";
import type { Settings } from "./settings.js";
import { keepResponse, readNewResponse, tokenMark, type Creation } from "../keys/stored-key.js";
import { readAllPages, type WebhookList } from "../webhooks/list-pages.js";

/**
 * The Partner API, with its responses interpreted. Each method also throws as that of {@link PartnerClient}.
 */
export interface PartnerService extends Pick<PartnerClient, "pendingOperations" | "clockOffset" | "close"> {
  /**
   * Creates a key. Never throws once the server has returned a key: the response is the only copy.
   *
   * @throws {RequestError} with `effect: "possible"` if a key may have been created.
   */
  createApiKey(): Promise<Creation>;
  /**
   * Deletes a key.
   *
   * @param apiKey The key, if `apiKeyOrId` is its ID. No message may contain it.
   * @param isNew Whether the key was created a moment ago. Then a 404 is retried, because the service may not
   *   find the key yet. @default false: a 404 is final
   */
  deleteApiKey(apiKeyOrId: string, apiKey?: string, isNew?: boolean): Promise<void>;
  /** Requests the webhook list, without reading it. @throws {RequestError} also if it reports a failure. */
  requestList(): Promise<ListResponse>;
  /**
   * Lists the webhooks, on all pages.
   *
   * @param first What {@link requestList} returned. @default the list is requested
   * @throws {RequestError} also if the list is not recognized.
   */
  listWebhooks(first?: ListResponse): Promise<WebhookList>;
  /**
   * Sets the state of a webhook.
   *
   * @returns `null`, or the error `notApplied` if the response shows the other state. The response may be
   *   outdated, so only the list can tell.
   */
  setWebhookState(webhookId: number, state: WebhookState): Promise<RequestError | null>;
}

/**
 * Interprets what the client receives: a 2xx response may still report a failure, and a list may not be
 * recognized.
 */
export function interpretResponses(
  client: PartnerClient,
  settings: Pick<Settings, "accessToken" | "headers" | "identity" | "responses">,
): PartnerService {
  const { responses: mapping, identity } = settings;
  return {
    async createApiKey() {
      const response = await client.createApiKey();
      const { receivedAt: createdAt, undecoded } = response;
      const kept = keepResponse(response.body, response.complete);
      const reading = readNewResponse(kept, response.status, settings);
      if (reading.kind === "failed") throw response.failure(unsuccessful(reading.isWebPage));
      return { created: { response: kept, createdAt, token: tokenMark(identity), undecoded }, reading };
    },
    async deleteApiKey(apiKeyOrId, apiKey, isNew) {
      successText(await client.deleteApiKey(apiKeyOrId, apiKey, isNew), deniesDeletion);
    },
    async requestList() {
      const response = await client.listWebhooks();
      successText(response);
      return response;
    },
    listWebhooks: (first) => {
      const readPage = (response: ListResponse, position: PagePosition) => {
        // `requestList` has checked the first one, which may be long.
        const text = response === first ? bodyText(response) : successText(response);
        const reading = readWebhookList(text, response.headers, response.status, mapping, position);
        if (reading.readable) return reading;
        throw response.failure(unreadableText(response, text) ?? { kind: "unreadableList", reading });
      };
      return readAllPages(client, readPage, mapping.complete, first);
    },
    async setWebhookState(webhookId, state) {
      const response = await client.setWebhookState(webhookId, state);
      const { failed, shown } = readChange(bodyText(response), webhookId, mapping);
      if (shown === state) return null;
      successText(response, () => failed);
      return shown === null ? null : response.failure({ kind: "notApplied" });
    },
    pendingOperations: () => client.pendingOperations(),
    clockOffset: () => client.clockOffset(),
    close: () => client.close(),
  };
}

/** Returns why the text of a response is not a document, if the reason lies in the transfer. */
function unreadableText({ complete, undecoded }: ApiResponse, text: string): FailureCause | null {
  if (provesWhole(parseDocument(text))) return null;
  if (undecoded !== null) return { kind: "undecoded", encoding: undecoded };
  return complete ? null : { kind: "cutOff" };
}

/** Returns the text of a response. @throws {RequestError} if it reports a failure. */
function successText(response: ApiResponse, isFailure = reportsFailure): string {
  const text = bodyText(response);
  if (isFailure(text)) throw response.failure(unsuccessful(isWebPage(text)));
  return text;
}

function bodyText({ body }: ApiResponse): string {
  return body.toString("utf8");
}

function unsuccessful(isPage: boolean): FailureCause {
  return { kind: isPage ? "webPage" : "reportedFailure" };
}
