import { describe, expect, it, onTestFinished } from "vitest";

import type { PartnerError } from "../../../provider/src/api/errors.js";
import { createAuthority, type CertificateFacts } from "../../support/tls.ts";
import { startTlsFront } from "../../support/tls.ts";
import { call, KEY, operations } from "./calls.ts";
import { failureOf, listen } from "./support.js";
import { authority, HOST, loggingClient, secureSandbox, setUpTls } from "./tls-support.ts";

setUpTls();

interface Refusal {
  readonly what: string;
  readonly facts: CertificateFacts;
  readonly trusted: boolean;
  readonly code: string;
  readonly remedy: string;
}

const refusals: Refusal[] = [
  {
    what: "from an unknown authority",
    facts: { hosts: [HOST, "localhost"] },
    trusted: false,
    code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    remedy: "set the environment variable NODE_EXTRA_CA_CERTS to a PEM file",
  },
  {
    what: "for another host",
    facts: { hosts: ["other.test", `x.${HOST}`] },
    trusted: true,
    code: "ERR_TLS_CERT_ALTNAME_INVALID",
    remedy: "check the host in partners:baseUrl",
  },
  {
    what: "for the address and not the name",
    facts: { hosts: ["127.0.0.1"] },
    trusted: true,
    code: "ERR_TLS_CERT_ALTNAME_INVALID",
    remedy: "check the host in partners:baseUrl",
  },
  {
    what: "that has expired",
    facts: { hosts: [HOST, "localhost"], notAfter: new Date(Date.now() - 60_000) },
    trusted: true,
    code: "CERT_HAS_EXPIRED",
    remedy: "check this machine's clock",
  },
];

describe("a certificate", () => {
  it.each(refusals)("$what is refused by every operation", async ({ facts, trusted, code, remedy }) => {
    const { sandbox } = await secureSandbox();
    const issuer = trusted ? authority : await createAuthority("Unknown Authority");
    const front = await startTlsFront(sandbox.url, await issuer.issue(facts));
    onTestFinished(() => front.close());
    // This machine and others are reached in two different ways.
    for (const [host, operation] of [HOST, "localhost"].flatMap((host) =>
      operations.map((name) => [host, name] as const),
    )) {
      const url = `https://${host}:${front.port}`;
      const { client } = loggingClient({ url, accessToken: sandbox.accessToken });
      const error = (await failureOf(call(client, operation))) as PartnerError;
      expect(error.message, host).toContain(`the connection failed with ${code}`);
      expect(error.message).toContain("Nothing was changed on the server.");
      expect(error.message).toContain(remedy);
      expect(error.message).not.toContain(sandbox.accessToken);
      expect(error).toMatchObject({ code: "PARTNERS_CONNECTION", effect: "none", operation });
    }
    expect(sandbox.requests).toEqual([]);
  });

  it.each(["localhost", HOST])("from an authority that is trusted is accepted, for %s", async (host) => {
    const { sandbox, front, accessToken } = await secureSandbox({ apiKeys: [KEY] });
    const { client } = loggingClient({ url: `https://${host}:${front.port}`, accessToken });
    for (const operation of operations) await call(client, operation);
    expect(sandbox.requests.map(({ operation }) => operation)).toEqual(operations);
  });
});

describe("a redirect", () => {
  it.each(operations)(
    "to another server is not followed by %s, let alone with the token",
    async (operation) => {
      const elsewhere = await listen((_request, response) => response.end("[]"));
      onTestFinished(() => elsewhere.close());
      const server = await secureSandbox({
        faults: [{ kind: "redirect", location: `${elsewhere.url}/taken`, times: Infinity }],
      });
      const error = (await failureOf(call(loggingClient(server).client, operation))) as PartnerError;
      expect(error.message).toContain("the server answered 307");
      expect(elsewhere.requests).toEqual([]);
      expect(server.sandbox.requests).toHaveLength(1);
    },
  );
});
