/** What the status of a response means. Without a response, it is `null`, which means nothing. */
type Meaning = (status: number | null) => boolean;

/** `2xx` stands for all statuses from 200 to 299. */
function oneOf(...statuses: readonly (number | `${number}xx`)[]): Meaning {
  return (status) =>
    status !== null && (statuses.includes(status) || statuses.includes(`${Math.floor(status / 100)}xx`));
}

/** Any 2xx counts: a 200 instead of a 201 may carry the only copy of a key. */
export const isSuccess = oneOf("2xx");
/** Redirects are not followed. */
export const isRedirect = oneOf("3xx");
/** The access token was not accepted, or does not permit this. */
export const isAuthentication = oneOf(401, 403);
/** Nothing has this ID, or there is no Partner API at this address. */
export const isNotFound = oneOf(404, 410);
/** About the ID in the path: another one may be right. A 500 may be a crash on a key in place of a UUID. */
export const isAboutId = oneOf(400, 404, 410, 422, 500);
/** The account does not allow this now: it has another key, or the webhook already has the wanted state. */
export const isConflict = oneOf(409);
/** The Partner API itself refused, and will again until something else changes. */
export const isRefused = oneOf(400, 405, 409, 422, 501);
/** Too many requests: refused, so even a creation is repeated. */
export const isThrottled = oneOf(429);
/** Something else has locked it. */
export const isLocked = oneOf(423);
/** What a service returns that is busy with another change. */
export const isBusy = oneOf(409, 423);
/** With `Retry-After`, the request had no effect, and the server wants it later. */
export const canBeRefusedForNow = oneOf(403, 409, 423, 425);
/** Another attempt may succeed. */
export const isTemporary = oneOf(408, 502, 503, 504);
/** The service failed, perhaps halfway. */
export const isInternalError = oneOf(500);
/** The service does not have this operation. */
export const isNotImplemented = oneOf(501);
/** Perhaps not from the Partner API, but from a gateway, or from another service at a wrong address. */
export const isFromElsewhere = oneOf("3xx", 401, 404, 410, 502, 503, 504);

/**
 * The request had no effect. A 501 says so too (RFC 9110, 15.6.2). After a 408 or another 5xx, nobody can
 * tell, and a redirect may follow a creation (303).
 */
export const hadNoEffect: Meaning = (status) => status !== 408 && oneOf("4xx", 501)(status);
