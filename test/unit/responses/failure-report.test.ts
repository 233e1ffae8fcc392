import { expect, it } from "vitest";

import { listFields } from "../../../provider/src/responses/candidates.js";
import { isWebPage, reportsFailure, serverMessage } from "../../../provider/src/responses/failure-report.js";
import { K } from "./bodies.ts";

it.each<[text: string, words: string | null]>([
  ['{"message":"At most 5 keys","error":"Forbidden"}', "At most 5 keys"],
  ['{"error":{"code":"E1","message":"At most 5 keys"}}', "At most 5 keys"],
  ['{"error":"invalid_client","error_description":"Unknown client"}', "Unknown client"],
  ['{"type":"about:blank","title":"Forbidden","detail":"At most 5 keys"}', "At most 5 keys"],
  ['{"errors":[{"message":"At most 5 keys"}]}', "At most 5 keys"],
  ['{"message":" ","error":"Forbidden"}', "Forbidden"],
  ['{"message":{"text":"x"}}', null],
  ["<html>Forbidden</html>", null],
  ["", null],
])("the message in %s is %j", (text, words) => {
  expect(serverMessage(text)).toBe(words);
});

it.each<[text: string, page: boolean]>([
  ["\uFEFF \n<!DOCTYPE html>", true],
  ["<br />\n<b>Warning</b>", false],
  ['<?xml version="1.0"?><!-- x --><html lang="en">', true],
  ['<?xml version="1.0"?><Error/>', false],
  ["{}", false],
])("%j is a web page: %s", (text, page) => {
  expect(isWebPage(text)).toBe(page);
  expect(reportsFailure(text)).toBe(text !== "{}");
});

it("the fields of a record are listed without values and without names that may be data", () => {
  const record = { id: 7, tags: ["a"], note: null, owner: { on: true }, "jane@example.com": { [K]: true } };
  expect(listFields(record)).toEqual(["/id", "/tags/0", "/note", "/owner/on", "/*/*"]);
});
