/** The remedies of request-messages.txt. */
import { createAuthority, resolveTestNames, startTlsFront, trust } from "../../support/tls.ts";
import { startConnectProxy, type Reaction } from "../../support/connect-proxy.ts";
import { refuse, replaceAnswers, sandboxFor, type Answer } from "../../support/sandbox.ts";
import { startTcpServer } from "../../support/tcp-server.ts";
import { onTestFinished } from "vitest";

import { startService } from "../keys/support.ts";
import { startGateway } from "./gateway.ts";
import { expectPeace, Person, type Drills } from "./person.ts";

const ORDERS = { webhookId: 101, state: "disabled", stateOnDestroy: "leave" };

const trusted = await createAuthority("Authority of the drills");
trust(trusted);
const identity = await trusted.issue({ hosts: ["partners.test"] });
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

/** Follows a remedy about a proxy, which stands in front of the service by another name. */
function wrongProxy(reaction: Reaction, login = "") {
  return async (words: string): Promise<Person> => {
    const person = await start();
    const front = await startTlsFront(person.service.url, identity);
    const proxy = await startConnectProxy(front.port, [reaction]);
    onTestFinished(async () => {
      for (const { close } of [proxy, front]) await close();
    });
    person.settings["baseUrl"] = `https://partners.test:${front.port}`;
    person.env["HTTPS_PROXY"] = proxy.url.replace("//", `//${login}`);
    await person.fail();
    await person.follow(words);
    const right = await startConnectProxy(front.port, ["tunnel"]);
    onTestFinished(right.close);
    if (words.includes("NO_PROXY")) person.env["NO_PROXY"] = "partners.test";
    else person.env["HTTPS_PROXY"] = right.url.replace("//", "//user:p%40ss@");
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
    refuse(person.service, "createApiKey", 409);
    await person.fail();
    await person.follow(words);
    return person;
  },

  "rotate without overlap, with deleteBeforeReplace": async (words) => {
    const person = await start();
    const { service } = person;
    await person.run();
    replaceAnswers(service, "createApiKey", (usual) => (service.keys.size > 0 ? { status: 409 } : usual()));
    person.program.set("key1", { rotation: { trigger: "b", overlapDays: 7 } });
    for (let times = 0; times < 2; times += 1) await person.fail();
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

  "The TLS handshake failed: check": async (words) => {
    const person = await start();
    person.settings["baseUrl"] = person.service.url.replace("http:", "https:");
    await person.fail();
    await person.correct(words, person.service.url);
    return person;
  },

  "The certificate was rejected: check": async (words) => {
    const person = await start();
    const authority = await createAuthority("Another Authority");
    const front = await startTlsFront(person.service.url, await authority.issue({ hosts: ["localhost"] }));
    onTestFinished(() => front.close());
    person.settings["baseUrl"] = `https://localhost:${front.port}`;
    await person.fail();
    await person.correct(words, person.service.url);
    return person;
  },

  "add the host to NO_PROXY": wrongProxy("fin"),
  "or add it to NO_PROXY": wrongProxy(403),
  "check the user and the password in HTTPS_PROXY": wrongProxy(407),
  "Percent-encode user and password": wrongProxy("tunnel", "user:p/ss@"),
};
