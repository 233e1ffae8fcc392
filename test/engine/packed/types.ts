// Not run: the compiler reads it, with the settings of users, in a folder where the packed package is installed.
import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { partnerApiKey } from "pulumi-partners/plugin";
import { startSandbox, type Sandbox } from "pulumi-partners/sandbox";

const key = new partners.PartnerApiKey("checkout", { rotation: { afterDays: 30, overlapDays: 2 } });
export const apiKey: pulumi.Output<string> = key.apiKey;
export const sandbox: Promise<Sandbox> = startSandbox({ webhooks: [{ webhookId: 101, state: "active" }] });
export const create: (inputs: never) => Promise<unknown> = partnerApiKey.create;

// @ts-expect-error A webhook has no such state: the types are not `any`.
new partners.PartnerWebhookState("orders", { webhookId: 101, state: "paused" });
// @ts-expect-error Neither are those of the sandbox.
void startSandbox({ prot: 4010 });
