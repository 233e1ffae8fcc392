import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

/** The shortest of some starts of a plugin in milliseconds, until it has written its port: what the engine waits for. */
export async function startTime(executable: string, starts = 10): Promise<number> {
  const engine = createServer().listen(0, "127.0.0.1");
  await once(engine, "listening");
  const address = `127.0.0.1:${(engine.address() as AddressInfo).port}`;
  const times: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const began = performance.now();
    const plugin = spawn(executable, [address], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(plugin, "exit");
    const wrote = await Promise.race([once(plugin.stdout, "data"), ended.then(() => null)]);
    if (!wrote) throw new Error(`${executable} ended without a port.`);
    times.push(performance.now() - began);
    plugin.kill("SIGKILL");
    await ended;
  }
  engine.close();
  return Math.min(...times);
}
