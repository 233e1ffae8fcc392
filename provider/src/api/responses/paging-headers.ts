/** The headers of an answer; names in any case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A header as the member of a body that says the same. */
export interface HeaderMember {
  /** The name of the member, normalised. */
  readonly name: string;
  readonly value: string | number | null;
}

/** Headers that speak about pages, and the member they stand for. Only whole names: `X-NextJS-Cache` is about something else. */
const MEMBERS: ReadonlyMap<string, string> = new Map([
  ...["x-total-count", "x-total", "x-wp-total"].map((header) => [header, "total"] as const),
  ...["x-total-pages", "x-wp-totalpages", "x-page-count"].map((header) => [header, "totalpages"] as const),
  ...["x-next-page", "x-next-cursor", "x-next-page-token", "x-next-token"].map(
    (header) => [header, "next"] as const,
  ),
  ...[["x-has-more", "hasmore"] as const, ["x-per-page", "perpage"] as const],
]);

/** `items 0-9/57`, also without the unit; what `*` stands for is not known. */
const CONTENT_RANGE = /^(?:([a-z]{1,32})[ =])?(?:([0-9]{1,15})-[0-9]{1,15}|\*)\/([0-9]{1,15}|\*)$/;
const INTEGER = /^-?[0-9]{1,15}$/;

/** What the headers say about pages, as the members of a body would. */
export function headerMembers(headers: Headers): HeaderMember[] {
  return Object.entries(headers).flatMap(([header, values = []]) => {
    const lower = header.toLowerCase();
    const name = MEMBERS.get(lower);
    const texts = [values].flat().map((text) => text.trim().toLowerCase());
    if (lower === "content-range") return texts.flatMap(rangeMembers);
    return name === undefined ? [] : texts.map((text) => ({ name, value: toValue(text) }));
  });
}

/** A range of bytes is about the body. One that does not begin at 0 has records before it. */
function rangeMembers(text: string): HeaderMember[] {
  const [, unit, first = "0", total = "*"] = CONTENT_RANGE.exec(text) ?? [];
  if (unit === "bytes") return [];
  const members: HeaderMember[] = total === "*" ? [] : [{ name: "total", value: Number(total) }];
  return Number(first) > 0 ? [...members, { name: "more", value: 1 }] : members;
}

function toValue(text: string): string | number | null {
  if (INTEGER.test(text)) return Number(text);
  return text === "null" || text === "none" ? null : text;
}
