/**
 * The outputs of `PartnerApiKey` that are secret in state. `memory` is what the plugin remembers of earlier keys: the one
 * adopted, the response to a rotation.
 */
export const SECRET_OUTPUTS: readonly string[] = ["apiKey", "response", "previousApiKey", "memory"];
