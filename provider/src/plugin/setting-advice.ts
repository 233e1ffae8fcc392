/**
 * Rewrites advice that names settings of stack configuration for a person whose account is a `Provider` of the program:
 * there the settings are its arguments, and neither the stack's configuration nor the environment has a say.
 *
 * @param text An error or a warning, of whatever layer.
 * @example asArguments("Check partners:baseUrl.") // "Check the Provider's baseUrl."
 */
export function asArguments(text: string): string {
  return text.replace(ELSEWHERE, "").replace(COMMAND, member).replace(SETTING, argument);
}

/**
 * A command of ours that sets a member of `responses`: a pointer, or the first value of a list. The value may be quoted for a
 * shell; a full stop behind it is that of the sentence.
 */
const COMMAND =
  /pulumi config set --path 'partners:responses\.(\w+)(\[0\])?' ((?:'[^']*'|\\')+|[\w/.~-]*[\w/~-])/g;

/** What the environment has to say where stack configuration says nothing. */
const ELSEWHERE = /, or PARTNERS_\w+ where the stack has none/g;

/** A setting's key, with the environment variable behind it where one is named. */
const SETTING = /(^|\. |)(?<![\w-])partners:(\w+(?:\.\w+)*)(?: \(PARTNERS_\w+\))?/g;

function member(_command: string, name: string, list: string | undefined, word: string): string {
  const value = JSON.stringify(word.replaceAll("'\\''", "\0").replaceAll("'", "").replaceAll("\0", "'"));
  return `responses: { ${name}: ${list === undefined ? value : `[${value}]`} } in the Provider's arguments`;
}

function argument(_key: string, start: string, name: string, at: number): string {
  return start === "" && at > 0 ? `the Provider's ${name}` : `${start}The Provider's ${name}`;
}
