import { isArray, isObject } from "./json.js";
import { isKeyContainer, strengthOf } from "./key-names.js";
import { MIN_KEY_LENGTH, isIsoDate, isMasked } from "./key-value.js";
import { normalise } from "./names.js";

/** A name that ends like this, or in the plural of it, is the name of a secret. */
const SECRET_ENDINGS = [
  ...["secret", "token", "key", "password", "passwd", "passphrase", "credential"],
  ...["secrets", "tokens", "keys", "passwords", "passwds", "passphrases", "credentials"],
];
/** Names that end so and are no secrets. Few: to keep a response for nothing costs less than to lose a secret. */
const NOT_SECRET_ENDINGS = ["publickey", "publickeys", "idempotencykey", "messagekey", "pagetoken"];

/**
 * Whether a response holds a secret that would be lost if only the key and its id were kept: a string of 8 characters or
 * more (of any length and any characters: a private key has line breaks), not masked and no date, under the name of a
 * secret, that is not part of the key, not the key as a `Bearer` header, and not its id.
 */
export function holdsOtherSecrets(root: unknown, key: string, keyId: string | null): boolean {
  // `name` is what speaks for a value: its own name, or for elements of arrays the name of the array.
  const open: { value: unknown; name: string }[] = [{ value: root, name: "" }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, name } = next;
    if (isArray(value)) {
      for (const element of value) open.push({ value: element, name });
    } else if (isObject(value)) {
      for (const [rawName, member] of Object.entries(value)) {
        open.push({ value: member, name: speakingName(normalise(rawName), name) });
      }
    } else if (isSecretName(name) && isLost(value, key, keyId)) {
      return true;
    }
  }
  return false;
}

/** `value` says nothing by itself: in `{ "webhookSecret": { "value": … } }` the name around it speaks. */
function speakingName(name: string, holder: string): string {
  if (name !== "value") return name;
  return holder === "" || isKeyContainer(holder) ? "secret" : holder;
}

function isSecretName(name: string): boolean {
  if (NOT_SECRET_ENDINGS.some((ending) => name.endsWith(ending))) return false;
  return strengthOf(name, false) !== "none" || SECRET_ENDINGS.some((ending) => name.endsWith(ending));
}

function isLost(value: unknown, key: string, keyId: string | null): boolean {
  if (typeof value !== "string" || value.length < MIN_KEY_LENGTH) return false;
  if (isMasked(value) || isIsoDate(value)) return false;
  const bare = value.toLowerCase().startsWith("bearer ") ? value.slice("bearer ".length).trim() : value;
  return !key.includes(bare) && bare !== keyId;
}
