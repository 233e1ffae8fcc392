import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished, vi } from "vitest";

import type { ClientOptions, PartnerClient } from "../../../provider/src/api/partner-client.js";
import { startSandbox, type Fault, type Sandbox, type SandboxOptions } from "../../support/sandbox.ts";
import { createAuthority, trust, type Authority } from "../../support/tls.ts";
import {
  startConnectProxy,
  type ConnectProxy,
  type ConnectProxyOptions,
} from "../../support/connect-proxy.ts";
import { startTlsFront, type TlsFront, type TlsFrontOptions } from "../../support/tls.ts";
import { resolveTestNames } from "../../support/tls.ts";
import { clientFor, FakeTiming } from "./support.js";

/** The host of the service in tests with a certificate: a name, as all that is loopback never meets a proxy. */
export const HOST = "partners.test";

/** The authority that this file's tests trust. */
export let authority: Authority;

const PROXY_VARIABLES = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];

/** Makes an authority trusted and the names below `.test` known, and no proxy of this machine used, for a test file. */
export function setUpTls(): void {
  let undo: (() => void)[] = [];
  beforeAll(async () => {
    authority = await createAuthority();
    undo = [trust(authority), resolveTestNames()];
  });
  afterAll(() => {
    for (const step of undo) step();
  });
  beforeEach(() => {
    for (const name of PROXY_VARIABLES) {
      vi.stubEnv(name, undefined);
      vi.stubEnv(name.toLowerCase(), undefined);
    }
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });
}

/** A sandbox behind TLS. */
export interface SecureSandbox {
  readonly sandbox: Sandbox;
  readonly front: TlsFront;
  /** The base URL by name, which leads past loopback's exceptions. */
  readonly url: string;
  readonly accessToken: string;
}

/** Starts a {@link SecureSandbox} with a certificate for {@link HOST} and `localhost`; it ends with the test. */
export async function secureSandbox(options: SandboxOptions & TlsFrontOptions = {}): Promise<SecureSandbox> {
  const sandbox = await startSandbox(options);
  const identity = await authority.issue({ hosts: [HOST, "localhost"] });
  const front = await startTlsFront(sandbox.url, identity, options);
  onTestFinished(async () => {
    await front.close();
    await sandbox.close();
  });
  return { sandbox, front, url: `https://${HOST}:${front.port}`, accessToken: sandbox.accessToken };
}

/** A {@link SecureSandbox} behind a proxy. */
export interface ProxiedSandbox extends SecureSandbox {
  readonly proxy: ConnectProxy;
}

/** Starts a sandbox that is reached through the proxy in HTTPS_PROXY; both end with the test. */
export async function proxiedSandbox(
  options: Partial<ConnectProxyOptions> = {},
  faults: readonly Fault[] = [],
): Promise<ProxiedSandbox> {
  const server = await secureSandbox({ faults });
  const targets = { [new URL(server.url).host]: server.front.port };
  const proxy = await startConnectProxy({ targets, ...options });
  onTestFinished(() => proxy.close());
  vi.stubEnv("HTTPS_PROXY", proxy.url);
  return { ...server, proxy };
}

/** A client that ends with the test and waits in virtual time, with a list of the lines that it logs: one an attempt. */
export function loggingClient(
  server: { url: string; accessToken: string },
  options: Partial<Omit<ClientOptions, "baseUrl">> = {},
): { client: PartnerClient; lines: string[] } {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const client = clientFor(server, { timing: new FakeTiming(), log, ...options });
  onTestFinished(() => client.close());
  return { client, lines };
}
