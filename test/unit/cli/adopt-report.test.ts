import { expect, it } from "vitest";

import type { Adoption } from "../../../provider/src/cli/adopt/adoption.js";
import { parseAdoptOptions } from "../../../provider/src/cli/adopt/options.js";
import { report } from "../../../provider/src/cli/adopt/report.js";

const ENTRY = { type: "t", name: "n", id: "1", inputs: {}, outputs: {} };
const WEBHOOKS: Adoption = { program: "new …", entries: [ENTRY], notes: ["A note."], setting: null };

function told(adoption: Adoption, ...args: string[]): string[] {
  const options = parseAdoptOptions(args);
  return options ? report(adoption, options) : [];
}

it("the commands to go on with are for the same stack, and one can paste them", () => {
  expect(told(WEBHOOKS, "--stack", "acme/dev", "--import-file", "it's.json")).toEqual([
    "A note.",
    "Make this part of the program, then run:",
    `  pulumi import --file 'it'\\''s.json' --generate-code=false --protect=false --stack acme/dev`,
    "  pulumi preview --expect-no-changes --stack acme/dev",
  ]);
});

it("a key goes from its variable to the configuration without being an argument", () => {
  const adoption = { ...WEBHOOKS, entries: [], notes: [], setting: "checkoutApiKey" };
  const lines = told(
    adoption,
    "--api-key-env",
    "KEY",
    "--name",
    "checkout",
    "--stack",
    "dev",
    "--out",
    "key.ts",
  );
  expect(lines).toEqual([
    "Load key.ts from the program, then run:",
    `  printf %s "$KEY" | pulumi config set --secret checkoutApiKey --stack dev`,
    "  pulumi up --stack dev",
  ]);
  expect(told(adoption, "--api-key-stdin", "--name", "checkout")[1]).toBe(
    "  pulumi config set --secret checkoutApiKey",
  );
});

it("where there is nothing to adopt, there is nothing to do", () => {
  expect(told({ ...WEBHOOKS, program: null }, "--import-file", "import.json")).toEqual(["A note."]);
});

it("a note that has a name from the state begins no line of its own", () => {
  const adoption = { ...WEBHOOKS, notes: ["Left out: 101 (a\n::set-output name=x::y\u001b[2J)."] };
  expect(told(adoption)[0]).toBe("Left out: 101 (a?::set-output name=x::y?[2J).");
});
