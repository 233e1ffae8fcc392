/** Follows the numbered steps of a page: types their commands, and does what they ask people to do. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { sectionOf } from "../unit/docs/pages.ts";
import type { TestStack } from "../support/stack.ts";

/** What a person says to the next commands of a step. */
interface Reply {
  /** What is typed while they run. */
  readonly typed?: string;
  /** The folder in which they run. @default the folder of the project */
  readonly folder?: string;
}

/**
 * What a person does where a step says these words, before the commands below them: gets the program below
 * the words, and what the last commands printed.
 */
export type Person = readonly [words: string, act: (program: string, printed: string) => unknown];

/** What a person does who only needs to know, or to wait. */
export const nothing = (): void => undefined;

/** Options of {@link follow}. */
export interface FollowOptions {
  readonly stack: Pick<TestStack, "shell" | "projectDir" | "write">;
  /** A step must ask each of them. */
  readonly people?: readonly Person[];
  /** What to change in the commands of the page, such as the name of the project. */
  readonly here?: Readonly<Record<string, string>>;
}

/**
 * Follows the steps under a heading, such as `## The state is lost`: types the commands of `sh` blocks, and
 * writes a program into the file that the step names first, unless a person does something with it. Fails at
 * a command that fails, and at a step that neither has commands nor asks a person.
 *
 * @returns What the commands printed, block by block.
 */
export async function follow(page: string, heading: string, options: FollowOptions): Promise<string[]> {
  const { stack, people = [] } = options;
  const steps = await stepsOf(page, heading);
  expect(steps.length, `steps under ${heading} of ${page}`).toBeGreaterThan(0);
  const asked = new Set<Person>();
  const printed: string[] = [];
  for (const step of steps) {
    let done = 0;
    for (const { text, language, block } of partsOf(step)) {
      const [isScript, isProgram] = [language === "sh", ["ts", "js", "json"].includes(language)];
      const replies: Reply[] = [];
      for (const person of people.filter(([words]) => text.includes(words))) {
        asked.add(person);
        replies.push((await person[1](isProgram ? block : "", printed.at(-1) ?? "")) ?? {});
      }
      const [, file] = /`([\w.-]+\.\w+)`/.exec(text) ?? [];
      if (isScript) printed.push(await type(block, options, Object.assign({}, ...replies) as Reply));
      else if (isProgram && replies.length === 0) await stack.write(file ?? "no file is named", block);
      if (isScript || isProgram || replies.length > 0) done += 1;
    }
    expect(done, `a step that this test does not follow: ${step}`).toBeGreaterThan(0);
  }
  const idle = people.filter((person) => !asked.has(person)).map(([words]) => words);
  expect(idle, `words that no step under ${heading} has`).toEqual([]);
  return printed;
}

/** Returns the numbered steps under a heading, without their indents. */
export async function stepsOf(page: string, heading: string): Promise<string[]> {
  const section = sectionOf(await readFile(join(ROOT, page), "utf8"), heading);
  const steps = section.matchAll(/^\d+\. (.*\n(?: {3}.*\n|\n(?= {3}))*)/gm);
  return [...steps].map(([, step = ""]) => step.replaceAll(/^ {3}/gm, ""));
}

/** Splits a step at its code blocks. The last part has none. */
function partsOf(step: string): { text: string; language: string; block: string }[] {
  const parts = step.matchAll(/([^]*?)(?:^```(\w+)\n([^]*?)^```$|(?![^]))/gm);
  return [...parts].map(([, text = "", language = "", block = ""]) => ({
    text: text.replaceAll(/\s+/g, " "),
    language,
    block,
  }));
}

/** Types commands in a terminal where earlier ones have set variables. */
async function type(
  block: string,
  { stack: { shell, projectDir }, here = {} }: FollowOptions,
  { typed, folder = projectDir }: Reply,
): Promise<string> {
  const [session, keyboard] = [join(projectDir, "../session.sh"), join(projectDir, "../keyboard.txt")];
  await writeFile(keyboard, typed === undefined ? "" : `${typed}\n`);
  const commands = Object.entries(here).reduce((text, [from, to]) => text.replaceAll(from, to), block);
  const script = `[ ! -e '${session}' ] || . '${session}'
    cd '${folder}'
    { ${commands} } < '${keyboard}'
    export -p > '${session}'`;
  const { code, stdout, stderr } = await shell(script);
  const output = stdout + stderr;
  expect(code, `${commands}\n${output}`).toBe(0);
  return output;
}
