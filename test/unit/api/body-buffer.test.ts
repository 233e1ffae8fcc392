import { describe, expect, it } from "vitest";

import { BodyBuffer, release } from "../../../provider/src/api/body-buffer.js";

describe("a body", () => {
  it.each([
    ["of no announced length", undefined],
    ["of the announced length", 6000],
    ["longer than announced", 10],
    ["announced as empty", 0],
    ["shorter than announced", 1_000_000],
  ])("%s is gathered whole", (_what, announced) => {
    const body = new BodyBuffer(2 ** 20, announced);
    const pieces = Array.from({ length: 6 }, (_, index) => Buffer.alloc(1000, String(index)));
    for (const piece of pieces) {
      body.add(piece);
      piece.fill("x"); // What is gathered is a copy.
    }
    expect(body.bytes.toString()).toBe("012345".replaceAll(/./g, (digit) => digit.repeat(1000)));
  });

  it.each([undefined, 5, 1000])("is cut at the limit (announced: %s)", (announced) => {
    const body = new BodyBuffer(5, announced);
    body.add(Buffer.from("abc"));
    body.add(Buffer.from("defgh"));
    body.add(Buffer.from("i"));
    expect(body.bytes.toString()).toBe("abcde");
  });

  it("is empty when it has been released", () => {
    const body = new BodyBuffer(5);
    body.add(Buffer.from("abc"));
    const { bytes } = body;
    release(bytes);
    expect(bytes.length).toBe(0);
  });
});
