import type { PartnerClient } from "../../api/partner-client.js";
import { messageOf } from "../../plugin/boundary.js";
import { asArguments } from "../../plugin/setting-advice.js";
import { isExplicit } from "../../plugin/setting-lookup.js";
import type { Settings } from "../../plugin/settings.js";
import { VERSION } from "../../version.js";
import type { Project } from "../project.js";
import { tryKey, type KeyTrial } from "./key-trial.js";
import { checkPlugin } from "./plugin-loading.js";
import { failed, skipped, type Check, type Report } from "./report.js";
import { checkRoute } from "./route.js";
import { examineService, type Observation } from "./service.js";
import { examineSettings } from "./settings.js";
import { openAccount, type Account } from "./stack.js";
import { checkCli, checkNode, checkSdk } from "./versions.js";
import { checkWebhooks, reportWebhooks } from "./webhooks.js";

/** What to examine, and how. */
export interface Examination {
  /** The folder to start from. */
  readonly folder: string;
  readonly project: Project | null;
  /** The name of a stack. @default the one that is selected */
  readonly stack: string | undefined;
  /** What an account is called. @default the one of stack configuration */
  readonly account: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Told of each check as soon as it is made. */
  readonly tell: (check: Check) => void;
  /** Asked before a key is made; `null` if none is to be made. @param server Where it would be made. */
  readonly mayCreate: ((server: string) => Promise<boolean>) | null;
}

type Add = (...checks: readonly Check[]) => void;
type Found = Pick<Report, "settings" | "shape" | "webhooks" | "key">;

/** Makes all checks. What is wrong with what it examines is the result, and no error. */
export async function examine(examination: Examination): Promise<Report> {
  const { project, stack, account: name, tell } = examination;
  const checks: Check[] = [];
  let inOwnTerms = (text: string): string => text;
  const add: Add = (...made) => {
    for (const { detail, remedy, ...rest } of made) {
      const check = { ...rest, detail: inOwnTerms(detail), remedy: remedy.map(inOwnTerms) };
      checks.push(check);
      tell(check);
    }
  };
  const opening = openAccount(project, stack, name);
  await examineMachine(examination, add);
  const account = await opening;
  if (account.config !== null && isExplicit(account.config)) inOwnTerms = asArguments;
  add(account.check);
  const found = await examineAccount(examination, account, add);
  const left = found.key?.outcome === "exists" || found.key?.outcome === "may exist";
  const exitCode = checks.some(({ status }) => status === "failed") ? 1 : 0;
  return { format: 1, version: VERSION, exitCode: left ? 3 : exitCode, checks, ...found };
}

async function examineMachine({ folder, project }: Examination, add: Add): Promise<void> {
  add(checkNode());
  add(await checkCli(folder));
  if (project !== null) add(checkSdk(project.programFolder));
  add(checkPlugin(project?.programFolder ?? folder, project !== null));
}

async function examineAccount(examination: Examination, account: Account, add: Add): Promise<Found> {
  const nothing: Found = { settings: [], shape: null, webhooks: null, key: null };
  const { config, isSecret } = account;
  if (config === null) return nothing;
  const { check, settings, report } = examineSettings(config, examination.env, isSecret);
  add(check);
  if (settings === null) return { ...nothing, settings: report };
  add(checkRoute(settings.baseUrl, examination.env));
  const seen: Observation[] = [];
  const client = await openClient(settings, examination.env, seen);
  if ("check" in client) {
    add(client.check);
    return { ...nothing, settings: report };
  }
  const inStack = account.webhooks !== null;
  try {
    const { checks, accepted, shape, list } = await examineService(client, settings, seen, inStack);
    add(...checks);
    const webhooks = list === null ? null : reportWebhooks(list, account.webhooks);
    if (list !== null && webhooks !== null) add(checkWebhooks(webhooks, list));
    const trial = await tryIfAsked(examination, accepted, client, settings, account);
    if (trial !== null) add(trial.check);
    return { settings: report, shape, webhooks, key: trial?.key ?? null };
  } finally {
    await client.close();
  }
}

async function openClient(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  seen: Observation[],
): Promise<PartnerClient | { readonly check: Check }> {
  if (checkNode().status === "failed")
    return { check: skipped("service", "This Node cannot send requests.") };
  // Loaded late: undici fails to load on a Node that is too old.
  const { createClient } = await import("../../api/client.js");
  const debug = env["PARTNERS_DEBUG"] === "1" && {
    log: (line: string) => void process.stderr.write(`${line}\n`),
  };
  try {
    return createClient({
      ...settings,
      ...debug,
      observe: (exchange, milliseconds) => {
        seen.push({ exchange, milliseconds, endedAt: Date.now() });
      },
    });
  } catch (error) {
    return { check: failed("service", messageOf(error)) };
  }
}

async function tryIfAsked(
  { mayCreate }: Examination,
  accepted: boolean,
  client: PartnerClient,
  settings: Settings,
  { check: stack, webhooks }: Account,
): Promise<KeyTrial | null> {
  if (mayCreate === null) return null;
  const key = { outcome: "not made", at: null, requestId: null, explanation: null } as const;
  if (!accepted)
    return { check: skipped("key", "Not tried, as the list of webhooks was not to be had."), key };
  // The settings are then those of the environment, which may be another account than the stack's.
  if (stack.status === "failed")
    return { check: skipped("key", "Not tried, as the stack cannot be read."), key };
  const { origin, prefix } = settings.baseUrl;
  if (await mayCreate(origin + prefix)) return tryKey(client, settings, webhooks !== null);
  return { check: skipped("key", "Not tried, as you did not agree."), key };
}
