import { FOUND_VARIABLE, getPulumi } from "./pulumi-cli.ts";

/** Runs once before the engine tier, so that test files neither look for a CLI nor count its build as their own time. */
export default async function requirePulumi(): Promise<void> {
  const pulumi = await getPulumi();
  console.error(`Pulumi ${pulumi.version} from ${pulumi.origin}: ${pulumi.path}`);
  process.env[FOUND_VARIABLE] = JSON.stringify(pulumi);
}
