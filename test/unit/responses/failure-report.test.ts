import { expect, it } from "vitest";

import { isWebPage, reportsFailure, serverWords } from "../../../provider/src/responses/failure-report.js";
import { describeStructure } from "../../../provider/src/responses/structure.js";
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
])("the server's words in %s are %j", (text, words) => {
  expect(serverWords(text)).toBe(words);
});

it.each<[text: string, page: boolean]>([
  ["\uFEFF \n<!DOCTYPE html>", true],
  ["<br />\n<b>Warning</b>", false],
  ['<?xml version="1.0"?><!-- x --><html lang="en">', true],
  ['<?xml version="1.0"?><Error/>', false],
  ["{}", false],
])("%j is a page for people: %s", (text, page) => {
  expect(isWebPage(text)).toBe(page);
  expect(reportsFailure(text)).toBe(text !== "{}");
});

it("the structure of a document shows names and types, and no value", () => {
  const document = {
    data: [{ id: 7, note: null }, {}],
    "jane@example.com": { [K]: true },
    tags: [],
    list: [1],
  };
  expect(describeStructure(JSON.stringify(document))).toEqual([
    "(root)  object",
    "/data  array of 2 objects",
    "/data/0  object",
    "/data/0/id  number",
    "/data/0/note  null",
    "/*  object",
    "/*/*  boolean",
    "/tags  array, empty",
    "/list  array of 1 value",
    "/list/0  number",
  ]);
});

it("the structure of a large document has 40 lines, and of what is not JSON none", () => {
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, index]));
  expect(describeStructure(JSON.stringify(wide))).toHaveLength(40);
  expect(describeStructure("<html>")).toEqual([]);
});
