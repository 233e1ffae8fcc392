import { ResourceError } from "../api/errors.js";
import type { Properties } from "./boundary.js";
import { account } from "./session.js";

/**
 * Refuses to touch a resource of one account with the settings of another: a key would be looked for where it never was, not
 * be found there and be forgotten, and a webhook of the same id would be changed.
 *
 * @param olds The outputs in state; those from before accounts had names belong to whatever account it is.
 * @throws {ResourceError} Nothing was sent then.
 */
export function assertOwnAccount({ account: owner }: Properties): void {
  const present = account();
  if (owner == null || owner === present) return;
  throw new ResourceError({
    operation: null,
    happened: `The resource belongs to the account ${JSON.stringify(owner)}, and the settings are those of ${JSON.stringify(present)}, so nothing was sent`,
    effect: "none",
    remedy: `Bring back the settings of that account (partners:account, baseUrl and accessToken) to delete it there, and use a Provider for the other account; or, if nothing of it exists any more, run "pulumi state delete". If it is the same account under a new name, keep the old name.`,
  });
}
