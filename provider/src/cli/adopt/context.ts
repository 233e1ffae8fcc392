import { account, configureSession } from "../../plugin/session.js";
import { UsageError } from "../command.js";
import { findProject } from "../project.js";
import { stackResources, type StackResources } from "../stack-resources.js";
import { openStack, type Stack } from "../stack.js";

/** What counts of the stack. */
export interface AdoptingStack extends StackResources, Pick<Stack, "name" | "hasOwn"> {}

/** Where things are adopted into. */
export interface AdoptContext {
  /** The name of the account, as the resources of the default provider carry it. */
  readonly account: string;
  /** What is managed already; `null` outside a project, where that cannot be known. */
  readonly stack: AdoptingStack | null;
}

/**
 * Reads the stack that a folder belongs to, if there is one, and gives the session its settings.
 *
 * @throws {UsageError} if a stack is named where there is no project.
 * @throws {CommandError} if the stack cannot be read.
 */
export async function openContext(cwd: string, stackName: string | undefined): Promise<AdoptContext> {
  const project = await findProject(cwd);
  if (project === null) {
    if (stackName !== undefined)
      throw new UsageError("--stack needs a project, and there is no Pulumi.yaml here.");
    return { account: account(), stack: null };
  }
  const [{ name, config, hasOwn }, resources] = await Promise.all([
    openStack(project, stackName),
    stackResources(project, stackName),
  ]);
  configureSession(config);
  return { account: account(), stack: { name, hasOwn, ...resources } };
}
