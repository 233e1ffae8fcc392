/*
 * What makes untrusted text safe to print, whoever wrote it: a server (redact.ts), or a user of the command
 * line (cli/command.ts).
 */

/**
 * Terminal escapes and line breaks. Both begin commands of a terminal, and of CI systems such as Buildkite
 * and GitLab.
 */
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
/**
 * Characters that show nothing or change the direction of text. GitHub's runner skips them when it searches
 * for `##[`.
 */
export const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Puts untrusted text on one line, without anything that a reader cannot see. */
export function toVisibleLine(text: string): string {
  // A server can send half a character, which gRPC cannot encode.
  return text.toWellFormed().replace(INVISIBLE, "").replace(CONTROL_CHARACTERS, " ").replace(/\s+/g, " ");
}

/**
 * Breaks the commands that CI systems read in a log: `::`, GitHub's `##[`, Azure's `##vso[` and TeamCity's
 * `##teamcity[`, which count anywhere in a line. Must be the last step: what is removed from a text can
 * create them.
 */
export function breakCommands(text: string): string {
  return text.replace(/([:#])(?=\1)/g, "$1 ");
}
