import { effectSentence, PartnerError } from "../api/errors.js";

/** Thrown where a key was deleted before something else failed; its code is that of the failure. */
export class PartlyDoneError extends PartnerError {
  override readonly code: string;

  /** @param done A sentence that says what is done, without a full stop. */
  constructor(done: string, cause: PartnerError) {
    const { code, status, requestId } = cause;
    const remedy = next(cause.message);
    super({ operation: null, happened: done, effect: "certain", remedy, status, requestId });
    this.code = code;
  }
}

/** The message of a failure, after a sentence that says what was done before. */
export function afterDeed(done: string, message: string): string {
  return `${done}. ${next(message)}`;
}

/** What a failure says of the server is true of its own request only. */
function next(message: string): string {
  const nothing = effectSentence("deleteApiKey", "none"); // The same for every operation.
  return `What came next failed: ${message.replaceAll(nothing, "Nothing else was changed on the server.")}`;
}
