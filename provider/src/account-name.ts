/** The name of the account of stack configuration, where {@link ACCOUNT_KEY} gives none. */
export const DEFAULT_ACCOUNT = "default";

/** The setting, and the property of a provider, that names the account. */
export const ACCOUNT_KEY = "partners:account";
