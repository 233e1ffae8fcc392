import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";

// Change it to rotate at once: pulumi config set rotate 2026-02-19
const trigger = new pulumi.Config().get("rotate");

// Rotated by the first `pulumi up` after 90 days; the old key stays valid for 7 more.
const checkout = new partners.PartnerApiKey("checkout", {
  rotation: { afterDays: 90, overlapDays: 7, ...(trigger !== undefined && { trigger }) },
});

export const apiKey = checkout.apiKey;
export const previousApiKey = checkout.previousApiKey; // null, except for 7 days after a rotation.
export const previousExpiresAt = checkout.previousExpiresAt;
