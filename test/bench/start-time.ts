/** Measures how long a plugin takes to start. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

/**
 * Measures starts of a plugin until it prints its port, which the engine waits for.
 *
 * @param command The executable and its arguments, without the engine's address.
 * @returns The shortest, in milliseconds.
 */
export async function startTime(command: readonly string[], starts = 10): Promise<number> {
  const [executable = "", ...args] = command;
  const engine = createServer().listen(0, "127.0.0.1");
  await once(engine, "listening");
  const address = `127.0.0.1:${(engine.address() as AddressInfo).port}`;
  const times: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const began = performance.now();
    const plugin = spawn(executable, [...args, address], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(plugin, "exit");
    const printed = await Promise.race([once(plugin.stdout, "data"), ended.then(() => null)]);
    if (!printed) throw new Error(`${executable} ended without printing a port.`);
    times.push(performance.now() - began);
    plugin.kill("SIGKILL");
    await ended;
  }
  engine.close();
  return Math.min(...times);
}
