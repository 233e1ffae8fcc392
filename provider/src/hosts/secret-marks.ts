import {
  SIGNATURE,
  UNKNOWN,
  withoutSpecialValues,
  withoutUndefined,
  type Properties,
} from "../adapter/properties.js";
import { isObject } from "../bodies/json.js";
import { SECRET_OUTPUTS } from "../registration.js";

/** The {@link SIGNATURE} of a secret. */
const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";

/** Converts the outputs of a resource or a function, which may hold values of the service, for the engine. */
export function toOutputs(outputs: Properties): Properties {
  return markSecrets(withoutUndefined(withoutSpecialValues(outputs) as Properties), SECRET_OUTPUTS);
}

/**
 * Marks values as secret for the engine. The hosts do it, not an option of the resource: a program can drop
 * the option, and its hooks see the outputs before the engine applies it.
 *
 * @param names Those of the secrets. A value that is absent or not known yet stays as it is.
 */
export function markSecrets(properties: Properties, names: readonly string[]): Properties {
  const members = Object.entries(properties).map(([name, value]) => {
    const isSecret = names.includes(name) && value != null && value !== UNKNOWN;
    return [name, isSecret ? { [SIGNATURE]: SECRET_SIGNATURE, value } : value];
  });
  return Object.fromEntries(members) as Properties;
}

/** Returns a value without the marks of secrets, at any level. */
export function unmarkSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarkSecrets);
  if (!isObject(value)) return value;
  if (value[SIGNATURE] === SECRET_SIGNATURE) return unmarkSecrets(value["value"]);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unmarkSecrets(member)]));
}
