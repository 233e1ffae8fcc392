import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The comments of one pull request or merge request, behind the part of the APIs of GitHub and GitLab that lists and writes them. */
export interface Comments {
  readonly url: string;
  /** The texts, oldest first. */
  readonly texts: string[];
  /** What was asked, as `METHOD path`, with the token it came with. */
  readonly requests: string[];
  readonly close: () => void;
}

/** The users' numbers. */
const PERSON = 1;
const BOT = 2;

/**
 * Starts {@link Comments} on loopback. Ids are places in the list.
 *
 * @param texts - Comments of a person. Those that are written later are by who has the token.
 */
export async function startComments(texts: string[] = []): Promise<Comments> {
  const requests: string[] = [];
  const ofPerson = texts.length;
  const server = createServer((request, response) => {
    void (async () => {
      const { authorization = "", "private-token": token = "" } = request.headers;
      requests.push([request.method, request.url, authorization, String(token)].filter(Boolean).join(" "));
      const content = (await request.toArray()).join("");
      const id = request.method === "POST" ? texts.length : Number(/(\d+)$/.exec(request.url ?? "")?.[1]);
      if (request.method !== "GET") texts[id] = (JSON.parse(content) as { body: string }).body;
      const comments = texts.map((body, index) => ({
        id: index,
        body,
        user: { login: index < ofPerson ? "a-person" : "github-actions[bot]" },
        author: { id: index < ofPerson ? PERSON : BOT },
      }));
      const read = request.url === "/user" ? { id: BOT } : comments;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(request.method === "GET" ? read : comments[id]));
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
