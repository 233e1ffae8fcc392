/**
 * Advice is executed: each remedy in a message is followed to the letter, and must end its situation.
 * `test/engine/drills.test.ts` has the remedies that depend on the engine.
 */
import { expect, it } from "vitest";

import { ENGINE_DRILLS, sentencesOf } from "../../support/advice.ts";
import { FILES, page } from "../docs/pages.ts";
import { DELETION_DRILLS } from "./deletion-drills.ts";
import { KEY_DRILLS } from "./key-drills.ts";
import { expectPeace } from "./person.ts";
import { REQUEST_DRILLS } from "./request-drills.ts";
import { SETTING_DRILLS } from "./setting-drills.ts";
import { WEBHOOK_DRILLS } from "./webhook-drills.ts";

const DRILLS = { ...KEY_DRILLS, ...DELETION_DRILLS, ...WEBHOOK_DRILLS, ...REQUEST_DRILLS, ...SETTING_DRILLS };

it.each(Object.entries(DRILLS))("whoever follows %j ends the situation", async (words, drill) => {
  const person = await drill(words);
  expect(person.followed).toContain(words);
  await expectPeace(person);
});

/** The remedies that are not followed, by some of their words, and why. */
const WITHOUT_DRILL: Readonly<Record<string, string>> = {
  "must be text: quote it": "checked by the native host: test/unit/hosts/native-configuration.test.ts",
  "put Node 22.19 or newer on the PATH": "these tests have only one Node: test/plugin/environment.test.ts",
  "let its owner": "others mend their server: test/unit/partner-api/connections.test.ts",
  "The server's certificate is not valid yet: check the clock": "the clock of this machine is right",
  "Please report this line": "a bug is mended by us",
  "it may exist: ask the service to delete it": "a bug that is known is mended, so none creates a key",
  "Use one of: partners:index:PartnerApiKey": "no SDK of this version has another token",
};

/** What begins a remedy. */
const VERBS =
  "add allow ask check choose correct create declare delete fix let look name pass percent-encode put quote raise " +
  "remove replace report rotate run set unset use";
const ANY = VERBS.split(" ").map(
  (verb) => `[${verb.slice(0, 1)}${verb.slice(0, 1).toUpperCase()}]${verb.slice(1)}`,
);
const REMEDY = new RegExp(`(?:^|[:;,] |[("]|\\b(?:and|or|else|also|Please) )(?:${ANY.join("|")}) `);

it("each remedy of a message has a drill, or a reason to have none", () => {
  const files = FILES.filter((file) => file.endsWith("-messages.txt"));
  expect(files).toHaveLength(6);
  const sentences = files.flatMap((file) =>
    sentencesOf(page(file).replaceAll(/The server said: ".*?"/g, "")),
  );
  const remedies = sentences.filter((sentence) => REMEDY.test(sentence));
  const drilled = [...Object.keys(DRILLS), ...ENGINE_DRILLS];
  const known = [...drilled, ...Object.keys(WITHOUT_DRILL)];
  const has = (sentence: string) => known.some((words) => sentence.includes(words));
  expect([...new Set(remedies.filter((sentence) => !has(sentence)))]).toEqual([]);
  expect(known.filter((words) => !sentences.some((sentence) => sentence.includes(words)))).toEqual([]);
});

it("each function that words an error or a notice is in a test that writes their texts", () => {
  const sources = FILES.filter((file) => /^provider\/src\/.*-messages\.ts$/.test(file)).map(page);
  // Of each function, the part before its body.
  const heads = sources.flatMap((source) => source.match(/(?<=^export function )[^]*?(?= \{$)/gm) ?? []);
  const worded = heads.filter((head) => /\): (?:PartnerError|Notice)$/.test(head));
  const functions = worded.map((head) => head.replace(/\([^]*/, ""));
  expect(functions.length).toBeGreaterThan(40);
  const tests = FILES.filter((file) => file.endsWith("-messages.test.ts"))
    .map(page)
    .join("\n");
  expect(functions.filter((name) => !new RegExp(`\\b${name}\\(`).test(tests))).toEqual([]);
});
