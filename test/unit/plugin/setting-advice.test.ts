import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import type { Explanation } from "../../../provider/src/api/responses.js";
import { mappingRemedy } from "../../../provider/src/cli/doctor/shape.js";
import { asArguments } from "../../../provider/src/plugin/setting-advice.js";

type ResponseSetting = NonNullable<Explanation["missing"]>["setting"];

it.each([
  ["Check partners:baseUrl.", "Check the Provider's baseUrl."],
  [
    "Refused. partners:responses.webhookId finds none.",
    "Refused. The Provider's responses.webhookId finds none.",
  ],
  ["partners:accessToken (PARTNERS_ACCESS_TOKEN) is wrong.", "The Provider's accessToken is wrong."],
  [
    "Set them: pulumi config set --path 'partners:responses.apiKey' /data/key.",
    `Set them: responses: { apiKey: "/data/key" } in the Provider's arguments.`,
  ],
  [
    "Set them: pulumi config set --path 'partners:responses.active[0]' active.",
    `Set them: responses: { active: ["active"] } in the Provider's arguments.`,
  ],
  [
    "Check partners:accessToken, or PARTNERS_ACCESS_TOKEN where the stack has none.",
    "Check the Provider's accessToken.",
  ],
  [
    "pulumi config set --path 'partners:responses.apiKey' '<pointer>'",
    `responses: { apiKey: "<pointer>" } in the Provider's arguments`,
  ],
  [
    "pulumi config set --path 'partners:responses.apiKey' ''",
    `responses: { apiKey: "" } in the Provider's arguments`,
  ],
  [
    `pulumi config set --path 'partners:responses.apiKey' '/it'\\''s "it"'`,
    `responses: { apiKey: "/it's \\"it\\"" } in the Provider's arguments`,
  ],
  [
    "Run pulumi config set --path 'partners:responses.apiKey' /a~1b/v1.0. Then again.",
    `Run responses: { apiKey: "/a~1b/v1.0" } in the Provider's arguments. Then again.`,
  ],
  ["Nothing of the kind.", "Nothing of the kind."],
])("advice about stack configuration becomes advice about the arguments: %j", (text, expected) => {
  expect(asArguments(text)).toBe(expected);
});

it.each<[ResponseSetting, string[]]>([
  ["apiKey", ["/data/api-key", "/data/token"]],
  ["apiKey", ["/a b/it's"]],
  ["apiKey", [""]],
  ["webhooks", []],
  ["webhookState", ["/state.now"]],
  ["active", []],
])("what doctor advises on %s, of %j, is advice about the arguments", (setting, candidates) => {
  const explanation = { pointers: {}, missing: { setting, candidates }, structure: [] };
  const remedy = mappingRemedy(explanation, {}, true);
  const commands = remedy.filter((line) => line.startsWith("pulumi"));
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) {
    // What the shell would hand to the CLI.
    const [, path = "", word = ""] = /'partners:responses\.([^']*)' (.*)$/.exec(command) ?? [];
    const value = execFileSync("sh", ["-c", `printf %s ${word}`], { encoding: "utf8" });
    const [, name, list] = /^(\w+)(\[0\])?$/.exec(path) ?? [];
    const literal = JSON.stringify(list === undefined ? value : [value]).replace(/,/g, ", ");
    expect(asArguments(command)).toBe(`responses: { ${name ?? ""}: ${literal} } in the Provider's arguments`);
  }
  expect(remedy.map(asArguments).join("\n")).not.toMatch(/pulumi|partners:|Run/);
});

it("no advice in the source is left that sends the user of a Provider to stack configuration", () => {
  const texts = ["api", "plugin"].flatMap((layer) => literals(join("provider/src", layer)));
  const advice = texts
    .filter((text) => /(?<!-)partners:/.test(text))
    .map((text) => text.replaceAll("${name}", "active"));
  expect(advice.length).toBeGreaterThan(20);
  expect(advice.map(asArguments).filter((text) => /partners:|PARTNERS_|pulumi config/.test(text))).toEqual(
    [],
  );
});

/** All lines of a layer that can be part of a message, but for `settings.ts`, which knows of both. */
function literals(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/^(settings|setting-advice|debug-log)\.ts$/.test(name))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter((line) => /["'`]/.test(line) && !/^\s*(\*|\/\/|\/\*\*)/.test(line));
}
