import { describe, expect, it } from "vitest";

import { messageOf } from "../../../provider/src/plugin/boundary.js";
import { assertNodeVersion } from "../../../provider/src/plugin/session.js";
import { toWire } from "../../../provider/src/plugin/wire.js";
import { VERSION } from "../../../provider/src/version.js";
import manifest from "../../../provider/package.json" with { type: "json" };

describe("toWire", () => {
  it("leaves nothing that the host does not stand", () => {
    const value = {
      a: undefined,
      b: [undefined, 1, NaN],
      c: { d: undefined, e: 1n, f: () => 1 },
      g: null,
      h: "x",
      i: false,
    };
    expect(toWire(value)).toEqual({
      a: null,
      b: [null, 1, null],
      c: { d: null, e: null, f: null },
      g: null,
      h: "x",
      i: false,
    });
  });

  it("takes __proto__ for a name like any other", () => {
    const wire = toWire(JSON.parse('{"__proto__":{"polluted":true}}')) as Record<string, unknown>;
    expect(Object.keys(wire)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("messageOf", () => {
  it("lets nothing through of an error that is not ours but its kind and place", () => {
    const message = messageOf(new TypeError("canary in https://x/api-key/pk_live_canary"));
    expect(message).toMatch(
      /^An unexpected TypeError in pulumi-partners( at [a-z-]+\.(ts|js):\d+)?\. This is a bug/,
    );
    expect(message).not.toContain("canary");
    expect(messageOf("canary")).not.toContain("canary");
  });
});

describe("assertNodeVersion", () => {
  it.each(["22.19.0", "22.20.1", "24.0.0", "26.10.0"])("takes Node %s", (version) => {
    expect(() => {
      assertNodeVersion(version);
    }).not.toThrow();
  });

  it.each(["18.20.0", "20.20.2", "22.18.9"])("refuses Node %s and says what to do", (version) => {
    expect(() => {
      assertNodeVersion(version);
    }).toThrow(/Node .* is too old .* Install Node 22\.19 or newer/);
  });
});

describe("the version", () => {
  it("that is sent is that of the package", () => {
    expect(VERSION).toBe(manifest.version);
  });

  it("of Node that is asked for is that of the package", () => {
    expect(manifest.engines.node).toBe(">=22.19");
  });
});
