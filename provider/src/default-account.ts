/** The name of the account of stack configuration, where `partners:account` gives none. */
export const DEFAULT_ACCOUNT = "default";
