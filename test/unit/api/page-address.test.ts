import { expect, it } from "vitest";

import { pageQuery, withParameter } from "../../../provider/src/api/page-address.js";

const LIST = "https://partners.example.com/gateway/api/v1/partners/webhooks";

it.each<[address: string, query: string | null]>([
  [`${LIST}?page=2`, "?page=2"],
  ["?page=2", "?page=2"],
  ["webhooks?page=2", "?page=2"],
  ["/gateway/api/v1/partners/webhooks?page=2#top", "?page=2"],
  ["//partners.example.com/gateway/api/v1/partners/webhooks?page=2", "?page=2"],
  ["https://PARTNERS.example.com:443/gateway/api/v1/partners/webhooks?page=2", "?page=2"],
  ["/gateway/x/../api/v1/partners/webhooks?page=2", "?page=2"],
  ["?page[after]=a b&x=\r\nä", "?page[after]=a%20b&x=%C3%A4"],
  ["", ""],
  // Another scheme, host or port.
  ["http://partners.example.com/gateway/api/v1/partners/webhooks?page=2", null],
  ["https://evil.example/gateway/api/v1/partners/webhooks?page=2", null],
  ["//evil.example/gateway/api/v1/partners/webhooks?page=2", null],
  ["\\\\evil.example/gateway/api/v1/partners/webhooks?page=2", null],
  ["/\\evil.example/gateway/api/v1/partners/webhooks?page=2", null],
  ["https:\\\\evil.example\\gateway/api/v1/partners/webhooks", null],
  ["https://partners.example.com:8443/gateway/api/v1/partners/webhooks?page=2", null],
  ["https://partners.example.com.evil.example/gateway/api/v1/partners/webhooks", null],
  ["https://partners.example.com@evil.example/gateway/api/v1/partners/webhooks", null],
  ["https://me:pw@partners.example.com/gateway/api/v1/partners/webhooks?page=2", null],
  ["https://:pw@partners.example.com/gateway/api/v1/partners/webhooks?page=2", null],
  ["https://:@evil.example/gateway/api/v1/partners/webhooks?page=2", null],
  ["\thttps://evil.example/gateway/api/v1/partners/webhooks", null],
  ["ftp://partners.example.com/gateway/api/v1/partners/webhooks", null],
  ["javascript:alert(1)", null],
  ["https://[partners/webhooks", null],
  // Another path.
  ["/api/v1/partners/webhooks?page=2", null],
  ["/gateway/api/v1/partners/webhooks/?page=2", null],
  ["/gateway/api/v1/partners/webhooks/../api-key?page=2", null],
  ["/gateway/api/v1/partners/webhooks%2F..%2Fapi-key", null],
  ["/gateway/api/v1/partners/%77ebhooks?page=2", null],
  ["/gateway/api/v1/partners/webhooks;x?page=2", null],
  ["/gateway/api/v1/partners/webhooks/../../webhooks?page=2", null],
  ["page/2", null],
])("the query of the page at %j is %j", (address, query) => {
  expect(pageQuery(LIST, address)).toBe(query);
});

it("a parameter replaces its value on the page before, and keeps the others", () => {
  expect(withParameter("", "page[after]", "a&b=c d")).toBe("?page%5Bafter%5D=a%26b%3Dc+d");
  expect(withParameter("?size=50&cursor=a", "cursor", "b")).toBe("?size=50&cursor=b");
});
