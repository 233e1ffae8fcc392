import { claimOf } from "./claims.ts";
import { Violation, type Done, type Evidence, type Seen, type Services } from "./evidence.ts";
import { heldIn } from "./held.ts";

/** What holds for all that a handler says. @throws {Violation} */
export function assertSpeech(
  { done, seen }: Evidence,
  warnings: readonly string[],
  services: Services,
): void {
  const secrets = [...services.values()].flatMap((service) => [
    service.sandbox.accessToken,
    ...service.everIssued,
  ]);
  if (secrets.some((secret) => warnings.some((text) => text.includes(secret))))
    throw new Violation("a warning holds a secret");
  for (const one of done) {
    const text = spoken(one);
    if (secrets.some((secret) => text.includes(secret))) throw new Violation("an error holds a secret");
    if (!one.outcome.ok) assertClaim(one, one.outcome.failure.message);
    if (text !== "" && one.healthy && !isExcused(one, text, seen.get(one.call.account)))
      throw new Violation("a call fails although nothing is wrong");
  }
}

/** What a person gets to read of a call that failed; `""` of one that did not. */
function spoken({ outcome, call }: Done): string {
  if (!outcome.ok)
    return [outcome.failure.message, ...(outcome.failure.initFailure?.reasons ?? [])].join("\n");
  if (call.verb !== "check") return "";
  const { failures } = outcome.value as { failures: readonly { reason: string }[] };
  return failures.map(({ reason }) => reason).join("\n");
}

function assertClaim({ call }: Done, message: string): void {
  if (claimOf(message) === "unsaid")
    throw new Violation(`the error of ${call.verb} does not say whether anything was changed`);
  if (message.includes("PARTNERS_BUG")) throw new Violation("an unexpected error");
}

/** Whether a failure is right although the service is well: what is asked for cannot be. */
function isExcused({ call, outcome }: Done, text: string, own: Seen | undefined): boolean {
  if (!own) return false;
  const { service, removed } = own;
  if (call.kind === "webhook") {
    const webhookId = Number(
      (call.verb === "delete" || call.verb === "read" ? call.olds : call.news)["webhookId"],
    );
    return text.includes("does not exist in this account") && !service.sandbox.webhooks.has(webhookId);
  }
  if (text.includes("refuses a second key")) return service.sandbox.apiKeys.length + removed.length > 0;
  const { unread } = heldIn(outcome.ok ? {} : (outcome.failure.initFailure?.properties ?? call.olds));
  const whole = service.everIssued.some((key) => service.bodyOf(key) === unread);
  return unread !== null && !whole; // What never came cannot be read.
}
