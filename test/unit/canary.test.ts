import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import { CANARIES, findLeaks, readFolder } from "../support/canary.ts";

const { token } = CANARIES;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const hex = (text: string): string => Buffer.from(text).toString("hex");
const percent = (text: string): string => hex(text).replace(/(..)/g, "%$1");

/** The scanner finds nothing in the engine tests, so this is where it is seen to work. */
describe("the search for leaks finds a secret", () => {
  it.each<[form: string, text: string]>([
    ["plain", token],
    ["in a header", `authorization: Bearer ${token}\r\n`],
    ["without its beginning", token.slice(12)],
    ["without its end", token.slice(0, 30)],
    ["of which there are 19 characters", token.slice(17, 36)],
    ["percent-encoded", encodeURIComponent(token)],
    ["percent-encoded, every character", percent(token)],
    ["percent-encoded, in capitals", percent(token).toUpperCase()],
    ["percent-encoded twice", encodeURIComponent(encodeURIComponent(token))],
    ["as JSON in JSON in JSON", JSON.stringify(JSON.stringify(JSON.stringify({ token })))],
    ["with escapes of JSON", token.replaceAll("/", "\\/").replaceAll("+", "\\u002b")],
    ["with escapes of Go", token.replaceAll("=", "\\x3d").replaceAll("7", "\\x37")],
    ["in base64", base64(token)],
    ["in base64, one character in", base64(`:${token}`)],
    ["in base64, two characters in", base64(`a:${token}`)],
    ["in base64 as basic authentication", `Basic ${base64(`user:${token}`)}`],
    ["in base64url", Buffer.from(`??>${token}`).toString("base64url")],
    ["in base64, percent-encoded", encodeURIComponent(base64(token))],
    ["in base64, wrapped", base64(`-----${token}-----`).replace(/(.{8})/g, "$1\n")],
    ["in hex", hex(token)],
    ["in hex, in capitals", hex(token).toUpperCase()],
    ["in hex, as Node shows a buffer", `<Buffer ${hex(token).replace(/(..)/g, "$1 ")}>`],
    ["in hex, with colons", hex(token).replace(/(..)/g, "$1:")],
    ["in hex, as an array", hex(token).replace(/(..)/g, "0x$1, ")],
    ["wrapped", token.replace(/(.{7})/g, "$1\n    ")],
    ["wrapped in a string", token.replace(/(.{7})/g, "$1\\n")],
    ["in colours", token.replace(/(.{5})/g, "$1\u001b[31m")],
    ["in colours of the event log", token.replace(/(.{5})/g, "$1<{%fg 1%}>")],
  ])("%s", (_form, text) => {
    expect(findLeaks({ here: `before ${text} after` }, { token })).toHaveLength(1);
    expect(findLeaks({ here: text }, { token })).toHaveLength(1);
  });

  it("in the right place, once for each secret", () => {
    const places = { one: "nothing", two: `${token} ${token}`, three: CANARIES.clientSecret };
    expect(findLeaks(places, CANARIES)).toEqual([
      expect.stringMatching(/^token in two \(plain\): /),
      expect.stringMatching(/^clientSecret in three \(plain\): /),
    ]);
  });

  it("in files of any depth", async () => {
    const folder = await mkdtemp(join(tmpdir(), "canary-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, "a", "b"), { recursive: true });
    await writeFile(
      join(folder, "a", "b", "c.bin"),
      Buffer.concat([Buffer.of(0xff, 0x00), Buffer.from(token)]),
    );
    expect(findLeaks(await readFolder(folder), { token })).toEqual([expect.stringContaining("a/b/c.bin")]);
  });
});

describe("the search for leaks does not find", () => {
  it.each<[what: string, text: string]>([
    ["what is not there", JSON.stringify({ fingerprint: "sha256:0123456789abcdef", hint: "pYx6" })],
    ["the beginning that keys have in common", "pk_live_"],
    ["another secret", Object.values(CANARIES).slice(1).join(" ")],
  ])("%s", (_what, text) => {
    expect(findLeaks({ here: text }, { token, key: "pk_live_dEWUlrisGTTd9x-VOgy9StU-Sl7ldmV7" })).toEqual([]);
  });

  it("too short a secret, and says so", () => {
    expect(() => findLeaks({}, { short: "abc" })).toThrow("less than 10 characters");
  });
});
