// After you install the plugin, run "pulumi install": it generates the SDK in the folder sdks/ and adds it to go.mod.
package main

import (
	"github.com/pulumi-partners/pulumi-partners/sdk/go/partners"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		// A key for one of our services: created with the stack, deleted with it.
		checkout, err := partners.NewPartnerApiKey(ctx, "checkout", &partners.PartnerApiKeyArgs{
			Rotation: &partners.RotationArgs{AfterDays: pulumi.Int(90), OverlapDays: pulumi.Int(7)},
		})
		if err != nil {
			return err
		}

		// Existing webhooks, and the state to keep each of them in.
		orders, err := partners.NewPartnerWebhookState(ctx, "orders", &partners.PartnerWebhookStateArgs{
			WebhookId:      pulumi.Int(101),
			State:          pulumi.String("active"),
			StateOnDestroy: partners.StateOnDestroyRestore, // On removal, restore the state in which it was found.
		})
		if err != nil {
			return err
		}
		_, err = partners.NewPartnerWebhookState(ctx, "refunds", &partners.PartnerWebhookStateArgs{
			WebhookId: pulumi.Int(103),
			State:     pulumi.String("disabled"),
		})
		if err != nil {
			return err
		}

		// Known in a preview, so a program can loop over them.
		listed, err := partners.GetPartnerWebhooks(ctx)
		if err != nil {
			return err
		}
		undeclared := pulumi.IntArray{}
		for _, webhook := range listed.Webhooks {
			if webhook.WebhookId != 101 && webhook.WebhookId != 103 {
				undeclared = append(undeclared, pulumi.Int(webhook.WebhookId))
			}
		}

		ctx.Export("apiKey", checkout.ApiKey) // A secret: shown only with --show-secrets.
		ctx.Export("ordersState", orders.State)
		ctx.Export("undeclared", undeclared)
		return nil
	})
}
