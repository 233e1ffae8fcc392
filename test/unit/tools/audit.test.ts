import { expect, it } from "vitest";

import { judgeAudit } from "../../../provider/tools/audit.ts";

const REPORT = '{\n  "auditReportVersion": 2,\n  "vulnerabilities": {} }';

it.each<[what: string, ended: Parameters<typeof judgeAudit>[0], exitCode: number, text: string]>([
  ["finds nothing", { code: 0, stdout: REPORT, stderr: "" }, 0, ""],
  ["finds a vulnerability", { code: 1, stdout: REPORT, stderr: "" }, 1, REPORT],
  [
    "cannot reach its endpoint",
    {
      code: 1,
      stdout: '{\n  "message": "request to https://r failed",\n  "error": {} }',
      stderr: "npm error",
    },
    0,
    "::warning title=npm audit::There is no report. request to https://r failed",
  ],
  [
    "says nothing",
    { code: 1, stdout: "", stderr: "npm error audit\n" },
    0,
    "::warning title=npm audit::There is no report. npm error audit",
  ],
])("an audit that %s ends so", (_what, ended, exitCode, text) => {
  expect(judgeAudit(ended)).toEqual({ exitCode, text });
});
