import { inOwnTerms } from "./session.js";

const said = new Set<string>();

/** Tells the person who runs Pulumi, once in a process: the engine shows what a plugin writes to stderr. */
export function warnOnce(text: string): void {
  if (said.has(text)) return;
  said.add(text);
  process.stderr.write(`pulumi-partners: ${inOwnTerms(text)}\n`);
}
