import { join, resolve } from "node:path";
import { isExecutable, MINIMUM_VERSION, onPath, type Pulumi, verified } from "./pulumi-cli/binary.ts";
import { build, MODULE_HASH, MODULE_VERSION } from "./pulumi-cli/build.ts";
import { cacheRoot, publish, underLock } from "./pulumi-cli/cache.ts";
import { install, INSTALLED_BINARY } from "./pulumi-cli/install.ts";
import { say } from "./pulumi-cli/say.ts";

export type { Pulumi } from "./pulumi-cli/binary.ts";

/** Set by `require-pulumi.ts` for the processes it starts: the CLI it has found, so that they need not look again. */
export const FOUND_VARIABLE = "FOUND_PULUMI_CLI";

const PLATFORM = `${MODULE_VERSION}-${process.platform}-${process.arch}`;
const INSTALLED = `pulumi-${PLATFORM}`;
const BUILT = `pulumi-${PLATFORM}-${MODULE_HASH}`;

/**
 * A Pulumi CLI: `PULUMI_CLI` or `pulumi` on PATH, else from the cache, else installed by the SDK's installer, else built from
 * its Go module. The last two fill the cache and say on stderr how long they take.
 *
 * @throws If `PULUMI_CLI` is set to something else than a usable CLI, or if no way works; the message lists what was tried.
 */
export async function getPulumi(): Promise<Pulumi> {
  const found = process.env[FOUND_VARIABLE];
  if (found !== undefined) return JSON.parse(found) as Pulumi;

  const asked = process.env["PULUMI_CLI"];
  if (asked) return fromVariable(resolve(asked));

  const failures: string[] = [];
  const attempt = async (way: string, get: () => Promise<Pulumi | undefined>): Promise<Pulumi | undefined> =>
    get().catch((error: unknown) => {
      const failure = `${way}: ${messageOf(error)}`;
      say(`No Pulumi CLI from ${failure}`);
      failures.push(failure);
      return undefined;
    });

  return (
    (await attempt("PATH", fromPath)) ??
    (await fromCache()) ??
    (await underLock(
      say,
      async () =>
        (await fromCache()) ?? // Another process may have filled it while this one waited.
        (await attempt("the SDK's installer", installed)) ??
        (await attempt("its Go module", built)),
    )) ??
    fail(failures)
  );
}

async function fromVariable(path: string): Promise<Pulumi> {
  return verified(path, "PULUMI_CLI").catch((error: unknown) => {
    throw new Error(`PULUMI_CLI is no usable Pulumi CLI: ${messageOf(error)}. Correct it, or unset it.`);
  });
}

async function fromPath(): Promise<Pulumi | undefined> {
  const path = await onPath("pulumi");
  return path === undefined ? undefined : verified(path, "PATH");
}

async function fromCache(): Promise<Pulumi | undefined> {
  // An installed one first: it has Pulumi's own language host beside it.
  for (const path of [join(cacheRoot(), INSTALLED, INSTALLED_BINARY), join(cacheRoot(), BUILT, "pulumi")]) {
    if (await isExecutable(path)) {
      const usable = await verified(path, "cache").catch((error: unknown) => {
        say(`Not used: ${messageOf(error)}`);
      });
      if (usable) return usable;
    }
  }
  return undefined;
}

async function installed(): Promise<Pulumi> {
  await publish(INSTALLED, (folder) => install(MODULE_VERSION, folder));
  return verified(join(cacheRoot(), INSTALLED, INSTALLED_BINARY), "SDK installer");
}

async function built(): Promise<Pulumi> {
  await publish(BUILT, (folder) => build(join(folder, "pulumi")));
  return verified(join(cacheRoot(), BUILT, "pulumi"), "Go module");
}

function fail(failures: readonly string[]): never {
  throw new Error(
    [
      "There is no Pulumi CLI, and no way to get one worked:",
      ...failures.map((failure) => `- ${failure}`),
      `Install Pulumi ${MINIMUM_VERSION} or newer and put it on PATH, or set PULUMI_CLI to its path.`,
    ].join("\n"),
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// `node test/support/pulumi-cli.ts` prints the path.
if (import.meta.main) {
  try {
    console.log((await getPulumi()).path);
  } catch (error) {
    say(messageOf(error));
    process.exitCode = 1;
  }
}
