import type { Kind } from "../case.ts";
import { TutorialKey, TutorialWebhook } from "./tutorial-resources.ts";

/** What {@link tutorial} declares. */
export function declare(kind: Kind, count: number): void {
  for (let index = 1; index <= count; index += 1) {
    if (kind === "keys") new TutorialKey(`key-${index}`);
    else new TutorialWebhook(`webhook-${index}`, { webhookId: index, state: "active" });
  }
}
