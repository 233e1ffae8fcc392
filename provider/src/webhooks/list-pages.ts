import type { ListResponse, PartnerClient } from "../api/client.js";
import { RequestError } from "../api/errors.js";
import { pageQuery, withParameter } from "../api/page-address.js";
import { normalizeName } from "../json.js";
import { FIRST_PAGE, type NextPage, type PagePosition } from "../responses/next-page.js";
import {
  haveOtherIds,
  type OddRecord,
  type WebhookListReading,
  type WebhookReading,
} from "../responses/webhook-list-reader.js";

/**
 * The maximum number of pages: enough for 2,000 webhooks, the largest account that we measure, on pages of
 * 10.
 */
export const MAX_PAGES = 200;
/** What a service answers to a query parameter that it does not know. */
const REFUSALS = [400, 404, 422];

/** Why pages of a list were not read. `page`: the number of the last page that was read. */
export type UnreadPages = Readonly<
  /** The next page has another address than the list, and must not get the access token. */
  | { kind: "elsewhere"; page: number }
  /** The response says that there is a next page, but not how to request it. */
  | { kind: "unknown"; page: number; pointers: readonly string[]; isAddress: boolean }
  /** The service refused a parameter that it does not name itself. `words`: what it said, redacted. */
  | {
      kind: "refused";
      page: number;
      parameter: string;
      pointer: string | null;
      status: number | null;
      words: string | null;
    }
  /** The page shows no new webhook, so the service may not know the `parameter` that led to it. */
  | { kind: "nothingNew"; page: number; parameter: string | null; pointer: string | null }
  /** The next page is one that was already read. */
  | { kind: "loop"; page: number }
  /** There are more than {@link MAX_PAGES}. */
  | { kind: "tooMany"; page: number }
>;

/** A page that was read successfully. */
type Page = Extract<WebhookListReading, { readable: true }>;

/** All pages of a webhook list, as one list. */
export interface WebhookList extends Omit<Page, "next" | "recordCount" | "total"> {
  /** Why further pages were not read; `null` if nothing leads to one. */
  readonly unread: UnreadPages | null;
  /** The number of pages that were read. */
  readonly pages: number;
}

/**
 * Reads all pages of the webhook list, one after the other. Ends with the page that leads to no other, or
 * that leads nowhere new. If the pages show different totals, reads them once more: on pages by position, a
 * webhook that is created or deleted meanwhile moves another one to a page that was already read.
 *
 * @param readPage Reads a response. @throws {RequestError} if it is not recognized.
 * @param isComplete The setting `responses.complete`: whether there are no other pages than can be read.
 * @param first The first page. @default it is requested
 * @throws {RequestError} also if a page after the first cannot be read.
 */
export async function readAllPages(
  client: ListClient,
  readPage: (response: ListResponse, position: PagePosition) => Page,
  isComplete = false,
  first?: ListResponse,
): Promise<WebhookList> {
  const totals = new Set<number>();
  const readAndCompare: typeof readPage = (response, position) => {
    const page = readPage(response, position);
    if (page.total !== null) totals.add(page.total);
    return page;
  };
  const list = await readPagesOnce(client, readAndCompare, isComplete, first);
  return totals.size > 1 ? readPagesOnce(client, readPage, isComplete) : list;
}

type ListClient = Pick<PartnerClient, "listWebhooks" | "listAddress">;

async function readPagesOnce(
  client: ListClient,
  readPage: (response: ListResponse, position: PagePosition) => Page,
  isComplete: boolean,
  first?: ListResponse,
): Promise<WebhookList> {
  const webhooks = new Map<number, WebhookReading>();
  const queries = new Set([""]);
  let response = first ?? (await client.listWebhooks());
  let position: PagePosition = FIRST_PAGE;
  let pointers: Page["pointers"] = {};
  const odd: OddRecord[] = [];
  let way: Pick<NextPage & { kind: "parameter" }, "parameter" | "pointer"> | null = null;
  let hasLed = false; // The way has led to a page with new webhooks.
  for (;;) {
    const page = readPage(response, position);
    assertSameShape(response, page, pointers);
    pointers = { ...page.pointers, ...pointers };
    const before = position.recordsBefore;
    for (const { position, reason } of page.odd) odd.push({ position: before + position, reason });
    const known = webhooks.size;
    for (const [webhookId, webhook] of page.webhooks) webhooks.set(webhookId, webhook);

    const end = (unread: UnreadPages | null): WebhookList => {
      const { complete, provesAbsence } = page;
      // An empty page that counts as the last one may still lead to another, which would be empty as well.
      const isLast = unread === null || (unread.kind === "nothingNew" && page.recordCount === 0);
      const isWhole = isLast || (isComplete && unread.kind !== "tooMany");
      return {
        readable: true,
        webhooks,
        odd,
        pointers,
        complete: complete && isWhole,
        provesAbsence: provesAbsence && isWhole && haveOtherIds(odd),
        doubt: page.doubt ?? (haveOtherIds(odd) ? null : "odd"),
        unread,
        pages: position.number,
      };
    };
    const { number } = position;
    if (page.next === null) return end(null);
    if (page.next.kind === "unknown") return end({ ...page.next, page: number });
    if (webhooks.size === known) {
      // A server that ignores the parameter would show the first page again.
      const isIgnored = page.recordCount > 0 && !hasLed;
      const { parameter = null, pointer = null } = (isIgnored && way) || {};
      return end({ kind: "nothingNew", page: number, parameter, pointer });
    }
    if (number === MAX_PAGES) return end({ kind: "tooMany", page: number });
    const query = queryOf(page.next, client.listAddress, [...queries].at(-1) ?? "");
    if (query === null) return end({ kind: "elsewhere", page: number });
    if (queries.has(query)) return end({ kind: "loop", page: number });
    queries.add(query);
    const { next: tried } = page;
    hasLed = tried.kind === "parameter" && tried.parameter === way?.parameter;
    way = tried.kind === "parameter" ? tried : null;
    const next = await response.nextPage(query).catch((error: unknown) => refusalOf(error, tried, number));
    if ("kind" in next && next.kind === "refused") return end(next);
    response = next;
    position = {
      number: number + 1,
      recordsBefore: before + page.recordCount,
      othersBefore: position.othersBefore + page.recordCount - page.webhooks.size,
      known: webhooks,
      followed: tried.kind === "address" ? tried : null,
    };
  }
}

/** Returns the query of the next page; `null` if it is elsewhere. */
function queryOf(next: NextPage, list: string, current: string): string | null {
  if (next.kind === "parameter") return withParameter(current, next.parameter, next.value);
  const addresses = next.kind === "address" ? next.addresses : [];
  return addresses.map((address) => pageQuery(list, address)).find((query) => query !== null) ?? null;
}

/**
 * Returns what a failed request for the second page says about a parameter that only its usual name suggests:
 * such a guess must not make a list unreadable.
 *
 * @throws the error, if it is about anything else.
 */
function refusalOf(error: unknown, next: NextPage, page: number): UnreadPages & { readonly kind: "refused" } {
  const isGuess = next.kind === "parameter" && next.isGuess && page === 1;
  if (!isGuess || !(error instanceof RequestError) || !REFUSALS.includes(error.status ?? 0)) throw error;
  const { parameter, pointer } = next;
  const { serverMessage: words } = error.failure;
  return { kind: "refused", page, parameter, pointer, status: error.status, words };
}

/**
 * Ensures that a page has its webhooks and their IDs under the same names as those before: under another
 * name, an ID may be that of something else.
 */
function assertSameShape(response: ListResponse, page: Page, before: Page["pointers"]): void {
  if (page.webhooks.size === 0) return;
  for (const setting of ["webhooks", "webhookId"] as const) {
    const [one, other] = [page.pointers[setting], before[setting]];
    if (one === undefined || other === undefined || nameAt(one) === nameAt(other)) continue;
    const reading = { readable: false, setting, reason: "several", candidates: [other, one] } as const;
    throw response.failure({ kind: "unreadableList", reading });
  }
}

function nameAt(pointer: string): string {
  return normalizeName(pointer.split("/").at(-1) ?? "");
}
