import {
  isArray,
  isObject,
  isScalar,
  nodesOf,
  normalizeName,
  parseDocument,
  pathToRoot,
  type DocumentNode,
  type JsonObject,
} from "../bodies/json.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";
import { hasIdMember } from "./webhook-id-reader.js";

/**
 * What says that a list is incomplete: the header `Link`, a setting, records that were left out because they
 * have no usable ID, or the JSON Pointer to a value outside the records. Any other header: `""`.
 */
export type IncompleteSign = "Link" | "responses.complete" | "left out" | "" | `/${string}`;

/** The headers of a response, by lower-case name. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A `Link` header with the relation `next`, alone or among others. */
const NEXT_LINK = /\brel\s{0,3}=\s{0,3}"?(?:[^\s",;]{1,40} ){0,3}next\b/i;

/** What a member outside the records says if it has such a name and value. */
interface Rule {
  readonly names: RegExp;
  readonly says: (value: unknown) => boolean;
}

/** What a total may count. */
const RECORDS =
  "items?|records?|results?|elements?|entr(?:y|ies)|objects?|rows?|docs?|(?:web)?hooks?|subscriptions?|" +
  "endpoints?";
/** What else the name of a total may contain. */
const OTHER_WORDS =
  "odata|hydra|estimated|approximate|available|matching|filtered|overall|full|all|num(?:ber)?|nb|of|size";

/**
 * Names the next page. By stems, and wide, like {@link MORE}: a list that is doubted costs a setting, and
 * webhooks that it lacks would be dropped without a word.
 */
const NEXT: readonly Rule[] = [
  { names: /next/, says: namesPage },
  { names: /cursor|continu|scroll|marker|bookmark|iterator/, says: namesPage },
  { names: /(?:page|paging|pagination|resume|resumption)token|(?:evaluated|last)key$/, says: namesPage },
  { names: /^(?:page|search|cursors?)?after(?:id|key|token)?$/, says: namesPage },
  { names: /^offset$/, says: isText }, // A number is the start of this page.
];
/** Says that there are more records. */
const MORE: readonly Rule[] = [
  { names: /more(?!info|detail)|truncated|partial|incomplete/, says: namesPage },
  {
    names: /(?:last|final|done|(?<!in)completed?|finished|exhausted|eof)(?:page)?$|^(?:is|at)?end(?:$|of)/,
    says: isFalse,
  },
  {
    names: /pages$|(?:last|max|num|total)page$|pages?(?:count|total)$/,
    says: (value) => numberIn(value) > 1,
  },
];
/** Counts the records. Not `usage`, `cost` and the like. */
const TOTAL = new RegExp(
  `^(?=.*(?:total|count|found|hits|${RECORDS}))(?:total|count|found|hits|${RECORDS}|${OTHER_WORDS})+$`,
);
/** Says that this is the last page, where a cursor may stand as well. Narrow: a mistake would be silent. */
const LAST_PAGE: readonly Rule[] = [
  { names: /^(?:has|is)?(?:more|truncated)(?:items|results|records|pages|data)?$/, says: isFalse },
  { names: /^hasnext(?:page)?$/, says: isFalse },
  { names: /^(?:is)?last(?:page)?$|^done$/, says: isTrue },
  {
    names: /^(?:(?:num|total)?pages|(?:last|max|total)page|(?:total)?pagecount)$/,
    says: (value) => numberIn(value) === 1,
  },
];
/** Where frameworks put the same. Not by stems: proxies add headers, such as `x-nextjs-cache`. */
const HEADERS: readonly {
  readonly names: RegExp;
  readonly says: (value: string, listed: number) => boolean;
}[] = [
  { names: /^contentrange$/, says: (value, listed) => numberIn(value.split("/").at(-1)) > listed },
  {
    names: /^x?(?:wp|pagination)?total(?:count|items|records|results)?$/,
    says: (value, listed) => numberIn(value) > listed,
  },
  { names: /^x?(?:wp|pagination)?(?:totalpages|pagecount)$/, says: (value) => numberIn(value) > 1 },
  {
    names: /^x?(?:ms|pagination)?(?:next(?:page|cursor|token|pagetoken|link|range)|continuation(?:token)?)$/,
    says: namesPage,
  },
  { names: /^x?has(?:more|next)$/, says: namesPage },
  // ASP.NET has an object there.
  { names: /^x?pagination$/, says: (value, listed) => signIn(parseDocument(value), [], listed) !== null },
];
/** What names contain that are about this page, about one before it, or about what is allowed. */
const SAYS_NOTHING = /^(?!.*next).*(?:prev|before|start|first|self|current|limit|quota)/;
/** What names contain around totals of other things. */
const OTHER_THINGS = /usage|cost|credit|billing|event|deliver|fail|error|retr/;
/** Objects whose names belong to those of their members, as in `pages.total` and `paging.token`. */
const PAGES = /^(?:pages|paging|pagination|pager)$/;

/**
 * Returns what says that a list is incomplete: the setting, or else the first sign; `null` if nothing does.
 *
 * @param leftOut How many records were left out, because they have no usable ID.
 */
export function incompleteSignOf(
  document: unknown,
  { records, leftOut }: { readonly records: readonly JsonObject[]; readonly leftOut: number },
  headers: Headers,
  { complete }: ResponseMapping,
): IncompleteSign | null {
  if (complete !== undefined) return complete ? null : "responses.complete";
  const links = [headers["link"] ?? []].flat();
  if (links.some((link) => NEXT_LINK.test(link))) return "Link";
  if (leftOut > 0) return "left out";
  const sign = signIn(document, records, records.length);
  return sign ?? (Object.entries(headers).some((header) => saysMore(header, records.length)) ? "" : null);
}

/** Returns the JSON Pointer to the first sign in a document; `null` if there is none. */
function signIn(document: unknown, records: readonly JsonObject[], listed: number): IncompleteSign | null {
  const nodes = nodesOf(document, ({ value }) => !isArray(value));
  const list = nodes.find(({ value }) => value === records);
  const wayToRecords = list === undefined ? [] : pathToRoot(list);
  const saysNothing = (node: DocumentNode): boolean =>
    !wayToRecords.includes(node) && SAYS_NOTHING.test(node.name);
  const outside = nodes.filter((node) => node.value !== records && !pathToRoot(node).some(saysNothing));
  const lastPages = outside.filter((node) => follows(LAST_PAGE, node)).map(({ parent }) => parent);
  const isOnLastPage = (node: DocumentNode): boolean =>
    pathToRoot(node).some((each) => lastPages.includes(each));
  const sign = outside.find(
    (node) => indicatesMore(node, listed) || (namesNext(node) && !isOnLastPage(node)),
  );
  return (sign?.pointer ?? null) as IncompleteSign | null;
}

function saysMore([name, value]: [string, Headers[string]], listed: number): boolean {
  const rules = HEADERS.filter(({ names }) => names.test(normalizeName(name)));
  return [value ?? []].flat().some((text) => rules.some(({ says }) => says(text, listed)));
}

/** Whether a value says that there are more records. */
function indicatesMore(node: DocumentNode, listed: number): boolean {
  const { name, value } = node;
  // Another list of records with IDs may hold the other webhooks.
  if (isArray(value)) return value.some((one) => isObject(one) && hasIdMember(one));
  if (follows(MORE, node)) return true;
  const isTotal = TOTAL.test(name) && !pathToRoot(node).some((each) => OTHER_THINGS.test(each.name));
  return isTotal && numberIn(value) > listed;
}

/** Whether a value is the address or a cursor of the next page, alone or in an array of links. */
function namesNext(node: DocumentNode): boolean {
  const { value } = node;
  const isLink = (one: unknown): boolean => isObject(one) && /\bnext\b/i.test(String(one["rel"]));
  return (isArray(value) && value.some(isLink)) || follows(NEXT, node);
}

function follows(rules: readonly Rule[], { name, parent, value }: DocumentNode): boolean {
  const names = parent !== null && PAGES.test(parent.name) ? [name, parent.name + name] : [name];
  return rules.some((rule) => names.some((one) => rule.names.test(one)) && rule.says(value));
}

/** Whether a value may lead to the next page. Of an object, its size and the addresses of others do not. */
function namesPage(value: unknown): boolean {
  if (isArray(value)) return value.length > 0;
  if (!isObject(value)) return !/^(?:|0|false|no|none|null)$/i.test(String(value));
  return Object.entries(value).some(([member, one]) => {
    const name = normalizeName(member);
    return namesPage(one) && !SAYS_NOTHING.test(name) && !/count|size|total/.test(name);
  });
}

function isText(value: unknown): boolean {
  return typeof value === "string" && /\D/.test(value);
}

function isTrue(value: unknown): boolean {
  return isScalar(value) && String(value) === "true";
}

function isFalse(value: unknown): boolean {
  return isScalar(value) && String(value) === "false";
}

/** Returns a number, which may be text; `NaN` if it is none. */
function numberIn(value: unknown): number {
  return typeof value === "number" || typeof value === "string" ? Number(value) : NaN;
}
