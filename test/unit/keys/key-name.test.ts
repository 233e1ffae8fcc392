import { describe, expect, it } from "vitest";

import { fingerprint, goneName } from "../../../provider/src/keys/key-name.js";
import { NO_KEY, outputsOf } from "../../../provider/src/keys/key-state.js";
import { nameOfCreated, tokenMark, type CreatedKey } from "../../../provider/src/keys/stored-key.js";

describe("a key that is too short", () => {
  const shown = (apiKey: string) => {
    const current = { apiKey, response: null, createdAt: null, token: null, foundBy: null };
    const { fingerprint: print, hint } = outputsOf({ ...NO_KEY, current });
    return [print, hint];
  };

  it("has no fingerprint or hint, which would reveal too much of it", () => {
    const long = "abcdefghijklmnopqrstuvwxyz0123456789";
    // printf abcdefghijklmnopqrstuvwxyz012345 | sha256sum
    expect(shown(long.slice(0, 32))).toEqual(["sha256:653bb1245e828fcd", null]);
    expect(shown(long.slice(0, 31))).toEqual([null, null]);
    expect(shown(long.slice(0, 35))[1]).toBe(null);
    expect(shown(long)[1]).toBe("6789");
  });

  // 12 digits after a known prefix are found in a second, 12 letters and digits in hours.
  it.each(["pk_live_123456789012", "pk_live_a1B2c3D4e5F6"])("does not have a fingerprint: %s", (apiKey) => {
    expect(shown(apiKey)).toEqual([null, null]);
  });
});

describe("the name of a response in which no key was found", () => {
  const created = (body: string, token: string | null): CreatedKey => ({
    response: { body, encoding: "utf8", complete: true },
    createdAt: "2026-06-15T12:00:00.000Z",
    token,
    undecoded: null,
  });
  const body = '{"a":"pk_live_123456789012","b":"pk_live_210987654321"}';

  // Whoever knows the shape of the response could otherwise try all keys.
  it("cannot be computed from the response alone, which may hold a short key", () => {
    const name = nameOfCreated(created(body, tokenMark("t0ken"))).fingerprint;
    expect(name).toMatch(/^sha256:[0-9a-f]{16}$/);
    expect(name).not.toBe(fingerprint(body));
    expect(nameOfCreated(created(body, tokenMark("other"))).fingerprint).not.toBe(name);
    expect(nameOfCreated(created(`${body} `, tokenMark("t0ken"))).fingerprint).not.toBe(name);
  });

  it("is its time if the state does not say which token created it", () => {
    expect(goneName(nameOfCreated(created(body, null)))).toBe("2026-06-15T12:00:00.000Z");
  });
});
