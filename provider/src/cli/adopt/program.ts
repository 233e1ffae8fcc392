import type { WebhookState } from "../../api/operations.js";

/** A webhook as it is to be declared. */
export interface WebhookDeclaration {
  readonly name: string;
  readonly webhookId: number;
  /** `null` where the list does not tell: a person has to decide. */
  readonly state: WebhookState | null;
}

const IMPORT = 'import * as partners from "pulumi-partners";';

const UNKNOWN_STATES = `
// Of the webhooks below, the list does not tell the state. "npx pulumi-partners doctor" shows what it holds. Either set
// partners:responses.webhookState (and active, disabled) and run adopt again. Or decide which state each shall be in, write
// it in place of the question mark, and take away the slashes: a change made elsewhere cannot be noticed then.
`;

/**
 * Writes a program that declares webhooks: one line each, for those who review it and for later diffs. What needs a
 * decision is a comment, which does not compile until the decision is made.
 */
export function webhookProgram(webhooks: readonly WebhookDeclaration[]): string {
  const known = webhooks.filter(({ state }) => state !== null).map(declaration);
  const unknown = webhooks
    .filter(({ state }) => state === null)
    .map((webhook) => `// ${declaration(webhook)}`);
  const undecided = unknown.length > 0 ? `${UNKNOWN_STATES}${unknown.join("\n")}\n` : "";
  return `${IMPORT}\n${known.length > 0 ? "\n" : ""}${known.map((line) => `${line}\n`).join("")}${undecided}`;
}

function declaration({ name, webhookId, state }: WebhookDeclaration): string {
  return `new partners.PartnerWebhookState("${name}", { webhookId: ${webhookId}, state: "${state ?? "?"}" });`;
}

/**
 * Writes a program that declares a key.
 *
 * @param setting The key of stack configuration that holds it; `null` for a key that an import brings into the state.
 */
export function keyProgram(name: string, setting: string | null): string {
  if (setting === null) return `${IMPORT}\n\nnew partners.PartnerApiKey("${name}");\n`;
  return `import * as pulumi from "@pulumi/pulumi";
${IMPORT}

// After the first "pulumi up", remove existingApiKey here and ${setting} from the configuration: that changes nothing.
new partners.PartnerApiKey("${name}", {
  existingApiKey: new pulumi.Config().requireSecret("${setting}"),
});
`;
}

/** The key of stack configuration for the key of a resource: `my-shop` → `myShopApiKey`. */
export function settingFor(name: string): string {
  return `${name.replace(/[^A-Za-z0-9]+(.?)/g, (_match, next: string) => next.toUpperCase())}ApiKey`;
}
