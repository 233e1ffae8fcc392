import { SHORT_TIMEOUT, isSlow } from "../loss/arbitraries.ts";
import type { Services } from "../loss/evidence.ts";
import type { Service } from "../loss/service.ts";

/** The configuration of an account, right or wrong in the ways that happen to people. */
export interface Settings {
  readonly mapping: "right" | "none" | "wrong";
  readonly token: "right" | "wrong" | "missing";
  /** `elsewhere` is a path that does not exist, `other` the server of another account, `down` a port that nobody listens on. */
  readonly url: "right" | "elsewhere" | "other" | "down";
}

/** How it should be. */
export const RIGHT: Settings = { mapping: "right", token: "right", url: "right" };

/** A port of this machine that nobody listens on: tcpmux, which no system has had for decades. */
const CLOSED_PORT = "http://127.0.0.1:1";

/** Whether the settings are such that every call has to succeed. */
export function isRight({ mapping, token, url }: Settings, service: Service): boolean {
  const readable = mapping === "right" || (mapping === "none" && service.mapping === undefined);
  return readable && token === "right" && url === "right";
}

/** The configuration of a provider instance as the host gets it: the default one, or an explicit one. */
export function configFor(account: string, settings: Settings, services: Services): Record<string, string> {
  const service = services.get(account);
  if (!service) throw new Error(`no account ${account}`);
  const { sandbox, faults } = service;
  const others = [...services.values()].filter((other) => other !== service);
  const urls: Record<Settings["url"], string> = {
    right: sandbox.url,
    elsewhere: `${sandbox.url}/nowhere`,
    other: others[0]?.sandbox.url ?? CLOSED_PORT,
    down: CLOSED_PORT,
  };
  const token = { right: sandbox.accessToken, wrong: "token-of-nobody", missing: "" }[settings.token];
  const mapping = mappingOf(settings.mapping, service);
  return {
    ...(account !== "default" && { "partners:explicit": "true", "partners:account": account }),
    ...(mapping !== undefined && { "partners:responses": mapping }),
    "partners:baseUrl": urls[settings.url],
    "partners:accessToken": token,
    "partners:requestTimeout": String(faults.some(isSlow) ? SHORT_TIMEOUT / 1000 : 5),
  };
}

function mappingOf(kind: Settings["mapping"], { mapping, shape }: Service): string | undefined {
  // Where keys are deleted by an id and nothing says so, a live key is not found under its name and counts as gone.
  if (kind === "right" || (kind === "none" && shape === "byId")) return mapping;
  if (kind === "none") return undefined;
  return JSON.stringify({ ...(JSON.parse(mapping ?? "{}") as object), apiKey: "/no/such/place" });
}
