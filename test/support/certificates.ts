import { KeyObject, type webcrypto } from "node:crypto";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

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

/** What a certificate says beside the name of its authority. */
export interface CertificateFacts {
  /** The DNS names and IP addresses that it is for. */
  readonly hosts: readonly string[];
  /** @default tomorrow */
  readonly notAfter?: Date;
}

/** Somebody who issues certificates; nobody trusts it unless told to. */
export interface Authority {
  /** Its own certificate, as PEM: what goes into the file behind `NODE_EXTRA_CA_CERTS`. */
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

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}
