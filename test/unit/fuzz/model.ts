import type { Declared } from "../loss/stack-state.ts";
import { RIGHT, type Settings } from "./settings.ts";

/** The accounts: the default provider's and that of an explicit one. */
export const ACCOUNTS = ["default", "eu"] as const;
/** The webhooks that every account has in the beginning. */
export const WEBHOOKS = [101, 102, 103] as const;
/** One that no account ever has. */
export const NO_WEBHOOK = 999;

/** What a person has written and knows: the program, the configuration, and which webhooks there are. */
export class Model {
  readonly program = new Map<string, Declared>();
  readonly settings = new Map<string, Settings>();
  /** The webhooks that exist, as `account/id`. */
  readonly webhooks = new Set(ACCOUNTS.flatMap((account) => WEBHOOKS.map((id) => `${account}/${id}`)));
  /** Accounts whose service has faults. */
  readonly stormy = new Set<string>();

  /** @param mapping The mapping in the beginning. @param program What is declared, as far as it does not contradict. */
  constructor(mapping: Settings["mapping"], program: readonly [string, Declared][]) {
    for (const account of ACCOUNTS) this.settings.set(account, { ...RIGHT, mapping });
    for (const [name, declared] of program) if (this.allows(name, declared)) this.program.set(name, declared);
  }

  settingsOf(account: string): Settings {
    return this.settings.get(account) ?? RIGHT;
  }

  /** Whether a resource may be written into the program: two that set the same webhook would fight for ever. */
  allows(name: string, declared: Declared): boolean {
    if (declared.kind === "key") return true;
    return ![...this.program].some(
      ([other, { account, args }]) =>
        other !== name && account === declared.account && args["webhookId"] === declared.args["webhookId"],
    );
  }
}
