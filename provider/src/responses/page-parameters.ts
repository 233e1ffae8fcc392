import { nameSet, type DocumentNode } from "../json.js";

/*
 * Which query parameter takes a value that describes the next page, by the name of the value. Each row has
 * the services that it comes from.
 */

/** A member of a response outside its records, or a header with the name of one. */
export type Field = Pick<DocumentNode, "name" | "parentName" | "value" | "token" | "pointer">;

/**
 * Returns the query parameter that takes the value of a field; `null` if the value does not describe a page.
 *
 * @param number The number of the page that has the field, 1 for the first one.
 */
export type ParameterOf = (field: Field, number: number) => string | null;

/** Whether a value is a natural number, also as text. */
export function isDigits(value: unknown): boolean {
  return (typeof value === "number" || typeof value === "string") && /^\d{1,15}$/.test(String(value));
}

const as =
  (parameter: string): ParameterOf =>
  () =>
    parameter;
/** In an object with one of these names. */
const asIn = (parameter: string, parents: string): ParameterOf => {
  const names = nameSet(parents);
  return ({ parentName }) => (names.has(parentName) ? parameter : null);
};
/** The parameter has the name as it was sent. */
export const asNamed: ParameterOf = ({ token }) => (PARAMETER.test(token) ? token : null);
/** The name as it was sent, without `next`: `nextPageToken` becomes `pageToken`. */
const asNamedWithoutNext: ParameterOf = ({ token }) => {
  const rest = token.replace(/^next[-_]?/i, "");
  const name = token.startsWith("n") ? rest.charAt(0).toLowerCase() + rest.slice(1) : rest;
  return PARAMETER.test(name) ? name : null;
};
const PARAMETER = /^[A-Za-z][A-Za-z0-9_.-]{0,40}$/;
/** A number that follows that of this page, which may count from 0. Others may be times (Vercel). */
const asPage: ParameterOf = ({ value }, number) =>
  [number, number + 1].includes(Number(value)) ? "page" : null;
/** Any text: a number that is not that of a page could mean anything. */
const asText =
  (parameter: string): ParameterOf =>
  ({ value, token }) =>
    token === "" || isDigits(value) ? null : parameter;

/** Names of a cursor, by rank, and the parameter that takes it at the services that use the name. */
export const CURSORS: readonly (readonly [ReadonlySet<string>, ParameterOf])[] = [
  [nameSet("nextCursor nextPageCursor"), as("cursor")], // Slack, Fivetran, Adobe Acrobat Sign
  [nameSet("nextPageToken"), asNamedWithoutNext], // Google, YouHodler
  [nameSet("nextMarker nextOffset nextContinuationToken"), asNamedWithoutNext], // Box, AWS, Chargebee
  [nameSet("nextPageStart"), as("start")], // Bitbucket Data Center
  [nameSet("nextToken continuationToken continue iterator"), asNamed], // AWS, Azure, Kubernetes, Svix
  [nameSet("endCursor afterCursor"), as("after")], // Relay, Zendesk
  [nameSet("after"), asIn("after", "next cursors paging")], // HubSpot, Facebook
  [nameSet("startingAfter"), asIn("starting_after", "next")], // Intercom
  [nameSet("offset"), asIn("offset", "next nextPage")], // Asana
  [nameSet("cursor"), asIn("after", "pagination")], // Twitch
  [nameSet("cursor"), as("cursor")], // Square, Moralis
  [nameSet("next"), asIn("cursor", "cursors")], // Patreon
  [nameSet("next nextPage"), asPage], // PlanetScale, GitLab (`X-Next-Page`)
  [nameSet("next"), asText("next")], // Hookdeck
];
/** Names of the number of this page. Spring counts from 0, in `number` next to `totalPages`. */
export const PAGE_NUMBERS: readonly (readonly [ReadonlySet<string>, ParameterOf])[] = [
  [nameSet("number"), as("page")],
  [nameSet("page currentPage"), as("page")], // Laravel, PlanetScale
  [nameSet("pageNumber pageNo pageNum pageIndex"), asNamed],
];
/** Names of the position of the first record: PagerDuty, Contentful, Bitbucket, Jira, SCIM. */
export const OFFSETS = nameSet("offset skip start startAt startIndex");
