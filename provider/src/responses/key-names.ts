import { nameSet } from "../json.js";

/** The ends of names that say "the API key", such as `x-api-key`. They count anywhere outside arrays. */
const API_KEY = /api(?:key|token|keyvalue|keysecret)$/;
/** The other names of keys. They count at the root and in the {@link isAroundKey} objects below it. */
const KEY = nameSet(
  "key token secret value accessToken authToken bearerToken clientToken userToken accountToken " +
    "serviceToken personalAccessToken partnerToken authorizationToken secretToken plainTextToken secretKey " +
    "privateKey licenseKey hmacKey appKey applicationKey integrationKey partnerKey writeKey adminKey " +
    "masterKey deployKey rawKey fullKey newKey plainTextKey keyValue keyString keySecret tokenValue " +
    "tokenString tokenSecret secretValue secretText secretId clientSecret plainText clearText sha1 jwt pat",
);
/**
 * What else may be a secret: another key next to the key, or another form of it, such as the full one next to
 * its prefix, or `encoded` at Elasticsearch.
 */
const SECRET =
  /(?:key|token|secret|credential)s?(?:full|raw|plain|clear|new)?$|^(?:encoded|(?:full|raw|plain|clear|new)(?:text|value|string)?)$/;
/** Names that end as those of secrets do, but are those of IDs, or of anything. */
const NO_SECRET = nameSet(
  "key keys accessKey idToken nextPageToken idempotencyKey cacheKey sortKey partitionKey " +
    "primaryKey foreignKey",
);

/** Names of what stands next to a key, or describes it. Taken for the key, it would replace the real one. */
const NEVER_KEY =
  /(?:id|guid|ur[il]|href|hash|prefix|hint|type)s?$|^(?:object|status|state|location|name|created|updated)$/;

/** Usual envelopes of a response. So is an object named after the key, such as `createToken`. */
const ENVELOPE = nameSet(
  "data result results response attributes payload body item object record resource content output spec " +
    "status auth created",
);
/** What has keys. The service may return the key in it, or show another key of it. */
const HOLDER = nameSet(
  "user account partner client customer merchant member project team organization workspace tenant app " +
    "application agent machine bot integration service server source site store environment device entity",
);
/** The words in names of keys that are those of a person or an account, and may not be the new one. */
const HOLDER_WORDS = nameSet("user users account accounts customer member merchant tenant");
const HOLDER_START = /^(?:user|account|customer|member|merchant|tenant)/;

/** The starts of names of other things, and of the objects around them. */
const OTHER =
  /^(?:refresh|public|masked|redacted|obfuscated|hashed|encrypted|previous|replaced|rotated|superseded|former|old|existing|expired|revoked|parent|owner|creator|createdby|updatedby|issuer|issuedby|author(?!i)|request|session|csrf)/;
/** The words that say the same anywhere in a name. */
const OTHER_WORDS = nameSet(
  "refresh public masked redacted obfuscated hashed encrypted previous prev prior replaced rotated " +
    "superseded former old existing expired revoked deleted deprecated retired parent owner owners creator " +
    "author issuer requester requestor request session csrf xsrf by from link links webhook webhooks hook " +
    "hooks signing signature idempotency",
);
/** The object that comes after the one that is described: it may be the new key. */
const SUCCESSOR = /^(?:replaced|rotated|superseded)(?:by|to|with)$/;
const WORD = /[A-Z]?[a-z]+|[A-Z]+/g;

/** What the name of a member says about its value. */
export interface NameReading {
  /** It names another thing than the new key, as do all names below it. */
  readonly isOther: boolean;
  /** It names the API key, wherever it is. */
  readonly isApiKey: boolean;
  /** It names a key if the objects around it do not speak against it. */
  readonly isKey: boolean;
  /** It names a secret, wherever it is. */
  readonly isSecret: boolean;
  /** It may be the key of a person or an account instead of the new one. */
  readonly isOfHolder: boolean;
}

/**
 * Reads the name of a member.
 *
 * @param token The name as it stands in the document.
 * @param name The same, normalized.
 */
export function readName(token: string, name: string): NameReading {
  const words = (token.slice(0, 64).match(WORD) ?? []).map((word) => word.toLowerCase());
  const isSuccessor = SUCCESSOR.test(name);
  return {
    isOther: !isSuccessor && (OTHER.test(name) || words.some((word) => OTHER_WORDS.has(word))),
    isApiKey: API_KEY.test(name),
    isKey: KEY.has(name),
    isSecret: SECRET.test(name) && !NO_SECRET.has(name),
    isOfHolder: HOLDER_START.test(name) || words.some((word) => HOLDER_WORDS.has(word)),
  };
}

/** Whether an object of this name may be around the key: an envelope, or something named after keys. */
export function isEnvelope(name: string): boolean {
  return ENVELOPE.has(name) || hasKeyWord(name);
}

/** Whether an object of this name has keys, such as `user`. */
export function isHolder(name: string): boolean {
  return HOLDER.has(name);
}

/** Whether a value is never proposed as the key because of its name, such as that of an ID. */
export function isNeverKey(name: string): boolean {
  return NEVER_KEY.test(name) && !KEY.has(name);
}

/** Whether a value may be proposed as the key because of its name. */
export function isNamedAfterKey(name: string): boolean {
  return KEY.has(name) || hasKeyWord(name);
}

/** Whether a member is an ID, of whatever. */
export function isId(name: string, value: unknown): boolean {
  return (
    /(?:id|guid)$/.test(name) && ((typeof value === "string" && value !== "") || typeof value === "number")
  );
}

function hasKeyWord(name: string): boolean {
  return /key|token|secret|credential/.test(name);
}
