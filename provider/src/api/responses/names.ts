const NOT_LETTER_OR_DIGIT = /[^\p{L}\p{N}]/gu;

/** A member name as it is compared: lower case, letters and digits only (`API_Key` and `apiKey` are one name). */
export function normalise(name: string): string {
  return name.toLowerCase().replace(NOT_LETTER_OR_DIGIT, "");
}
