/** Reads messages as a person does who follows them to the letter. */
import { spawnSync } from "node:child_process";

/**
 * The remedies that are followed on the real engine, in `test/engine/drills.test.ts`, by some of their words:
 * they depend on which settings the engine passes, on a `Provider`, or on `pulumi do`.
 */
export const ENGINE_DRILLS = [
  "to a refresh or destroy",
  "put it back (and its Provider",
  "To delete it, run",
  "Pass it again, with the option",
  'in the environment: "pulumi do"',
  "set NODE_EXTRA_CA_CERTS",
] as const;

/** A setting that a sentence tells to set, and its value, as a shell passes it. */
interface Assignment {
  readonly name: string;
  readonly value: string;
}

/** Returns the sentences of a message, without its code. What the engine adds is on other lines. */
export function sentencesOf(message: string): string[] {
  const text = message.replaceAll(/ \[PARTNERS_.*?\]/g, "");
  return text.split("\n").flatMap((line) => line.split(/(?<=[.!?]"?\)?) +(?=[A-Z("])/));
}

/** Returns the sentence of a message that has some words. @throws if there is not exactly one. */
export function sentenceWith(words: string, message: string): string {
  const [sentence, ...others] = new Set(sentencesOf(message).filter((each) => each.includes(words)));
  if (sentence !== undefined && others.length === 0) return sentence;
  throw new Error(`${sentence === undefined ? "No" : "Two"} sentences with ${words} in: ${message}`);
}

/** Returns the commands that a sentence says to run, to paste into a shell. */
export function commandsIn(sentence: string): string[] {
  return [...sentence.matchAll(/\b(?:run|as in) "(pulumi [^"]+)"/gi)].map(([, command = ""]) => command);
}

/** Returns the variables that a sentence says to set, `set NAME to 'VALUE'`. */
export function variablesIn(sentence: string): Assignment[] {
  const found = sentence.matchAll(/\bset (PARTNERS_\w+) to ('(?:[^']|'\\'')*')/gi);
  return [...found].map(([, name = "", quoted = ""]) => ({ name, value: wordsOf(quoted)[0] ?? "" }));
}

/** Returns the arguments of a `pulumi` command, as a shell passes them. */
export function argumentsOf(command: string): string[] {
  return wordsOf(command.replace(/^pulumi /, ""));
}

/** Returns the words of a command line, as a shell splits them. */
function wordsOf(text: string): string[] {
  const { status, stdout } = spawnSync("sh", ["-euc", `printf '%s\\0' ${text}`], {
    encoding: "utf8",
    env: {},
  });
  if (status !== 0) throw new Error(`A shell refuses: ${text}`);
  return stdout.split("\0").slice(0, -1);
}

/**
 * Puts a pointer where a sentence has `POINTER`.
 *
 * @throws if the sentence names others to choose from.
 */
export function withPointer(sentence: string, pointer: string): string {
  const [, choices = ""] = /\(replace POINTER with (".*"), whichever is right\)/.exec(sentence) ?? [];
  if (!sentence.includes("replace POINTER with") || (choices !== "" && !choices.includes(`"${pointer}"`)))
    throw new Error(`${pointer} is not to be chosen in: ${sentence}`);
  return sentence.replace("POINTER", pointer);
}
