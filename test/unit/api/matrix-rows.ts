/*
 * What the retry policy promises, written down a second time: by hand, from what is documented and RFC 9110, and without a
 * line of the code under test.
 */
import type { BROKEN_BODIES, LOST_ANSWERS, Status } from "./matrix-faults.ts";

/** `"done"`, `"partial"` for a creation with half an answer, or the code of an error and what it says of an effect. */
export type Ending = "done" | "partial" | `${ErrorCode} ${"none" | "possible"}`;
type ErrorCode = "STATUS" | "CONNECTION" | "TIMEOUT" | "UNREADABLE";

/**
 * Whether another attempt follows: none, one as the server asks, one as if the server had not asked (the header says nothing
 * with a success), or one that does not count, as soon as the rate limit lets it pass.
 */
export type Follows = "nothing" | "again" | "again, unasked" | "throttled";

/** What follows an attempt, and how the operation ends if it was the last one. */
type Verdict = Ending | `${Follows}: else ${Ending}`;

/** One row: what follows for reads, for changes that may be repeated (PATCH and DELETE), and for creations. */
export type Row = readonly [read: Verdict, change: Verdict, create: Verdict];

const DONE: Row = ["done", "done", "done"];
const REFUSED: Row = ["STATUS none", "STATUS none", "STATUS none"];
const PASSING: Row = ["again: else STATUS none", "again: else STATUS possible", "STATUS possible"];
const THROTTLED: Row = [
  "throttled: else STATUS none",
  "throttled: else STATUS none",
  "throttled: else STATUS none",
];
const LOST: Row = ["again: else CONNECTION none", "again: else CONNECTION possible", "CONNECTION possible"];
const HALF: Row = ["again, unasked: else CONNECTION none", "done", "partial"];
const PAGE: Row = ["UNREADABLE none", "UNREADABLE possible", "done"];

/** What follows a status. */
export const STATUS_ROWS: Readonly<Record<Status, Row>> = {
  200: DONE,
  201: DONE,
  204: ["UNREADABLE none", "done", "done"],
  301: ["STATUS none", "STATUS possible", "STATUS possible"],
  400: REFUSED,
  401: REFUSED,
  403: REFUSED,
  404: REFUSED,
  408: PASSING,
  409: REFUSED,
  410: REFUSED,
  422: REFUSED,
  429: THROTTLED,
  500: ["again: else STATUS none", "STATUS possible", "STATUS possible"],
  501: ["STATUS none", "STATUS possible", "STATUS possible"],
  502: PASSING,
  503: PASSING,
  504: PASSING,
};

/** What follows an answer that was lost before its status. */
export const LOST_ROWS: Readonly<Record<keyof typeof LOST_ANSWERS, Row>> = {
  "a reset": LOST,
  "a close": LOST,
  silence: ["again: else TIMEOUT none", "again: else TIMEOUT possible", "TIMEOUT possible"],
  "a reset in the status line": LOST,
  "a close in the headers": LOST,
  "something that is not HTTP": LOST,
  "headers without end": LOST,
  "an upgrade that nobody wanted": LOST,
  "a 100 that nobody wanted": LOST,
};

/** What follows an answer with a status and a body that breaks off or means something else. */
export const BODY_ROWS: Readonly<Record<keyof typeof BROKEN_BODIES, Row>> = {
  "a reset in the body": HALF,
  "a close in the body": HALF,
  "silence in the body": HALF,
  "a close between chunks": HALF,
  "a chunk that is none": HALF,
  "a reset in the body of a 503": PASSING,
  "silence in the body of a 404": REFUSED,
  "a page of HTML": PAGE,
  "a page of HTML with 502": PASSING,
  "103 before the answer": DONE,
};

/** What follows a connection that does not come about: nothing was sent, so a creation is no exception. */
export const UNSENT_ROW: Row = [
  "again: else CONNECTION none",
  "again: else CONNECTION none",
  "again: else CONNECTION none",
];
