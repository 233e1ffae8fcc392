import * as pulumi from "@pulumi/pulumi";

const KEY = "partners:accessToken";
let warned = false;

/** Warns, once in a program, of an access token that stands in stack configuration, and so in the state, in clear text. */
export function warnAboutPlainToken(): void {
  if (warned || pulumi.runtime.getConfig(KEY) === undefined || isSecret(KEY)) return;
  warned = true;
  void pulumi.log.warn(
    `${KEY} is stored in clear text. Run "pulumi config set --secret ${KEY}" and rotate the token.`,
  );
}

/** The SDK exports this function but does not declare it; without it we cannot tell, and do not warn. */
function isSecret(key: string): boolean {
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  return isConfigSecret?.(key) ?? true;
}
