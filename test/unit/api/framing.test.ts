/** Which responses prove that they arrived completely, and what counts of those that do not. */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

import { clientFor, InstantClock, KEY, requestFailureOf, scripted, type Reply } from "./support.ts";

const JSON_KEY = `{"apiKey":"${KEY}"}`;

/** Returns a response with these header lines. */
function reply(headers: string, body: string, end?: Reply["end"], version = "1.1"): Reply {
  const lines = headers === "" ? "" : `${headers}\r\n`;
  return { bytes: `HTTP/${version} 201 Created\r\n${lines}\r\n${body}`, ...(end && { end }) };
}

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const LAST = "0\r\n\r\n";

describe("the response to a creation", () => {
  const length = `content-length: ${JSON_KEY.length}`;
  const zipped = gzipSync(JSON_KEY).toString("latin1");
  const zippedPart = zipped.slice(0, -4);
  const GZIP = "content-encoding: gzip\r\n";

  it.each<[framing: string, reply: Reply, complete: boolean]>([
    ["with Content-Length", reply(length, JSON_KEY), true],
    ["with Content-Length, then a close", reply(length, JSON_KEY, "fin"), true],
    ["in chunks", reply("transfer-encoding: chunked", chunk(JSON_KEY) + LAST), true],
    ["in compressed chunks", reply("Transfer-Encoding: gzip, Chunked", chunk(zipped) + LAST), true],
    ["with Content-Length in HTTP/1.0", reply(length, JSON_KEY, "fin", "1.0"), true],
    ["in chunks without the last one", reply("transfer-encoding: chunked", chunk(JSON_KEY), "fin"), false],
    ["shorter than Content-Length", reply("content-length: 99", JSON_KEY, "fin"), false],
    ["ended by a close", reply("", JSON_KEY, "fin"), false],
    ["ended by a reset", reply("", JSON_KEY, "reset"), false],
    ["ended by a close in HTTP/1.0", reply("", JSON_KEY, "fin", "1.0"), false],
    ["not chunked last", reply("transfer-encoding: chunked, gzip", JSON_KEY, "fin"), false],
    ["compressed", reply(`${GZIP}content-length: ${zipped.length}`, zipped), true],
    [
      "compressed and cut off by the sender",
      reply(`${GZIP}content-length: ${zippedPart.length}`, zippedPart),
      false,
    ],
  ])("%s shows whether it is complete", async (_framing, { bytes, ...end }, complete) => {
    const { created } = await clientFor(await scripted({ bytes, ...end })).createApiKey();
    expect([created.response.complete, created.response.body]).toEqual([complete, JSON_KEY]);
  });

  it("without a body is complete", async () => {
    const { created } = await clientFor(
      await scripted({ bytes: "HTTP/1.1 204 No Content\r\n\r\n" }),
    ).createApiKey();
    expect(created.response).toEqual({ body: "", encoding: "utf8", complete: true });
  });
});

describe("a list that nothing frames", () => {
  const LIST = `[{"id":101,"active":true},{"id":102,"active":true}]`;

  it("counts if it is a whole document", async () => {
    const target = await scripted(reply("", LIST, "fin"));
    expect([...(await clientFor(target).listWebhooks()).webhooks.keys()]).toEqual([101, 102]);
  });

  it("was cut off otherwise", async () => {
    const target = await scripted(reply("", LIST.slice(0, 30), "reset"));
    const { cause } = await requestFailureOf(clientFor(target).listWebhooks());
    expect(cause).toEqual({ kind: "cutOff" });
  });
});

it("a compressed list whose end is missing is read again", async () => {
  const zipped = gzipSync(`[{"id":101,"active":true}]`).toString("latin1");
  const replies = [zipped.slice(0, -4), zipped].map((body) =>
    reply(`content-encoding: gzip\r\ncontent-length: ${body.length}`, body),
  );
  const target = await scripted(...replies);
  await clientFor(target, { clock: new InstantClock() }).listWebhooks();
  expect(target.requests).toHaveLength(2);
});

it("a list in an encoding that cannot be decoded names it", async () => {
  const headers = "content-encoding: dcb\r\ncontent-length: 4";
  const target = await scripted(reply(headers, "\xff\xfe\x00\x01"));
  const { cause } = await requestFailureOf(clientFor(target).listWebhooks());
  expect(cause).toEqual({ kind: "undecoded", encoding: "dcb" });
  expect(target.requests).toHaveLength(1);
});

it.each([
  ["two equal Content-Length headers", "content-length: 2\r\ncontent-length: 2", "{}"],
  ["both Content-Length and chunks", "content-length: 2\r\ntransfer-encoding: chunked", chunk("{}") + LAST],
])("undici reads no response with %s, so a creation is lost", async (_what, headers, body) => {
  const target = await scripted(reply(headers, body));
  const failure = await requestFailureOf(clientFor(target).createApiKey());
  expect(failure).toMatchObject({
    effect: "possible",
    attempts: 1,
    cause: { kind: "connection", code: "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" },
  });
});
