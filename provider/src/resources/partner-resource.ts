import { createRequire } from "node:module";

import * as pulumi from "@pulumi/pulumi";

import { configurationWarnings, unknownArguments } from "../setting-messages.js";
import type { Registration } from "../registration.js";

/**
 * A resource of the SDK's dynamic-provider host, with two inputs that Pulumi hides because of their
 * underscores: the source of the handlers, and its URN, for their messages, which the host does not pass on.
 */
export abstract class PartnerResource extends pulumi.CustomResource {
  /** @param args The arguments of the program; none if `opts` has the ID of an existing resource. */
  protected constructor(
    { type, __provider, outputs }: Registration,
    name: string,
    args: object,
    opts: pulumi.CustomResourceOptions = {},
  ) {
    checkRun();
    // The SDK makes an output of each property, also of one without a value.
    const unset = Object.fromEntries(outputs.map((output) => [output, undefined]));
    // The SDK's function costs as much as all else here. A promise: an output would make the resource depend
    // on its parent.
    const urn = opts.parent
      ? promisesOf(pulumi.createUrn(name, type, opts.parent)).promise()
      : `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
    super(type, name, { ...unset, ...args, __provider, __urn: urn }, opts);
  }
}

/** Rejects unknown arguments, where no check of the plugin does: a JavaScript program can pass anything. */
export function assertArguments(of: string, args: unknown, known: readonly string[]): void {
  if (typeof args !== "object" || args === null)
    throw new pulumi.RunError(`${of} needs its arguments as an object: ${known.join(", ")}.`);
  const unknown = unknownArguments(of, Object.keys(args), known);
  if (unknown !== null) throw new pulumi.RunError(unknown);
}

/** What an output has inside. */
interface OutputPromises<T> {
  readonly isKnown: Promise<boolean>;
  promise(): Promise<T>;
}

/** Returns the promises of an output: undeclared, but only they reveal a failure or an unknown value. */
export function promisesOf<T>(output: pulumi.Output<T>): OutputPromises<T> {
  return output as unknown as OutputPromises<T>;
}

/** Stands for a run without an engine, in which the SDK refuses to register any resource. */
const NO_RUN = {};

/** Identifies the run by its connection to the engine: with the Automation API, a process can have many. */
export function currentRun(): object {
  return pulumi.runtime.getMonitor() ?? NO_RUN;
}

/** The folder of the program, if the SDK runs it; a program may later change the folder of the process. */
const PROGRAM_FOLDER = /[\\/]cmd[\\/]run([\\/]|$)/.test(process.argv[1] ?? "") ? process.cwd() : null;

const checkedRuns = new WeakSet();

/** Checks once what all resources of a run need. */
function checkRun(): void {
  const run = currentRun();
  if (checkedRuns.has(run)) return;
  assertPluginResolves();
  checkedRuns.add(run);
  warnAboutStackSettings();
}

/**
 * Ensures that the SDK's host finds this package from the folder of the program, even if only another package
 * depends on it. An inline program has no such folder.
 */
function assertPluginResolves(): void {
  if (PROGRAM_FOLDER === null) return;
  try {
    createRequire(`${PROGRAM_FOLDER}/`).resolve("pulumi-partners/plugin");
  } catch {
    throw new pulumi.RunError(
      `Pulumi cannot find "pulumi-partners" from ${PROGRAM_FOLDER}, the folder of the program. ` +
        "Add it to the program's own dependencies, even if another package depends on it, and install them.",
    );
  }
}

/** Warns about stack configuration that has no effect, and about secrets in plain text. */
function warnAboutStackSettings(): void {
  // The SDK exports `isConfigSecret` but does not declare it; without it, every secret counts as encrypted.
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  const isEncrypted = (key: string): boolean => isConfigSecret?.(key) !== false;
  const keys = Object.keys(pulumi.runtime.allConfig());
  for (const text of configurationWarnings(pulumi.getProject(), keys, isEncrypted))
    void pulumi.log.warn(text);
}
