/** Objects that the search for the key goes into. */
const WRAPPERS = ["data", "result", "response", "payload", "body", "attributes"];
/** Objects that are the new key: what is called key, value, token or secret in there is a strong name. */
const API_KEY_OBJECTS = ["apikey", "newapikey", "partnerapikey"];
/** Objects that may be the new key, or something else. */
const KEY_OBJECTS = ["key", "token", "credential", "credentials"];

/** Names that say: this is the key. */
const STRONG_NAMES = new Set([
  ...["apikey", "newapikey", "partnerapikey", "rawapikey", "plainapikey", "plaintextapikey", "fullapikey"],
  ...["rawkey", "plainkey", "plaintextkey", "fullkey", "unmaskedkey", "newkey", "keyvalue", "apikeyvalue"],
  ...[
    "apitoken",
    "newapitoken",
    "rawapitoken",
    "plaintextapitoken",
    "rawtoken",
    "plaintexttoken",
    "fulltoken",
  ],
]);

const STRONG_INSIDE_API_KEY = new Set(["key", "value", "token", "secret", "plaintext", "raw"]);

/** Names that may be the key if no strong name is there. */
const WEAK_NAMES = new Set([
  ...["key", "value", "token", "secret", "plaintext"],
  ...["accesstoken", "accesskey", "secretkey", "apisecret", "apikeysecret"],
]);

const CONTAINERS = new Set([...WRAPPERS, ...API_KEY_OBJECTS, ...KEY_OBJECTS]);
const API_KEY_OBJECT_SET = new Set(API_KEY_OBJECTS);

/** Names of things about a key that are never the key. */
const NEVER_NAMES = new Set(["id", "name", "label", "message", "description", "type", "url", "uri", "href"]);
const NEVER_ENDINGS = ["id", "prefix", "hint", "hash", "type", "name", "message"];

/** How well a name (normalised) says "key". */
export function strengthOf(name: string, insideApiKey: boolean): "strong" | "weak" | "none" {
  if (STRONG_NAMES.has(name) || (insideApiKey && STRONG_INSIDE_API_KEY.has(name))) return "strong";
  return WEAK_NAMES.has(name) ? "weak" : "none";
}

/** Whether the search for the key goes into objects of this name (normalised). */
export function isKeyContainer(name: string): boolean {
  return CONTAINERS.has(name);
}

/** Whether objects of this name (normalised) are the new key. */
export function isApiKeyObject(name: string): boolean {
  return API_KEY_OBJECT_SET.has(name);
}

/** Whether a name (normalised) is one that a key never has, so that it is not even proposed in a message. */
export function isNeverKey(name: string): boolean {
  return NEVER_NAMES.has(name) || NEVER_ENDINGS.some((ending) => name.endsWith(ending));
}
