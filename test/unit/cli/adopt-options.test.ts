import { expect, it } from "vitest";

import { parseAdoptOptions } from "../../../provider/src/cli/adopt/options.js";

const KEY = "pk_live_2b7e151628aed2a6";

it("without options, all webhooks are meant", () => {
  expect(parseAdoptOptions([])).toEqual({
    webhooks: { webhookIds: null, prefix: "webhook-" },
    key: null,
    out: null,
    importFile: null,
    force: false,
    cwd: ".",
    stack: undefined,
  });
});

it("webhooks are chosen by their ids, each of them once", () => {
  const { webhooks } = parseAdoptOptions(["--webhooks", "102,101,102", "--prefix", "eu-"]) ?? {};
  expect(webhooks).toEqual({ webhookIds: [102, 101], prefix: "eu-" });
});

it.each([
  [["--api-key-stdin", "--name", "checkout"], { variable: null, name: "checkout", keyId: null }],
  [
    ["--api-key-env", "CHECKOUT_KEY", "--name", "checkout", "--api-key-id", "k_1", "--import-file", "i.json"],
    { variable: "CHECKOUT_KEY", name: "checkout", keyId: "k_1" },
  ],
])("a key is where %j says", (args, key) => {
  expect(parseAdoptOptions(args)?.key).toEqual(key);
});

// Whoever puts a key in the wrong place must not find it in the log of a CI system as well.
it.each([
  ["a key as an argument", ["--api-key", KEY], "not taken from the command line"],
  ["a key as an argument, with =", [`--api-key=${KEY}`], "not taken from the command line"],
  ["a key behind another option", ["--api-key-stdin", "--api-key", KEY], "not taken from the command line"],
  ["a key without an option", [KEY], "only options"],
  ["a key of an option that takes none", [`--api-key-stdin=${KEY}`], "does not take an argument"],
  ["a key of an unknown option", [`--apikey=${KEY}`], "Unknown option"],
  ["a key without a name", ["--api-key-stdin"], "--name checkout"],
  ["a name without a key", ["--name", "checkout"], "need a key"],
  ["an id without a key", ["--api-key-id", "k_1"], "need a key"],
  ["two keys", ["--api-key-stdin", "--api-key-env", KEY, "--name", "a"], "either by"],
  ["an id without an import", ["--api-key-stdin", "--name", "a", "--api-key-id", KEY], "needs --import-file"],
  [
    "an id with a blank",
    ["--api-key-stdin", "--name", "a", "--import-file", "i", "--api-key-id", `${KEY} `],
    "256 visible ASCII",
  ],
  ["a key and webhooks", ["--api-key-stdin", "--name", "a", "--webhooks", "1"], "one after the other"],
  ["a key and a prefix", ["--api-key-stdin", "--name", "a", "--prefix", "a"], "one after the other"],
  ["a key as a webhook", ["--webhooks", KEY], "such as 101,102"],
  ["no webhook", ["--webhooks", ""], "such as 101,102"],
  ["a webhook that is no number", ["--webhooks", "101,x"], "such as 101,102"],
  ["a webhook that is no exact number", ["--webhooks", "9007199254740993"], "such as 101,102"],
  ["a prefix that ends the string", ["--prefix", `"`], "letters, digits"],
  ["a name that ends the line", ["--api-key-stdin", "--name", "a\nb"], "letters, digits"],
  ["one file for two things", ["--out", "a", "--import-file", "./a"], "two files"],
])("%s is refused, without repeating it", (_what, args, message) => {
  let said = "";
  try {
    parseAdoptOptions(args);
  } catch (error) {
    said = String(error);
  }
  expect(said).toContain(message);
  expect(said).not.toContain(KEY);
});
