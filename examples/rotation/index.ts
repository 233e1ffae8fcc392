import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";

// Change this setting to rotate the key in the next `pulumi up`: pulumi config set rotate 2026-02-19
const trigger = new pulumi.Config().get("rotate");

// The first `pulumi up` after 90 days rotates the key. The old key stays valid for 7 more days.
const checkout = new partners.PartnerApiKey("checkout", {
  rotation: { afterDays: 90, overlapDays: 7, trigger },
});

export const apiKey = checkout.apiKey;
// The old key, until the first `pulumi up` after its 7 days.
export const previousApiKey = checkout.previousApiKey;
export const previousExpiresAt = checkout.previousExpiresAt;
