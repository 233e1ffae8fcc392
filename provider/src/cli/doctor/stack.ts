import { messageOf } from "../../plugin/boundary.js";
import { accountName, type ConfigSource } from "../../plugin/setting-lookup.js";
import { CommandError } from "../command.js";
import type { Project } from "../project.js";
import { ofDefaultAccount, providerConfig, stackResources, type StackResource } from "../stack-resources.js";
import { openStack } from "../stack.js";
import { failed, ok, skipped, type Check } from "./report.js";

/** An account as a stack has it. */
export interface Account {
  readonly check: Check;
  /** Where its settings come from; `null` if that could not be found out, so that there is no point in going on. */
  readonly config: ConfigSource | null;
  /** Whether a key of the configuration is stored as a secret. */
  readonly isSecret: (key: string) => boolean;
  /** The webhook resources of the account; `null` where there is no stack to look at. */
  readonly webhooks: readonly StackResource[] | null;
}

/** What counts outside of a project, and where the stack cannot be read: the environment. */
const ENVIRONMENT = { config: { get: () => undefined }, isSecret: () => false, webhooks: null };

/**
 * Reads from the stack what concerns one account.
 *
 * @param stack The name of the stack. @default the one that is selected
 * @param account What the account is called. @default the one of stack configuration
 */
export async function openAccount(
  project: Project | null,
  stack?: string,
  account?: string,
): Promise<Account> {
  if (project === null) {
    const detail = "There is no Pulumi project here: only the environment counts.";
    return { ...ENVIRONMENT, check: skipped("stack", detail) };
  }
  try {
    return await read(project, stack, account);
  } catch (error) {
    const detail = error instanceof CommandError ? error.message : messageOf(error);
    // The environment is that of the default account only.
    const config = account === undefined ? ENVIRONMENT.config : null;
    return { ...ENVIRONMENT, config, check: failed("stack", detail) };
  }
}

async function read(project: Project, name?: string, account?: string): Promise<Account> {
  const [stack, { resources }] = await Promise.all([openStack(project, name), stackResources(project, name)]);
  const standard = accountName(stack.config);
  const others = [...new Set(resources.flatMap(({ account, provider }) => (provider && account) ?? []))];
  const declared = resources.filter(({ kind }) => kind === "webhookState");
  if (account === undefined || account === standard) {
    const rest =
      others.length === 0
        ? ""
        : ` Not examined: the accounts of its Providers (--account ${others.join(", ")}).`;
    return {
      ...stack,
      webhooks: ofDefaultAccount(declared, standard),
      check: ok("stack", `${stack.name}, account ${standard}.${rest}`),
    };
  }
  const config = await providerConfig(project, name, account);
  const webhooks = declared.filter((one) => one.provider !== null && one.account === account);
  if (config !== null) {
    const detail = `${stack.name}, account ${account} as the last "pulumi up" left its Provider.`;
    return { config, webhooks, isSecret: () => true, check: ok("stack", detail) };
  }
  const known = [standard, ...others].join(", ");
  const detail = `The state of ${stack.name} has no Provider of that account. Accounts with resources: ${known}.`;
  return { ...ENVIRONMENT, config: null, check: failed("stack", detail) };
}
