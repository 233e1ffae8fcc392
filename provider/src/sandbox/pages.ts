/** How a list leads to its next page. `pulumi-partners sandbox --help` explains each style. */
export type PageStyle = "link" | "next-url" | "cursor" | "token" | "page" | "offset" | "has-more";

/** All of them. */
export const PAGE_STYLES: readonly PageStyle[] = [
  "link",
  "next-url",
  "cursor",
  "token",
  "page",
  "offset",
  "has-more",
];

/** One page of a list. */
export interface ListPage {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns a page of a list.
 *
 * @param url The address of the request, which says which page.
 */
export function pageOf(
  list: readonly { readonly webhookId: number }[],
  size: number,
  style: PageStyle,
  url: URL,
): ListPage {
  const numberAt = (name: string, least: number): number =>
    Math.max(least, Number(/^\d{1,9}$/.exec(url.searchParams.get(name) ?? "")?.[0] ?? least));
  const indexAfter = (name: string): number => {
    const id = url.searchParams.get(name)?.replace(/^after-/, "") ?? null;
    return id === null ? 0 : list.findIndex(({ webhookId }) => String(webhookId) === id) + 1;
  };
  const start: Readonly<Record<PageStyle, () => number>> = {
    link: () => (numberAt("page", 1) - 1) * size,
    "next-url": () => (numberAt("page", 1) - 1) * size,
    page: () => (numberAt("page", 1) - 1) * size,
    offset: () => numberAt("offset", 0),
    cursor: () => indexAfter("cursor"),
    token: () => indexAfter("pageToken"),
    "has-more": () => indexAfter("starting_after"),
  };
  const first = start[style]();
  const webhooks = list.slice(first, first + size);
  const more = first + size < list.length;
  const next = new URL(url);
  next.searchParams.set("page", String(Math.floor(first / size) + 2));
  const cursor = more ? `after-${webhooks.at(-1)?.webhookId}` : null;
  switch (style) {
    case "link":
      return { body: webhooks, headers: more ? { link: `<${next.href}>; rel="next"` } : {} };
    case "next-url":
      return { body: { webhooks, next: more ? next.href : null }, headers: {} };
    case "cursor":
      return { body: { webhooks, next_cursor: cursor }, headers: {} };
    case "token":
      return { body: { webhooks, nextPageToken: cursor }, headers: {} };
    case "page": {
      const pages = { page: numberAt("page", 1), total_pages: Math.max(1, Math.ceil(list.length / size)) };
      return { body: { webhooks, ...pages }, headers: {} };
    }
    case "offset":
      return { body: { webhooks, offset: first, limit: size, total: list.length }, headers: {} };
    case "has-more":
      return { body: { webhooks, has_more: more }, headers: {} };
  }
}
