/** The sandbox in a process of its own, so that no contender shares one with it. Started by sandbox-process.ts. */
import { startSandbox, type SandboxOptions } from "pulumi-partners/sandbox";

const sandbox = await startSandbox(JSON.parse(process.argv[2] ?? "{}") as SandboxOptions);

process.on("message", () => {
  const counts: Record<string, number> = {};
  for (const { method } of sandbox.requests) counts[method] = (counts[method] ?? 0) + 1;
  sandbox.clearRequests();
  process.send?.(counts);
});
process.once("disconnect", () => process.exit());
process.send?.({ url: sandbox.url, accessToken: sandbox.accessToken });
