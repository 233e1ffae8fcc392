// "pulumi package add" installs the plugin, generates the SDK in the folder sdks/, and adds it to go.mod: see docs/get-started.md.
package main

import (
	"github.com/pulumi-partners/pulumi-partners/sdk/go/partners"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(program)
}

func program(ctx *pulumi.Context) error {
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
		StateOnDestroy: pulumi.String("restore"), // On removal, restore the state in which it was found.
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

	// Secret, because a record may hold a secret. The IDs are not.
	undeclared := partners.GetPartnerWebhooksOutput(ctx).Webhooks().ApplyT(func(all []partners.PartnerWebhook) []int {
		ids := []int{}
		for _, webhook := range all {
			if webhook.WebhookId != 101 && webhook.WebhookId != 103 {
				ids = append(ids, webhook.WebhookId)
			}
		}
		return ids
	})

	ctx.Export("apiKey", checkout.ApiKey) // A secret: shown only with --show-secrets.
	ctx.Export("ordersState", orders.State)
	ctx.Export("undeclared", pulumi.Unsecret(undeclared))
	return nil
}
