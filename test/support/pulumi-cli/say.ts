/** A line for the person who waits. On stderr: stdout belongs to results. */
export function say(line: string): void {
  console.error(line);
}

/** Says what begins, that it still goes on (every 30 s), and how long it took. */
export async function withProgress<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const seconds = (): number => Math.round((performance.now() - started) / 1000);
  say(`${what} ...`);
  const timer = setInterval(() => {
    say(`... ${seconds()} s`);
  }, 30_000);
  try {
    const result = await work();
    say(`Done in ${seconds()} s.`);
    return result;
  } finally {
    clearInterval(timer);
  }
}
