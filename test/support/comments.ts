import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The token of {@link startComments}. */
export const COMMENTS_TOKEN = "token-for-comments";
/** The ID of the user that the token belongs to. */
const BOT = 2;
/** Pull request 7 of `team/stack` at GitHub, merge request 7 of project 5 at GitLab, and GitLab's current user. */
const PATHS =
  /^\/(repos\/team\/stack\/issues\/(7\/comments|comments\/\d+)|projects\/5\/merge_requests\/7\/notes(\/\d+)?|user)(\?|$)/;

/**
 * Serves the comments of one pull or merge request, with the parts of the GitHub and GitLab APIs that list and write comments. The
 * ID of a comment is its index.
 *
 * @param texts Comments of a person; later comments belong to the owner of the token.
 */
export async function startComments(texts: string[] = []) {
  const ofPerson = texts.length;
  const server = createServer((request, response) => {
    void (async () => {
      const { method, url = "", headers } = request;
      const content = (await request.toArray()).join("");
      const isAllowed = [headers.authorization, headers["private-token"]].some(
        (token) => token === COMMENTS_TOKEN || token === `Bearer ${COMMENTS_TOKEN}`,
      );
      if (!isAllowed || !PATHS.test(url)) return response.writeHead(404).end();
      const id = method === "POST" ? texts.length : Number(/(\d+)$/.exec(url)?.[1]);
      if (method !== "GET") texts[id] = (JSON.parse(content) as { body: string }).body;
      const comments = texts.map((body, index) => ({
        id: index,
        body,
        user: { login: index < ofPerson ? "a-person" : "github-actions[bot]" },
        author: { id: index < ofPerson ? 1 : BOT },
      }));
      const read = url === "/user" ? { id: BOT } : comments;
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify(method === "GET" ? read : comments[id]));
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The comments, oldest first. */
    texts,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}
