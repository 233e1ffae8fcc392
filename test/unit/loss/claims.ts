/** What an error says that its operation did on the server; `"unsaid"` is a fault of the error. */
export type Claim = "none" | "possible" | "certain" | "unsaid";

/** Every sentence by which an error tells its effect, in the words that a person reads. */
const SENTENCES: readonly (readonly [RegExp, Claim])[] = [
  [/Nothing was changed on the server|nothing was sent/, "none"],
  [
    /A key may exist on the server that no stack knows of|The key may already be deleted|The webhook may have been changed/,
    "possible",
  ],
  [/A key EXISTS on the server now|The key is deleted|The webhook was changed/, "certain"],
];

/** Reads a message as a person does: the first sentence about the effect counts, what follows explains. */
export function claimOf(message: string): Claim {
  const found = SENTENCES.flatMap(([pattern, claim]) => {
    const at = message.search(pattern);
    return at < 0 ? [] : [{ at, claim }];
  });
  return found.sort((one, other) => one.at - other.at)[0]?.claim ?? "unsaid";
}
