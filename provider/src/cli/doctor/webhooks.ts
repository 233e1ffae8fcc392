import type { WebhookList } from "../../api/partner-client.js";
import type { StackResource } from "../stack-resources.js";
import { failed, ok, warning, type Check, type WebhookReport } from "./report.js";

/**
 * Joins what the service has with what the stack declares.
 *
 * @param declared The webhook resources of this account; `null` where there is no stack to look at.
 */
export function reportWebhooks(
  { webhooks }: WebhookList,
  declared: readonly StackResource[] | null,
): WebhookReport[] {
  const ids = new Set([...webhooks.keys(), ...(declared ?? []).flatMap(({ webhookId }) => webhookId ?? [])]);
  return [...ids]
    .sort((a, b) => a - b)
    .map((webhookId) => ({
      webhookId,
      exists: webhooks.has(webhookId),
      state: webhooks.get(webhookId)?.state ?? null,
      declaredBy:
        declared?.filter((resource) => resource.webhookId === webhookId).map(({ name }) => name) ?? null,
    }));
}

/** Whether what the stack declares exists. */
export function checkWebhooks(webhooks: readonly WebhookReport[], { complete }: WebhookList): Check {
  const existing = webhooks.filter(({ exists }) => exists);
  const declared = webhooks.filter(({ declaredBy }) => (declaredBy ?? []).length > 0);
  const inStack = webhooks.some(({ declaredBy }) => declaredBy !== null);
  const missing = declared.filter(({ exists }) => !exists);
  const count = `${existing.length} ${existing.length === 1 ? "exists" : "exist"}`;
  if (missing.length === 0) {
    return ok("webhooks", inStack ? `${count}, ${declared.length} declared in this stack.` : `${count}.`);
  }
  const ids = missing.map(({ webhookId }) => webhookId).join(", ");
  const detail = `${count}; declared in this stack and not in the list: ${ids}.`;
  if (!complete)
    return warning("webhooks", detail, "The list is not complete, so they may exist all the same.");
  return failed(
    "webhooks",
    detail,
    "Correct webhookId in the program, or create the webhook at the service.",
  );
}
