import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

import { keyProgram, settingFor, webhookProgram } from "../../../provider/src/cli/adopt/program.js";

/** A folder from which the SDK and the package resolve; nothing is written there. */
const EXAMPLE = join(import.meta.dirname, "../../../examples/adopt");

const WEBHOOKS = [
  { name: "webhook-101", webhookId: 101, state: "active" },
  { name: "webhook-102", webhookId: 102, state: "disabled" },
] as const;
const UNDECIDED = { name: "webhook-103", webhookId: 103, state: null };

/** What the compiler says of programs, in the settings of the example. */
function compile(programs: Readonly<Record<string, string>>): Record<string, string[]> {
  const texts = new Map(
    Object.entries(programs).map(([name, text]) => [join(EXAMPLE, `${name}.generated.ts`), text]),
  );
  const { config } = ts.readConfigFile(join(EXAMPLE, "tsconfig.json"), (file) => ts.sys.readFile(file)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, EXAMPLE);
  const host = ts.createCompilerHost(options);
  host.fileExists = (file) => texts.has(file) || ts.sys.fileExists(file);
  host.readFile = (file) => texts.get(file) ?? ts.sys.readFile(file);
  const program = ts.createProgram([...texts.keys()], options, host);
  return Object.fromEntries(
    [...texts.keys()].map((file, index) => [
      Object.keys(programs)[index] ?? "",
      ts
        .getPreEmitDiagnostics(program, program.getSourceFile(file))
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " ")),
    ]),
  );
}

it("a webhook is a line that can be reviewed by itself", () => {
  expect(webhookProgram(WEBHOOKS)).toBe(`import * as partners from "pulumi-partners";

new partners.PartnerWebhookState("webhook-101", { webhookId: 101, state: "active" });
new partners.PartnerWebhookState("webhook-102", { webhookId: 102, state: "disabled" });
`);
});

it(
  "what is written compiles, and an undecided state does not until it is decided",
  { timeout: 30_000 },
  () => {
    const undecided = webhookProgram([...WEBHOOKS, UNDECIDED]);
    const uncommented = undecided.replace("// new", "new");
    expect(uncommented).not.toBe(undecided);
    const found = compile({
      webhooks: webhookProgram(WEBHOOKS),
      undecided,
      onlyUndecided: webhookProgram([UNDECIDED]),
      uncommented,
      decided: uncommented.replace(`"?"`, `"active"`),
      keyByArgument: keyProgram("checkout", "checkoutApiKey"),
      keyByImport: keyProgram("checkout", null),
    });
    expect(found).toEqual({
      webhooks: [],
      undecided: [],
      onlyUndecided: [],
      uncommented: [expect.stringContaining(`"?"`)],
      decided: [],
      keyByArgument: [],
      keyByImport: [],
    });
  },
);

it.each([
  ["checkout", "checkoutApiKey"],
  ["my-shop", "myShopApiKey"],
  ["a_b.c-1-", "aBC1ApiKey"],
])("the key of the resource %s is stored as %s", (name, setting) => {
  expect(settingFor(name)).toBe(setting);
});
