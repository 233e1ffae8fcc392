import * as github from "@pulumi/github";
import * as kubernetes from "@pulumi/kubernetes";
import * as partners from "pulumi-partners";

// One `pulumi up` makes the new key and hands it to both consumers. The old one stays valid for 7 days: for pods that
// are still rolling, and for workflows that have started.
const checkout = new partners.PartnerApiKey("checkout", { rotation: { afterDays: 90, overlapDays: 7 } });

// Without a name of our own, a new key makes a new Secret with a new name, so that the Deployment rolls over to it.
const secret = new kubernetes.core.v1.Secret("partner-api", {
  stringData: { PARTNER_API_KEY: checkout.apiKey },
});

const labels = { app: "shop" };
new kubernetes.apps.v1.Deployment("shop", {
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: "shop",
            image: "registry.example.com/shop:1.0.0",
            envFrom: [{ secretRef: { name: secret.metadata.name } }],
          },
        ],
      },
    },
  },
});

new github.ActionsSecret("partner-api", {
  repository: "shop",
  secretName: "PARTNER_API_KEY",
  value: checkout.apiKey,
});
