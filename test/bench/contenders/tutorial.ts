import type { Contender } from "../contender.ts";
import { pulumiSubject } from "../pulumi-subject.ts";
import { TutorialKey, TutorialWebhook } from "./tutorial-resources.ts";

/** What one writes by hand. */
export const tutorial: Contender = {
  name: "tutorial",
  description: "a hand-written `pulumi.dynamic.Resource`: one undici call for each operation and each read",
  unavailable: () => Promise.resolve(null),
  begin: (kind, count, sandbox) =>
    pulumiSubject(sandbox, {
      declare: () => {
        for (let index = 1; index <= count; index += 1) {
          if (kind === "keys") new TutorialKey(`key-${index}`);
          else new TutorialWebhook(`webhook-${index}`, { webhookId: index, state: "active" });
        }
      },
    }),
};
