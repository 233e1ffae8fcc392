import * as pulumi from "@pulumi/pulumi";

/**
 * Refuses arguments that cannot have been meant. TypeScript sees them; a JavaScript program would pass options for
 * arguments, `new PartnerApiKey("checkout", { provider })`, and get its key in the default account.
 *
 * @param resource What is made, as `PartnerApiKey "checkout"`.
 * @param args What the program gives.
 * @param known The names of all arguments.
 * @throws {pulumi.RunError} that names the argument, and the right place where it is an option.
 */
export function assertArguments(resource: string, args: unknown, known: readonly string[]): void {
  if (typeof args !== "object" || args === null) {
    throw new pulumi.RunError(`${resource} needs its arguments as an object: ${known.join(", ")}.`);
  }
  const strange = Object.keys(args).filter((name) => !known.includes(name));
  if (strange.length === 0) return;
  throw new pulumi.RunError(
    `${resource} has no argument ${strange.map((name) => JSON.stringify(name)).join(", ")}. Its arguments are ${known.join(", ")}. ` +
      "Options, such as provider, are the third argument of the constructor. Nothing was sent.",
  );
}
