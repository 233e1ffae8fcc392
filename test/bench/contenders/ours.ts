import * as partners from "pulumi-partners";

import type { Kind } from "../case.ts";
import type { Contender } from "../contender.ts";
import { pulumiSubject } from "../pulumi-subject.ts";

/** This package. */
export const ours: Contender = {
  name: "ours",
  description: "`pulumi-partners`",
  unavailable: () => Promise.resolve(null),
  begin: (kind, count, sandbox) =>
    pulumiSubject(sandbox, {
      declare: declareOurs.bind(null, kind, count),
    }),
};

/** The program. */
export function declareOurs(kind: Kind, count: number): void {
  for (let index = 1; index <= count; index += 1) {
    if (kind === "keys") new partners.PartnerApiKey(`key-${index}`);
    else new partners.PartnerWebhookState(`webhook-${index}`, { webhookId: index, state: "active" });
  }
}
