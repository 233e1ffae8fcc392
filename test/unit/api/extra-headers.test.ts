import { describe, expect, it } from "vitest";

import { readHeaders, textsToHide, type HeaderRule } from "../../../provider/src/api/extra-headers.js";
import { redactText } from "../../../provider/src/api/redact.js";
import { VERSION } from "../../../provider/src/version.js";
import { clientFor, KEY, listen, requestFailureOf } from "./support.ts";

const SECRET = "Zq8RkT3vWm5LxB7nYc2Hd9";

/** Reads the setting. Returns the headers, or the rules that it breaks. */
function read(text: string): unknown {
  const rules: HeaderRule[] = [];
  const headers = readHeaders(text, (rule) => void rules.push(rule));
  return rules.length > 0 ? rules : headers;
}

describe("the setting headers", () => {
  it.each<[text: string, headers: object]>([
    ["{}", {}],
    [`{"Ocp-Apim-Subscription-Key":"${SECRET}"}`, { "Ocp-Apim-Subscription-Key": SECRET }],
    [
      '{"X-Tenant":"a","x_tenant":"b","Cookie":"c=d; e=f"}',
      { "X-Tenant": "a", x_tenant: "b", Cookie: "c=d; e=f" },
    ],
    ['{"X-Quoted":"\\"a\\\\\\" b","x-none":null}', { "X-Quoted": '"a\\" b' }],
    [JSON.stringify({ x: "y".repeat(8192) }), { x: "y".repeat(8192) }],
  ])("may be %.80s", (text, headers) => {
    expect(read(text)).toEqual(headers);
  });

  it.each<[text: string, rules: HeaderRule[]]>([
    [SECRET, ["jsonObject"]],
    [`["${SECRET}"]`, ["jsonObject"]],
    [`{"x":"${SECRET}`, ["jsonObject"]],
    [`{"":"${SECRET}"}`, ["headerName"]],
    [`{"x y":"${SECRET}"}`, ["headerName"]],
    [`{"x:":"${SECRET}"}`, ["headerName"]],
    [`{"x\\r\\ny":"${SECRET}"}`, ["headerName"]],
    [`{"é":"${SECRET}"}`, ["headerName"]],
    [`{"x":"${SECRET}\\r\\nhost: evil"}`, ["headerValue"]],
    [`{"x":"${SECRET}\\n"}`, ["headerValue"]],
    [`{"x":" ${SECRET}"}`, ["headerValue"]],
    [`{"x":"a\\tb"}`, ["headerValue"]],
    [`{"x":"${SECRET}é"}`, ["headerValue"]],
    [`{"x":""}`, ["headerValue"]],
    [JSON.stringify({ x: "y".repeat(8193) }), ["headerValue"]],
    ['{"x":1e22}', ["headerText"]],
    ['{"x":true}', ["headerText"]],
    [`{"x":["${SECRET}"]}`, ["headerText"]],
    [`{"x":{"y":"${SECRET}"}}`, ["headerText"]],
    [`{"X-Key":"${SECRET}","x-key":"other"}`, ["headerTwice"]],
    [`{"X-Key":"${SECRET}","X-Key":"other"}`, ["headerTwice"]],
    [`{"AUTHORIZATION":"Basic ${SECRET}"}`, [{ reserved: "authorization" }]],
    [`{"Host":"a b\\n","x y":1}`, [{ reserved: "host" }, "headerName", "headerText"]],
  ])("must not be %.80s", (text, rules) => {
    expect(read(text)).toEqual(rules);
    expect(JSON.stringify(rules)).not.toContain(SECRET);
  });

  it.each(
    (
      "accept accept-encoding authorization connection content-encoding content-length expect host " +
      "http2-settings idempotency-key if-match if-none-match keep-alive proxy-authorization " +
      "proxy-connection range te trailer transfer-encoding upgrade user-agent"
    ).split(" "),
  )("cannot set %s", (name) => {
    expect(read(JSON.stringify({ [name]: SECRET }))).toEqual([{ reserved: name }]);
    expect(read(JSON.stringify({ [name.toUpperCase()]: SECRET }))).toEqual([{ reserved: name }]);
  });
});

describe("headers", () => {
  const headers = { "X-Gateway-Key": `ApiKey ${SECRET}`, __proto__x: "a", "x-tenant": "acme" };

  it("are sent with every operation, next to those of the client, which are all reserved", async () => {
    const service = await listen((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end("[]");
    });
    const client = clientFor(service, { headers });
    await client.createApiKey();
    await client.deleteApiKey(KEY);
    await client.listWebhooks();
    await client.setWebhookState(7, "active");
    await client.setWebhookState(7, "disabled");
    expect(service.requests.map(({ method }) => method)).toEqual(["POST", "DELETE", "GET", "PATCH", "PATCH"]);
    for (const { headers: sent } of service.requests) {
      expect(sent).toMatchObject({
        "x-gateway-key": `ApiKey ${SECRET}`,
        "x-tenant": "acme",
        authorization: `Bearer ${service.accessToken}`,
        "user-agent": `pulumi-partners/${VERSION}`,
      });
      const own = Object.keys(sent).filter((name) => !/^(?:x-|__)/.test(name));
      for (const name of own) expect(read(JSON.stringify({ [name]: "x" }))).toEqual([{ reserved: name }]);
    }
  });

  it.each([`ApiKey ${SECRET}`, SECRET, SECRET.toLowerCase(), encodeURIComponent(`ApiKey ${SECRET}`), "acme"])(
    "are hidden in what the service says, in its request ID and in the log: %s",
    async (echo) => {
      const body = JSON.stringify({ message: `no access for ${echo} here` });
      const service = await listen((_request, response) => {
        response.writeHead(403, { "content-type": "application/json", "x-request-id": SECRET }).end(body);
      });
      const lines: string[] = [];
      const log = (line: string): void => void lines.push(line);
      const client = clientFor(service, { headers, log });
      const failure = await requestFailureOf(client.listWebhooks());
      expect(failure).toMatchObject({ serverMessage: "no access for *** here", requestId: null });
      expect(lines.join()).toContain("status=403");
      expect(JSON.stringify([failure, lines])).not.toMatch(new RegExp(`${SECRET}|acme`, "i"));
    },
  );

  it("hide one word of a value as well, unless it is short", () => {
    const hidden = textsToHide({ accessToken: "t0ken", headers: { Cookie: "sid=onlyLetters; theme=dark" } });
    expect(redactText("no session onlyLetters in dark mode, t0ken", hidden)).toBe(
      "no session *** in dark mode, ***",
    );
  });
});
