import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";

import { decodeBody } from "../../../provider/src/api/content-encoding.js";

const LIMIT = 64 * 1024;
const TEXT = JSON.stringify(
  Array.from({ length: 300 }, (_, index) => ({ id: index, key: `pk_${index * 7919}` })),
);
const PLAIN = Buffer.from(TEXT);

const FORMATS: [name: string, header: string, encode: (body: Buffer) => Buffer][] = [
  ["gzip", "gzip", gzipSync],
  ["gzip under its old name", "X-GZip", gzipSync],
  ["zlib deflate", "deflate", deflateSync],
  ["raw deflate", "deflate", deflateRawSync],
  ["gzip that is called deflate", "deflate", gzipSync],
  ["Brotli", "br", brotliCompressSync],
  ["Zstandard", "zstd", zstdCompressSync],
  ["two encodings", "gzip, br", (body) => brotliCompressSync(gzipSync(body))],
  ["two encodings and no encoding", "identity,deflate , , GZIP", (body) => gzipSync(deflateRawSync(body))],
];

describe.each(FORMATS)("%s", (_name, header, encode) => {
  const encoded = encode(PLAIN);

  it("is decoded", () => {
    const { body, end, undecoded } = decodeBody(encoded, { "content-encoding": header }, LIMIT);
    expect([String(body), end, undecoded]).toEqual([TEXT, "whole", null]);
  });

  it("that was cut off at any byte is not taken for the whole body, and what arrived is decoded", () => {
    const step = Math.ceil(encoded.length / 50);
    const ends = Array.from({ length: 50 }, (_, index) => Math.min(8 + index * step, encoded.length - 1));
    for (const until of ends) {
      const part = encoded.subarray(0, until);
      const { body, end, undecoded } = decodeBody(part, { "content-encoding": header }, LIMIT);
      expect(end, `${until}`).toBe("cutOff");
      if (undecoded === null) expect(TEXT.startsWith(String(body)), `${until}`).toBe(true);
      else if (header !== "zstd") expect(until, "no data yet").toBeLessThan(encoded.length / 4);
    }
  });

  it("that is too long stays encoded", () => {
    const { body, end, undecoded } = decodeBody(encoded, { "content-encoding": header }, 4000);
    expect([end, undecoded === null, body.length < 4000]).toEqual(["limit", false, true]);
  });

  it("is not seen in a plain text with this header, which is left as it is", () => {
    for (const text of [TEXT, "{}", "[]", "pk_live_0123456789abcdef", "x", '{"apiKey":"pk_live_0123"}']) {
      const result = decodeBody(Buffer.from(text), { "content-encoding": header }, LIMIT);
      expect([String(result.body), result.undecoded === null], text).toEqual([text, false]);
    }
  });
});

describe("a header", () => {
  it.each([undefined, "", "identity", "NONE", ["identity", ""]])("%j names no encoding", (header) => {
    const expected = { body: PLAIN, end: "whole", undecoded: null };
    expect(decodeBody(PLAIN, { "content-encoding": header }, LIMIT)).toEqual(expected);
  });

  it("can be repeated", () => {
    const encoded = brotliCompressSync(gzipSync(PLAIN));
    const { body, undecoded } = decodeBody(encoded, { "content-encoding": ["gzip", "br"] }, LIMIT);
    expect([String(body), undecoded]).toEqual([TEXT, null]);
  });

  it("Transfer-Encoding counts as well, and was applied last", () => {
    const headers = { "content-encoding": "br", "transfer-encoding": "gzip, chunked" };
    const { body, undecoded } = decodeBody(gzipSync(brotliCompressSync(PLAIN)), headers, LIMIT);
    expect([String(body), undecoded]).toEqual([TEXT, null]);
  });

  it.each([
    ["compress", PLAIN, "compress"],
    ["aws-chunked, gzip", gzipSync(PLAIN), "aws-chunked"],
    ["gzip", Buffer.concat([gzipSync(PLAIN).subarray(0, 100), PLAIN]), "gzip"],
    ["x\u0007", PLAIN, "unknown"],
    ["pk_live_0123456789abcdef", PLAIN, "unknown"],
    [Array.from({ length: 1000 }, () => "gzip").join(), PLAIN, "unknown"],
  ])("%s that cannot be decoded is named, if it cannot be a secret", (header, encoded, undecoded) => {
    const result = decodeBody(encoded, { "content-encoding": header }, LIMIT);
    const body = header === "aws-chunked, gzip" ? PLAIN : encoded;
    expect([result.body.equals(body), result.undecoded]).toEqual([true, undecoded]);
  });
});

it("an empty body needs no decoding", () => {
  const empty = Buffer.alloc(0);
  expect(decodeBody(empty, { "content-encoding": "gzip" }, LIMIT)).toEqual({
    body: empty,
    end: "whole",
    undecoded: null,
  });
});
