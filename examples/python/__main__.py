# "pulumi package add" installs the plugin, and generates this SDK in the folder sdks/: see docs/get-started.md.
import pulumi
import pulumi_partners as partners

# A key for one of our services: created with the stack, deleted with it.
checkout = partners.PartnerApiKey("checkout", rotation={"after_days": 90, "overlap_days": 7})

# Existing webhooks, and the state to keep each of them in.
orders = partners.PartnerWebhookState(
    "orders",
    webhook_id=101,
    state="active",
    state_on_destroy="restore",  # On removal, restore the state in which it was found.
)
refunds = partners.PartnerWebhookState("refunds", webhook_id=103, state="disabled")

# Known in a preview, so a program can loop over them.
webhooks = partners.get_partner_webhooks().webhooks

pulumi.export("api_key", checkout.api_key)  # A secret: shown only with --show-secrets.
pulumi.export("orders_state", orders.state)
pulumi.export("undeclared", [webhook.webhook_id for webhook in webhooks if webhook.webhook_id not in (101, 103)])
