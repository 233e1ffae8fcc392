import type { ConfigSource } from "../plugin/setting-lookup.js";
import { fields, type Fields } from "./fields.js";
import type { Project } from "./project.js";
import { pulumi, pulumiJson, stackFlags } from "./pulumi-cli.js";

/** A stack, with its configuration read. */
export interface Stack {
  readonly name: string;
  /** Its configuration, decrypted: only ever held in memory. */
  readonly config: ConfigSource;
  /** Whether a key of its configuration is stored as a secret. */
  readonly isSecret: (key: string) => boolean;
  /** Whether its configuration has a key of the project itself. @param key Without a namespace. */
  readonly hasOwn: (key: string) => boolean;
}

/**
 * Reads the configuration of a stack through the CLI, so that passphrases, secret providers and environments work as
 * they do for `pulumi up`.
 *
 * @param stack Its name. @default the one that is selected
 * @throws {CommandError} if the CLI is missing, no stack is selected, or its secrets cannot be decrypted.
 */
export async function openStack(project: Project, stack?: string): Promise<Stack> {
  const [name, values] = await Promise.all([
    pulumi(["stack", "--show-name", ...stackFlags(stack)], project.root),
    pulumiJson(["config", "--json", "--show-secrets", ...stackFlags(stack)], project.root),
  ]);
  const entry = (key: string): Fields => fields(fields(values)[key]);
  return {
    name: name.trim(),
    config: {
      get: (key) => {
        const { value } = entry(key);
        return typeof value === "string" ? value : undefined;
      },
    },
    isSecret: (key) => entry(key)["secret"] === true,
    hasOwn: (key) => Object.hasOwn(fields(values), `${project.name}:${key}`),
  };
}
