/** Runs the Go compiler for the Pulumi CLI and for codegen/, and shows how far it is: both take minutes. */
import { mustRun } from "./child-process.ts";

/**
 * Builds a package of the Go module in a folder, and prints the progress.
 *
 * @param args Flags, and last the package.
 * @throws if Go is too old, or the build fails.
 */
export async function goBuild(cwd: string, output: string, ...args: readonly string[]): Promise<void> {
  // The compiler is quicker if it collects less garbage. Without cgo, the build needs no C compiler.
  const env = { GOGC: "400", ...process.env, GOFLAGS: "-mod=readonly", CGO_ENABLED: "0" };
  const options = { cwd, env, timeoutMs: 25 * 60_000 };
  const progress = new BuildProgress();
  const onStderrLine = (line: string): void => {
    progress.read(line);
  };
  const stopProgress = showProgress(() => progress.describe());
  try {
    // Also downloads the modules.
    const list = await mustRun("go", ["list", "-deps", args.at(-1) ?? "."], { ...options, onStderrLine });
    progress.total = list.trimEnd().split("\n").length;
    const command = ["build", "-v", "-trimpath", "-o", output, ...args];
    await mustRun("go", command, { ...options, onStderrLine });
  } finally {
    stopProgress();
  }
}

/** Counts what `go list` and `go build -v` print on stderr. */
export class BuildProgress {
  readonly #modules = new Set<string>();
  readonly #packages = new Set<string>();
  /** The number of packages to compile, or 0 if it is not known yet. */
  total = 0;

  /** Reads a line of stderr. Ignores all but the names of modules and packages. */
  read(line: string): void {
    const [, name = ""] = /^(?:go: downloading )?(\S+)(?: v\S+)?$/.exec(line) ?? [];
    if (name !== "") (line.startsWith("go: ") ? this.#modules : this.#packages).add(name);
  }

  /** Returns a line such as `12 modules downloaded, 40 of 1900 packages compiled`. */
  describe(): string {
    const downloaded = this.#modules.size > 0 ? `${this.#modules.size} modules downloaded, ` : "";
    return `${downloaded}${this.#packages.size} of ${this.total || "?"} packages compiled`;
  }
}

/**
 * Prints a line of progress: in a terminal, every second in place; otherwise, every 30 seconds.
 *
 * @returns Stops it.
 */
function showProgress(describe: () => string): () => void {
  const { isTTY, columns } = process.stderr;
  const print = (): void => {
    if (isTTY) process.stderr.write(`\r\u001b[K${describe().slice(0, columns - 1)}`);
    else console.error(`${describe()} ...`);
  };
  const timer = setInterval(print, isTTY ? 1000 : 30_000);
  return () => {
    clearInterval(timer);
    if (isTTY) process.stderr.write("\r\u001b[K");
  };
}
