/** Codes of OpenSSL (verify(1)), as Node passes them on, for a certificate whose authority is not known here. */
const UNTRUSTED = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** The same, for a certificate that is not valid today. */
const OUTDATED = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);

/** Codes of undici for a CONNECT that was not answered with 200, or not at all, and for a proxy with a wrong certificate. */
const PROXY = new Set(["UND_ERR_ABORTED", "UND_ERR_PRX_CONN", "UND_ERR_PRX_TLS"]);

/** What to do about a connection that failed. @param code The code of the error, which often names the cause. */
export function connectionRemedy(code: string): string {
  if (UNTRUSTED.has(code)) {
    return "The certificate is from an authority that is not trusted here: if it is your organisation's own, set the environment variable NODE_EXTRA_CA_CERTS to a PEM file with the authority's certificate.";
  }
  if (OUTDATED.has(code)) {
    return "The certificate is not valid today: check this machine's clock; if it is right, the service has to renew its certificate.";
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return "The certificate is for another host: check the host in partners:baseUrl, and whether a proxy answers in its place.";
  }
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER") {
    return "What answered does not speak TLS: check the port in partners:baseUrl, and the scheme of a proxy in HTTPS_PROXY.";
  }
  if (code === "HTTPParserError") {
    return "What answered does not speak HTTP: check partners:baseUrl, and whether a proxy answers in its place.";
  }
  if (PROXY.has(code)) {
    return "The proxy did not open a way to the service: check HTTPS_PROXY and the credentials in it, or except the host of partners:baseUrl in NO_PROXY.";
  }
  return "Check partners:baseUrl, and that the service can be reached from here (DNS, firewall, proxy, TLS).";
}
