/**
 * Returns the query of an address that a service gives for another page of a list; `null` if the address is
 * not that of the list itself. Requests use the query alone, below our own address, so that no answer of a
 * service can send the access token to another host or path.
 *
 * @param list The address of the list.
 * @param address Untrusted. May be relative to that of the list.
 */
export function pageQuery(list: string, address: string): string | null {
  if (!URL.canParse(address, list)) return null;
  // Compared after parsing: `\\` counts as `/`, `//` begins a host, and dot segments are resolved.
  const [page, own] = [new URL(address, list), new URL(list)];
  const hasCredentials = page.username !== "" || page.password !== "";
  return page.origin === own.origin && page.pathname === own.pathname && !hasCredentials ? page.search : null;
}

/** Returns the query of a page whose parameter differs from that of another page. */
export function withParameter(query: string, name: string, value: string): string {
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  return `?${parameters.toString()}`;
}
