/** What the handlers put where a program or a stack says nothing, and the program foretells. */

/** The name of the account of stack configuration, where {@link ACCOUNT_KEY} gives none. */
export const DEFAULT_ACCOUNT = "default";

/** The setting, and the property of a provider, that names the account. */
export const ACCOUNT_KEY = "partners:account";

/** What becomes of a webhook that is no longer declared. */
export const DEFAULT_STATE_ON_DESTROY = "leave";
