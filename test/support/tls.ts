import { KeyObject, type webcrypto } from "node:crypto";
import dns from "node:dns";
import {
  createSecureContext,
  getCACertificates,
  setDefaultCACertificates,
  TLSSocket,
  type SecureVersion,
} from "node:tls";
import { forward, startTcpServer } from "./tcp-server.ts";

// The dependency injection of @peculiar/x509 does not load without these, but does not use their results.
Object.assign(Reflect, {
  defineMetadata: () => undefined,
  getMetadata: () => undefined,
  getOwnMetadata: () => undefined,
});
const x509 = await import("@peculiar/x509");

/** The contents of a certificate. */
export interface CertificateFacts {
  /** The DNS names and IP addresses that it is valid for. */
  readonly hosts: readonly string[];
  /** Days from now on which it is valid. @default from two days ago until tomorrow */
  readonly days?: readonly [from: number, until: number];
}

/** A certificate authority. Nothing trusts it by default. */
export type Authority = Awaited<ReturnType<typeof createAuthority>>;

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY = 24 * 60 * 60 * 1000;

/** Creates a certificate authority in memory. */
export async function createAuthority(name = "Test Authority") {
  const rootKeys = await generateKeys();
  const notBefore = new Date(Date.now() - 2 * DAY);
  const tomorrow = new Date(Date.now() + DAY);
  const issuer = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys: rootKeys,
    signingAlgorithm: ALGORITHM,
    notBefore,
    notAfter: tomorrow,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  return {
    /** The root certificate as PEM, for the file that `NODE_EXTRA_CA_CERTS` names. */
    certificate: issuer.toString("pem"),
    /** Creates a certificate and its private key for a server, as PEM. */
    async issue({ hosts, days: [from, until] = [-2, 1] }: CertificateFacts) {
      const keys = await generateKeys();
      const names = hosts.map((value) => ({ type: "dns", value }) as const);
      const certificate = await x509.X509CertificateGenerator.create({
        issuer: issuer.subject,
        publicKey: keys.publicKey,
        signingKey: rootKeys.privateKey,
        signingAlgorithm: ALGORITHM,
        notBefore: new Date(Date.now() + from * DAY),
        notAfter: new Date(Date.now() + until * DAY),
        extensions: [new x509.SubjectAlternativeNameExtension(names)],
      });
      const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString();
      return { cert: certificate.toString("pem"), key };
    },
  };
}

/** Makes this process also trust an authority. */
export function trust({ certificate }: Authority): void {
  setDefaultCACertificates([...getCACertificates("default"), certificate]);
}

/**
 * Resolves every host name under `.test` (RFC 6761, 6.2) to this machine, so that tests can use a host that
 * is not loopback.
 */
export function resolveTestNames(): void {
  const { lookup } = dns;
  type Callback = (error: Error | null, address: string | dns.LookupAddress[], family?: number) => void;
  const replacement = (hostname: string, options: dns.LookupOptions, callback: Callback): void => {
    lookup(hostname.endsWith(".test") ? "127.0.0.1" : hostname, options, callback);
  };
  dns.lookup = replacement as typeof lookup; // net reads this property for each connection.
}

/**
 * Starts a TLS proxy for a server on 127.0.0.1. Forwards a reset on either side as such.
 *
 * @param url The URL of the server.
 * @param demands What it demands of clients: a version of TLS, and a certificate.
 */
export async function startTlsFront(
  url: string,
  identity: { readonly cert: string; readonly key: string },
  demands: { readonly version?: SecureVersion; readonly certificate?: boolean } = {},
) {
  const { version, certificate = false } = demands;
  const versions = version && { minVersion: version, maxVersion: version };
  const secureContext = createSecureContext({ ...identity, ...versions });
  const protocols: TLSSocket["alpnProtocol"][] = [];
  const server = await startTcpServer((raw) => {
    const ALPNProtocols = ["h2", "http/1.1"]; // HTTP/2 before HTTP/1.1, as on most servers.
    const secure = new TLSSocket(raw, {
      isServer: true,
      secureContext,
      ALPNProtocols,
      requestCert: certificate,
      rejectUnauthorized: certificate,
    });
    secure.on("error", () => raw.destroy());
    secure.once("secure", () => {
      protocols.push(secure.alpnProtocol);
      forward(secure, raw, Number(new URL(url).port));
    });
  });
  /** The application protocol of each handshake, in order; `false` if the client offered none. */
  return { ...server, protocols };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}
