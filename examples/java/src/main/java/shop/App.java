// "pulumi package add" installs the plugin, and generates the SDK in the folder sdks/: see docs/get-started.md.
package shop;

import com.pulumi.Pulumi;
import com.pulumi.core.Output;
import io.github.pulumipartners.partners.PartnerApiKey;
import io.github.pulumipartners.partners.PartnerApiKeyArgs;
import io.github.pulumipartners.partners.PartnerWebhookState;
import io.github.pulumipartners.partners.PartnerWebhookStateArgs;
import io.github.pulumipartners.partners.PartnersFunctions;
import io.github.pulumipartners.partners.inputs.RotationArgs;
import java.util.List;
import java.util.Set;

public class App {
    public static void main(String[] args) {
        Pulumi.run(ctx -> {
            // A key for one of our services: created with the stack, deleted with it.
            var checkout = new PartnerApiKey("checkout", PartnerApiKeyArgs.builder()
                .rotation(RotationArgs.builder().afterDays(90).overlapDays(7).build())
                .build());

            // Existing webhooks, and the state to keep each of them in.
            var orders = new PartnerWebhookState("orders", PartnerWebhookStateArgs.builder()
                .webhookId(101)
                .state("active")
                .stateOnDestroy("restore") // On removal, restore the state in which it was found.
                .build());
            new PartnerWebhookState("refunds", PartnerWebhookStateArgs.builder()
                .webhookId(103)
                .state("disabled")
                .build());

            // Secret, because a record may hold a secret. The IDs are not.
            var declared = Set.of(101, 103);
            Output<List<Integer>> undeclared = PartnersFunctions.getPartnerWebhooks().applyValue(result ->
                result.webhooks().stream().map(webhook -> webhook.webhookId()).filter(id -> !declared.contains(id)).toList());

            ctx.export("apiKey", checkout.apiKey()); // A secret: shown only with --show-secrets.
            ctx.export("ordersState", orders.state());
            ctx.export("undeclared", undeclared.asPlaintext());
        });
    }
}
