import { describe, expect, it, onTestFinished, vi } from "vitest";

import { readHttpDate } from "../../../provider/src/api/http.js";
import { clientFor, InstantClock, listen, sandboxFor, scripted, type Reply } from "./support.ts";

describe("the offset of the clock", () => {
  /** The time of the clock of the tests. */
  const NOW = "Thu, 01 Jan 2026 00:00:00 GMT";
  const AHEAD = "Fri, 02 Jan 2026 00:00:00 GMT";
  const reply = (headers: string, status = 200): Reply => ({
    bytes: `HTTP/1.1 ${status} Test\r\n${headers}content-length: 2\r\n\r\n[]`,
  });

  async function offsetAfter(...replies: Reply[]): Promise<number | null> {
    const client = clientFor(await scripted(...replies), { clock: new InstantClock() });
    for (let sent = 0; sent < replies.length; sent++) await client.listWebhooks().catch(() => undefined);
    return client.clockOffset();
  }

  it("is unknown before the first response", async () => {
    expect(clientFor(await sandboxFor()).clockOffset()).toBe(null);
  });

  it.each([
    ["is that of a Date header", [reply(`date: ${AHEAD}\r\n`)], 86_400_000],
    ["is that of a refusal as well", [reply(`date: ${AHEAD}\r\n`, 403)], 86_400_000],
    ["is that of the last Date header", [reply(`date: ${AHEAD}\r\n`), reply(`date: ${NOW}\r\n`)], 0],
    ["is not changed by a response without one", [reply(`date: ${AHEAD}\r\n`), reply("")], 86_400_000],
    ["is not that of a cache", [reply(`date: ${AHEAD}\r\nage: 0\r\n`)], null],
    ["is not that of an invalid date", [reply("date: tomorrow\r\n")], null],
    ["is not that of two dates", [reply(`date: ${AHEAD}\r\ndate: ${NOW}\r\n`)], null],
  ])("%s", async (_what, replies, offset) => {
    expect(await offsetAfter(...replies)).toBe(offset);
  });

  it("is measured when the headers arrive", async () => {
    const clock = new InstantClock();
    const target = await listen((_request, response) => {
      response.writeHead(200, { date: AHEAD }).write("[");
      setTimeout(() => {
        clock.advance(3_600_000);
        response.end("]");
      }, 50);
    });
    const client = clientFor(target, { clock });
    await client.createApiKey();
    expect(client.clockOffset()).toBe(86_400_000);
  });

  it("is that of the time of day, which can be set while the process runs", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(NOW) });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const client = clientFor(await scripted(reply(`date: ${AHEAD}\r\n`)));
    await client.listWebhooks();
    expect(client.clockOffset()).toBe(86_400_000);
  });
});

it.each([
  ["Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000],
  ["Sun, 06 Nov 1994 08:49:37 UTC", null],
  ["Mon, 06 Nov 1994 08:49:37 GMT", null], // It was a Sunday.
  ["Sunday, 06-Nov-94 08:49:37 GMT", null],
  ["Sun Nov  6 08:49:37 1994", null],
  ["Sun, 6 Nov 1994 08:49:37 GMT", null],
  ["Fri, 31 Feb 2026 00:00:00 GMT", null],
  ["1994-11-06T08:49:37Z", null],
  ["Thu, 01 Jan 12026 00:00:00 GMT", null],
  ["Invalid Date", null],
  ["", null],
  [undefined, null],
  [["Sun, 06 Nov 1994 08:49:37 GMT"], null],
])("readHttpDate(%j) is %j", (header, time) => {
  expect(readHttpDate(header)).toBe(time);
});
