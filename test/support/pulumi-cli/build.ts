import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runProcess } from "../process.ts";
import { atLeast, onPath } from "./binary.ts";
import { withProgress } from "./say.ts";

const MODULE_FOLDER = import.meta.dirname;
const PACKAGE = "github.com/pulumi/pulumi/pkg/v3";
/** 4 to 6 minutes with empty caches on 2 cores; a machine that needs longer than this is stuck. */
const LIMIT_MS = 25 * 60_000;

const goMod = readFileSync(join(MODULE_FOLDER, "go.mod"), "utf8");

/** The CLI's version, as go.mod has it. */
export const MODULE_VERSION = read(new RegExp(`^\\s*${PACKAGE} v(\\S+)`, "m"));
const MINIMUM_GO = read(/^go (\S+)/m);

/** Names what a build is made from, so that a cached binary is not taken for one of another module list. */
export const MODULE_HASH = createHash("sha256")
  .update(goMod)
  .update(readFileSync(join(MODULE_FOLDER, "go.sum")))
  .digest("hex")
  .slice(0, 12);

/**
 * Builds the CLI from its Go module. It comes without a language host: see `../language-host`.
 *
 * @throws If Go is missing or too old, or the build fails; the message carries the end of Go's own output.
 */
export async function build(binary: string): Promise<void> {
  await requireGo();
  const version = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${MODULE_VERSION}`;
  const args = ["build", "-trimpath", "-ldflags", `-s -w ${version}`, "-o", binary, `${PACKAGE}/cmd/pulumi`];
  await withProgress(
    "Building the Pulumi CLI from its Go module; about 5 minutes on 2 cores, once per machine",
    async () => {
      const { code, stderr } = await go(args, LIMIT_MS);
      if (code !== 0)
        throw new Error(`go build failed. If it could not download, see GOPROXY.\n${ending(stderr)}`);
    },
  );
}

async function requireGo(): Promise<void> {
  if ((await onPath("go")) === undefined)
    throw new Error(`\`go\` is not on PATH; Go ${MINIMUM_GO} or newer is needed`);
  const { code, stdout, stderr } = await go(["version"], LIMIT_MS);
  const version = /go(\d+\.\d+(?:\.\d+)?)/.exec(stdout)?.[1];
  // An older Go tries to download the one that go.mod asks for, and fails here where it cannot.
  if (code !== 0 || version === undefined || !atLeast(version, MINIMUM_GO)) {
    throw new Error(`Go ${MINIMUM_GO} or newer is needed; \`go version\` says: ${ending(stdout + stderr)}`);
  }
}

function go(args: readonly string[], timeoutMs: number): ReturnType<typeof runProcess> {
  return runProcess("go", args, {
    cwd: MODULE_FOLDER,
    env: { ...process.env, GOFLAGS: "-mod=readonly" },
    timeoutMs,
  });
}

function ending(output: string): string {
  return output.trim().split("\n").slice(-15).join("\n");
}

function read(pattern: RegExp): string {
  const found = pattern.exec(goMod)?.[1];
  if (found === undefined)
    throw new Error(`${join(MODULE_FOLDER, "go.mod")}: nothing matches ${pattern.source}`);
  return found;
}
