import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";

// Change it to rotate at once: pulumi config set rotate 2026-02-19
const trigger = new pulumi.Config().get("rotate");

// An application has 7 days for an `up` of its own before the key that it has is deleted.
const shop = new partners.PartnerApiKey("shop", {
  rotation: { afterDays: 90, overlapDays: 7, ...(trigger !== undefined && { trigger }) },
});

export const shopApiKey = shop.apiKey; // A secret, also for those who refer to it.
