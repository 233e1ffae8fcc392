import { KeyObject, type webcrypto } from "node:crypto";
import dns from "node:dns";
import { createSecureContext, getCACertificates, setDefaultCACertificates, TLSSocket } from "node:tls";
import { passOn, startTcpServer } from "./tcp-server.ts";

// The container that @peculiar/x509 is built on refuses to load without these, and learns nothing from them.
Object.assign(Reflect, {
  defineMetadata: () => undefined,
  getMetadata: () => undefined,
  getOwnMetadata: () => undefined,
});
const x509 = await import("@peculiar/x509");

/** What a TLS server shows and proves to be, as PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** What a certificate says besides the name of its authority. */
export interface CertificateFacts {
  /** The DNS names and IP addresses that it is for. */
  readonly hosts: readonly string[];
  /** @default tomorrow */
  readonly notAfter?: Date;
}

/** Somebody who issues certificates; nobody trusts it unless told to. */
export interface Authority {
  /** Its own certificate, as PEM: what `NODE_EXTRA_CA_CERTS` names a file of. */
  readonly certificate: string;
  /** Makes a key and a certificate for a server. */
  issue(facts: CertificateFacts): Promise<Identity>;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY = 24 * 60 * 60 * 1000;

/** Makes an authority, in memory and for this test run only. */
export async function createAuthority(name = "Test Authority"): Promise<Authority> {
  const own = await makeKeys();
  const notBefore = new Date(Date.now() - 2 * DAY);
  const issuer = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys: own,
    signingAlgorithm: ALGORITHM,
    notBefore,
    notAfter: new Date(Date.now() + DAY),
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  return {
    certificate: issuer.toString("pem"),
    issue: async ({ hosts, notAfter = new Date(Date.now() + DAY) }) => {
      const keys = await makeKeys();
      const names = hosts.map((value) => ({ type: /^[\d.]+$|:/.test(value) ? "ip" : "dns", value }) as const);
      const certificate = await x509.X509CertificateGenerator.create({
        subject: `CN=${hosts[0] ?? ""}`,
        issuer: issuer.subject,
        publicKey: keys.publicKey,
        signingKey: own.privateKey,
        signingAlgorithm: ALGORITHM,
        notBefore,
        notAfter,
        extensions: [new x509.SubjectAlternativeNameExtension(names)],
      });
      return {
        cert: certificate.toString("pem"),
        key: KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString(),
      };
    },
  };
}

/** Makes this process trust an authority as well, until the function that is returned is called. */
export function trust({ certificate }: Authority): () => void {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, certificate]);
  return () => {
    setDefaultCACertificates(before);
  };
}

/**
 * Lets every host name below `.test` (RFC 6761, 6.2) lead to this machine, so that a name can stand for a server that is not
 * loopback. Until the function that is returned is called.
 */
export function resolveTestNames(): () => void {
  const { lookup } = dns;
  type Callback = (error: Error | null, address: string | dns.LookupAddress[], family?: number) => void;
  const replacement = (hostname: string, options: dns.LookupOptions, callback: Callback): void => {
    lookup(hostname.endsWith(".test") ? "127.0.0.1" : hostname, options, callback);
  };
  dns.lookup = replacement as typeof lookup; // net looks it up there for each connection.
  return () => {
    dns.lookup = lookup;
  };
}

/** What a {@link TlsFront} does besides passing everything on. */
export interface TlsFrontOptions {
  /** What becomes of a handshake. @default "answer" */
  readonly handshake?: "answer" | "reset";
}

/** Offers HTTP/2 before HTTP/1.1, as most servers do. What it passes on to need not understand it. */
const OFFERED = ["h2", "http/1.1"];

/** Puts TLS in front of the server with this URL, which is on 127.0.0.1. A reset on either side is passed on as one. */
export async function startTlsFront(
  url: string,
  identity: Identity,
  { handshake = "answer" }: TlsFrontOptions = {},
) {
  const secureContext = createSecureContext(identity);
  const protocols: TLSSocket["alpnProtocol"][] = [];
  const server = await startTcpServer((raw) => {
    if (handshake === "reset") {
      raw.once("data", () => raw.resetAndDestroy());
      return;
    }
    const secure = new TLSSocket(raw, { isServer: true, secureContext, ALPNProtocols: OFFERED });
    secure.on("error", () => raw.destroy());
    secure.once("secure", () => {
      protocols.push(secure.alpnProtocol);
      passOn(secure, raw, Number(new URL(url).port));
    });
  });
  /** The application protocol that each handshake agreed on, in order; `false` where the client named none. */
  return { ...server, protocols };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}
