import { expect, it } from "vitest";

import { serverMessage } from "../../../provider/src/api/redact.js";

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
