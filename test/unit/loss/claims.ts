/** What an error says that its operation did on the server; `"unsaid"` is a fault of the error. */
export type Claim = "none" | "possible" | "certain" | "unsaid";

/** What an operation can have done. */
export type Deed = "creation" | "deletion" | "change";

/** Every sentence by which an error tells its effect, in the words that a person reads. */
const SENTENCES: readonly (readonly [RegExp, Claim, Deed | null])[] = [
  [/Nothing was changed on the server|nothing was sent/, "none", null],
  [/A key may exist on the server that no stack knows of/, "possible", "creation"],
  [/A key EXISTS on the server now/, "certain", "creation"],
  [/The key may already be deleted/, "possible", "deletion"],
  [/The (previous )?key is deleted|A key of this resource is deleted/, "certain", "deletion"],
  [/The webhook may have been changed/, "possible", "change"],
  [/The webhook was changed/, "certain", "change"],
];

/** Reads a message as a person does: the first sentence about the effect counts, what follows explains. */
export function claimOf(message: string): Claim {
  const found = SENTENCES.flatMap(([pattern, claim]) => {
    const at = message.search(pattern);
    return at < 0 ? [] : [{ at, claim }];
  });
  return found.sort((one, other) => one.at - other.at)[0]?.claim ?? "unsaid";
}

/** What a message says of one kind of effect, wherever it does; `"none"` if it is silent about it. */
export function claimAbout(deed: Deed, message: string): Claim {
  const said = SENTENCES.filter(([pattern, , about]) => about === deed && pattern.test(message));
  const claims = said.map(([, claim]) => claim);
  return claims.includes("certain") ? "certain" : (claims[0] ?? "none");
}
