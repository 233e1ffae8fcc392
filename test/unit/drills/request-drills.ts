/** The remedies of request-messages.txt. */
import {
  createAuthority,
  resolveTestNames,
  startTlsFront,
  trust,
  type Authority,
} from "../../support/tls.ts";
import { startConnectProxy, type Reaction } from "../../support/connect-proxy.ts";
import { refuse, replaceAnswers, sandboxFor, type Answer } from "../../support/sandbox.ts";
import { startTcpServer } from "../../support/tcp-server.ts";
import { expect, onTestFinished } from "vitest";

import { startService } from "../keys/support.ts";
import { startGateway } from "./gateway.ts";
import { expectPeace, Person, type Drills } from "./person.ts";

const ORDERS = { webhookId: 101, state: "disabled", stateOnDestroy: "leave" };

/** A host that is not this machine, for which the client would use no proxy. */
const HOST = "partners.test";
/** The key of a consumer of which the stack does not know. */
const OTHER = "pk_of_another_consumer";
const trusted = await createAuthority("Authority of the drills");
const untrusted = await createAuthority("Another authority of the drills");
trust(trusted);
resolveTestNames();

async function start() {
  const service = await startService();
  return new Person(service, { key1: { rotation: { trigger: "a", overlapDays: 7 } }, webhook1: ORDERS });
}

/** Follows "check partners:baseUrl" at a server that is not the Partner API. */
function wrongServer(bytes: string) {
  return async (words: string): Promise<Person> => {
    const person = await start();
    person.settings["baseUrl"] = (await startGateway(person.service, () => bytes)).url;
    await person.fail();
    await person.correct(words, person.service.url);
    return person;
  };
}

function httpBytes(status: string, body: string, headers = ""): string {
  return `HTTP/1.1 ${status}\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
}

/** Runs the same command again once an operation is no longer refused. */
async function repeat(words: string, status: number, answer: Partial<Exclude<Answer, "reset">> = {}) {
  const person = await start();
  let isOver = false;
  for (const operation of ["setWebhookState", "deleteApiKey", "listWebhooks"] as const)
    replaceAnswers(person.service, operation, (usual) => (isOver ? usual() : { status, ...answer }));
  await person.fail();
  await person.follow(words);
  isOver = true;
  return person;
}

/**
 * Follows a remedy about a proxy, which is between this machine and the service.
 *
 * @param addressOf Returns the address of one that does not work. @param port Of the service.
 */
function wrongProxy(addressOf: (port: number) => Promise<string>) {
  return async (words: string): Promise<Person> => {
    const person = await start();
    const port = await startFront(person, { host: HOST });
    person.settings["baseUrl"] = `https://${HOST}:${port}`;
    person.env["HTTPS_PROXY"] = await addressOf(port);
    await person.fail();
    await person.follow(words);
    if (words.includes("NO_PROXY")) person.env["NO_PROXY"] = HOST;
    else person.env["HTTPS_PROXY"] = (await startProxy(port, "tunnel")).replace("//", "//user:p%40ss@");
    return person;
  };
}

/** Starts a proxy, which ends with the test. @returns its address. */
async function startProxy(port: number, reaction: Reaction): Promise<string> {
  const proxy = await startConnectProxy(port, [reaction]);
  onTestFinished(proxy.close);
  return proxy.url;
}

/** Starts TLS in front of the service. @returns its port. */
async function startFront(
  { service }: Person,
  { host, demands = {}, authority = trusted }: Tls,
): Promise<number> {
  const front = await startTlsFront(service.url, await authority.issue({ hosts: [host] }), demands);
  onTestFinished(() => front.close());
  return front.port;
}

interface Tls {
  /** The host in its certificate. */
  readonly host: string;
  readonly demands?: Parameters<typeof startTlsFront>[2];
  readonly authority?: Authority;
}

/** Follows "check partners:baseUrl" at a server with another TLS. */
function wrongTls(tls: Tls) {
  return async (words: string): Promise<Person> => {
    const person = await start();
    person.settings["baseUrl"] = `https://${HOST}:${await startFront(person, tls)}`;
    await person.fail();
    await person.correct(words, person.service.url);
    return person;
  };
}

async function closedPort(): Promise<string> {
  const server = await startTcpServer(() => undefined);
  await server.close();
  return `http://127.0.0.1:${server.port}`;
}

export const REQUEST_DRILLS: Drills = {
  "The access token was rejected: check": async (words) => {
    const person = await start();
    person.settings["accessToken"] = "ptk_expired_0123456789";
    await person.fail();
    await person.correct(words, person.service.accessToken);
    return person;
  },

  "The access token may lack permission": async (words) => {
    const person = await start();
    const right = person.service.accessToken;
    for (const operation of ["setWebhookState", "createApiKey"] as const)
      replaceAnswers(person.service, operation, (usual) =>
        person.service.accessToken === right ? { status: 403 } : usual(),
      );
    await person.fail();
    person.service.accessToken = "ptk_with_all_permissions_1";
    await person.correct(words, person.service.accessToken);
    return person;
  },

  "Nothing is at this address: check": async (words) => {
    const person = await start();
    person.settings["baseUrl"] = `${person.service.url}/v2`;
    await person.fail();
    await person.correct(words, person.service.url);
    return person;
  },

  "The webhook may be gone.": async (words) => {
    const person = await start();
    refuse(person.service, "setWebhookState", 404);
    await person.fail();
    await person.follow(words);
    person.program.delete("webhook1");
    return person;
  },

  "If not, check partners:baseUrl": async (words) => {
    const person = await start();
    const old = await sandboxFor(); // It still has a list, and changes nothing.
    old.answers.setWebhookState = () => ({ status: 404 });
    person.program.delete("key1");
    person.settings["baseUrl"] = old.url;
    await person.fail();
    await person.correct(words, person.service.url);
    return person;
  },

  "Redirects are not followed: set": wrongServer(httpBytes("302 Found", "", "location: /\r\n")),
  "The server does not have this operation: check": wrongServer(httpBytes("501 No", "{}")),
  "and whether a gateway needs a login": wrongServer(httpBytes("200 OK", "<!doctype html><p>Log in")),
  "The headers of the response are longer than": wrongServer(
    httpBytes("200 OK", "", `x: ${"x".repeat(3e5)}\r\n`),
  ),
  "Check partners:baseUrl.": wrongServer("HTTP/1.1 200 OK\r\nx-note: a\u0001b\r\n\r\n"),

  "If it is right, the service or a gateway has to correct": async (words) => {
    const person = await start();
    const gateway = await startGateway(person.service, () => "HTTP/1.1 200 OK\r\nx-note: a\u0001b\r\n\r\n");
    person.settings["baseUrl"] = gateway.url;
    await person.fail();
    await person.follow(words);
    gateway.answer = () => null;
    return person;
  },

  "Run this again.": async (words) => {
    const person = await start();
    const { keys } = person.service;
    keys.add(OTHER);
    refuse(person.service, "createApiKey", 409); // It is busy.
    await person.fail();
    if (/delete it\b/.test(person.printed)) keys.delete(OTHER);
    await person.follow(words);
    expect(keys.delete(OTHER), "nobody was told to delete the key of another consumer").toBe(true);
    return person;
  },

  "rotate without overlap, with deleteBeforeReplace": async (words) => {
    const person = await start();
    const { service } = person;
    await person.run();
    replaceAnswers(service, "createApiKey", (usual) => (service.keys.size > 0 ? { status: 409 } : usual()));
    person.program.set("key1", { rotation: { trigger: "b", overlapDays: 7 } });
    for (let times = 0; times < 2; times += 1) await person.fail();
    expect(person.printed, "the key is that of this entry").not.toContain("lists a resource twice");
    await person.follow(words);
    person.options = { deleteBeforeReplace: true };
    person.program.set("key1", { rotation: { trigger: "b" } });
    return person;
  },

  "Run this again later": async (words) => {
    for (const status of [408, 409, 423, 500, 503]) await expectPeace(await repeat(words, status));
    return repeat(words, 403, { headers: { "retry-after": "1" } });
  },

  "Run this again in": (words) => repeat(words, 429, { headers: { "retry-after": "1000" } }),

  "If the server is slow, raise": async (words) => {
    const person = await start();
    replaceAnswers(person.service, "listWebhooks", async (usual) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return usual();
    });
    person.settings["requestTimeout"] = "0.02";
    await person.fail();
    await person.correct(words, "10");
    return person;
  },

  "the network and any proxy": async (words) => {
    const person = await start();
    person.settings["baseUrl"] = await closedPort();
    await person.fail();
    await person.correct(words, person.service.url);
    return person;
  },

  "The server does not speak TLS: check the port in": async (words) => {
    const person = await start();
    person.settings["baseUrl"] = person.service.url.replace("http:", "https:");
    await person.fail();
    await person.correct(words, person.service.url);
    return person;
  },

  "The TLS handshake failed: check": wrongTls({ host: HOST, demands: { certificate: true } }),
  "The certificate was rejected: check": wrongTls({ host: HOST, authority: untrusted }),
  "is for another host: check the host in": wrongTls({ host: "other.test" }),

  "add the host to NO_PROXY": wrongProxy((port) => startProxy(port, "fin")),
  "or add it to NO_PROXY": wrongProxy((port) => startProxy(port, 403)),
  "check the user and the password in HTTPS_PROXY": wrongProxy((port) => startProxy(port, 407)),
  "set HTTPS_PROXY to a local proxy that logs in": wrongProxy((port) => startProxy(port, "NTLM")),
  "TLS with the proxy failed: check HTTPS_PROXY": wrongProxy((port) =>
    Promise.resolve(`https://other.test:${port}`),
  ),
  "Percent-encode user and password": wrongProxy(async (port) =>
    (await startProxy(port, "tunnel")).replace("//", "//user:p/ss@"),
  ),
};
