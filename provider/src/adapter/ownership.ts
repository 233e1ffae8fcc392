import type { AccountSession } from "../account/account-session.js";
import { DEFAULT_ACCOUNT, EXPLICIT } from "../setting-names.js";
import { UNKNOWN, type Properties } from "./properties.js";
import { notAnArgument, otherAccount, otherServer, providerMissing } from "./resource-messages.js";

/**
 * Which account a resource belongs to: its name, its address, and whether a `Provider` gave it the name. All
 * are stamped on the resource, so that no other account is ever asked to change or delete what it has.
 */
export class Ownership {
  readonly #session: AccountSession;

  constructor(session: AccountSession) {
    this.#session = session;
  }

  /** Adds the account to properties. @param from Properties that have it. @default today's settings */
  stamp(properties: Properties, from: Properties = this.#today): Properties {
    const { account, server, explicit } = from;
    return { ...properties, account, server, ...(explicit === true && { [EXPLICIT]: true }) };
  }

  /** Says which account or address a program gives as an argument, unless it is that of the settings. */
  problemsOf({ account, server }: Properties): string[] {
    const today = this.#today;
    const isOther = (given: unknown, own: string): boolean =>
      given != null && given !== UNKNOWN && given !== own;
    return [
      ...(isOther(account, today.account) ? [notAnArgument("account", today.account)] : []),
      ...(isOther(server, today.server) ? [notAnArgument("server", today.server)] : []),
    ];
  }

  /**
   * Elsewhere, a key would be dropped as not found, and another webhook of this ID would be changed.
   *
   * @throws {PartnerError} if stored properties are those of another account than today's.
   */
  assertOwned({ account: owner, server, explicit }: Properties): void {
    const { account, isExplicit, settingName } = this.#session.settings;
    if (typeof owner === "string") {
      // A `Provider` may be one for the stack's own account. Any other name could be that of another account.
      const isStackAccount = owner === account && account === DEFAULT_ACCOUNT;
      if (explicit === true && !isExplicit && !isStackAccount) throw providerMissing(owner);
      if (owner !== account) throw otherAccount(owner, account, settingName);
    }
    const { servers } = this.#session.readSettings();
    if (typeof server === "string" && !servers.includes(server))
      throw otherServer(server, servers[0], settingName);
  }

  get #today() {
    const { account, isExplicit } = this.#session.settings;
    return { account, server: this.#session.readSettings().servers[0], explicit: isExplicit };
  }
}
