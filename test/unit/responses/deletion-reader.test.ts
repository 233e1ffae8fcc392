import { expect, it } from "vitest";

import { deniesDeletion } from "../../../provider/src/responses/deletion-reader.js";

it.each([
  "",
  "{}",
  "deleted",
  "true",
  `{"success":true}`,
  `{"deleted":true}`,
  `{"deletedCount":1}`,
  `{"id":7,"status":"revoked","active":false}`,
  `{"code":20000,"message":"ok"}`,
  `{"status":200}`,
])("the response %j confirms a deletion", (text) => {
  expect(deniesDeletion(text)).toBe(false);
});

it.each([
  `{"deleted":false}`,
  `{"deletedCount":0}`,
  `{"success":0}`,
  `{"success":"false"}`,
  `{"status":"fail"}`,
  `{"result":"error"}`,
  `{"code":404,"message":"key not found"}`,
  `{"statusCode":500}`,
  `{"success":false,"error":"key not found"}`,
  `<!doctype html><html></html>`,
])("the response %j says that nothing was deleted", (text) => {
  expect(deniesDeletion(text)).toBe(true);
});
