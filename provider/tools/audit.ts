/**
 * `npm run audit` asks the registry for known vulnerabilities in what users install. A registry that does not
 * answer is a warning: otherwise, nothing could be built on such a day.
 */
import { runProcess, type Ended } from "./child-process.ts";

/** The registry gets a second chance, and a minute for each. */
const ARGUMENTS = ["audit", "--omit=dev", "--json", "--fetch-retries=1", "--fetch-timeout=60000"];

/** Returns what to print and the exit code. @param ended The end of `npm audit --json`. */
export function judgeAudit({ code, stdout, stderr }: Pick<Ended, "code" | "stdout" | "stderr">): {
  readonly exitCode: number;
  readonly text: string;
} {
  // npm prints an object without a version if there is no report.
  if (stdout.includes('"auditReportVersion"')) return { exitCode: code, text: code === 0 ? "" : stdout };
  const reason = /"message": *"([^"]*)"/.exec(stdout)?.[1] ?? stderr.trim();
  return { exitCode: 0, text: `::warning title=npm audit::There is no report. ${reason}` };
}

if (import.meta.main) {
  // npm starts this script, and says where it is: on Windows, it cannot be started by its name.
  const [node, npm = ""] = [process.execPath, process.env["npm_execpath"]];
  const { exitCode, text } = judgeAudit(await runProcess(node, [npm, ...ARGUMENTS], { timeoutMs: 300_000 }));
  console.log(text);
  process.exitCode = exitCode;
}
