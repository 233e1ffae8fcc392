/** The stable codes of errors, which docs/troubleshooting.md lists. The hosts add one for bugs. */
export type ErrorCode =
  | "PARTNERS_CONFIGURATION"
  | "PARTNERS_CONNECTION"
  | "PARTNERS_TIMEOUT"
  | "PARTNERS_INTERRUPTED"
  | "PARTNERS_STATUS"
  | "PARTNERS_UNREADABLE"
  | "PARTNERS_RESOURCE";

/** What code needs to know of an error, so that it never reads the message. */
export interface ErrorFacts {
  /** Whether something at the service may have changed all the same. @default false */
  readonly mayHaveChanged?: boolean;
  /** The status of the last response; `null` if there was none. @default null */
  readonly status?: number | null;
  /** Whether it shows that the Partner API was not reached with these settings. @default false */
  readonly isUnreachable?: boolean;
  /**
   * Whether the server refused to change a webhook with a 409 whose words say that it is in the wanted state
   * already. @default false
   */
  readonly isAlreadySo?: boolean;
  /**
   * Whether the response was lost for a reason that lasts until somebody corrects it, such as headers that
   * are not HTTP. @default false
   */
  readonly isPermanent?: boolean;
  /** Whether the service has refused, and will again until something else changes. @default false */
  readonly isRefusal?: boolean;
  /**
   * The first clause of the message, such as `GET https://…: the server returned 401`. Of the resources that
   * fail with the same one, only the first shows the whole message. @default each shows it
   */
  readonly summary?: string | null;
  /** The server's own words, redacted, which the message repeats. @default null */
  readonly serverWords?: string | null;
}

/** The facts that an error in other words does not keep. */
type Replaced = ErrorFacts & { readonly code?: ErrorCode };

/**
 * An error that a user can do something about. The host adds the code to its message, and perhaps a hint, and
 * masks known secrets. Of a body, the message has at most the server's own words, redacted.
 */
export class PartnerError extends Error {
  readonly code: ErrorCode;
  readonly mayHaveChanged: boolean;
  readonly status: number | null;
  readonly isUnreachable: boolean;
  readonly isAlreadySo: boolean;
  readonly isPermanent: boolean;
  readonly isRefusal: boolean;
  readonly summary: string | null;
  readonly serverWords: string | null;
  readonly #facts: ErrorFacts;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message);
    this.code = code;
    this.mayHaveChanged = facts.mayHaveChanged ?? false;
    this.status = facts.status ?? null;
    this.isUnreachable = facts.isUnreachable ?? false;
    this.isAlreadySo = facts.isAlreadySo ?? false;
    this.isPermanent = facts.isPermanent ?? false;
    this.isRefusal = facts.isRefusal ?? false;
    this.summary = facts.summary ?? null;
    this.serverWords = facts.serverWords ?? null;
    this.#facts = facts;
  }

  /** Returns an error that says it differently. All facts stay, except those that are replaced. */
  withMessage(message: string, { code = this.code, ...replaced }: Replaced): PartnerError {
    return new PartnerError(code, message, { ...this.#facts, ...replaced });
  }
}

/** A resource, as it is declared or stored, does not fit the service or the settings. */
export function resourceError(text: string, facts?: ErrorFacts): PartnerError {
  return new PartnerError("PARTNERS_RESOURCE", text, facts);
}

/** Returns the error that an operation fails with; `null` if it succeeds. Throws any other error. */
export function failureOf(operation: Promise<unknown>): Promise<PartnerError | null> {
  return operation.then(() => null, asPartnerError);
}

/** Returns a {@link PartnerError} that was caught. Throws any other error again. */
export function asPartnerError(error: unknown): PartnerError {
  if (error instanceof PartnerError) return error;
  throw error;
}
