import type { Socket } from "node:net";
import { startTcpServer } from "./tcp-server.ts";

/** What is done with one request: bytes that are sent as they are, and what becomes of the connection then. */
export interface Play {
  readonly bytes: string;
  /** It stays open for the next request, is closed in an orderly way, is reset, or stays open in silence. */
  readonly end: "keep" | "fin" | "reset" | "silence";
}

/** A server that knows no HTTP beyond the end of a request's head, so that it can break any rule of it. */
export interface ScriptedServer {
  /** Registers a scene: its n-th request gets the n-th play, and all after the last one the last. @returns its base URL */
  scene(plays: readonly Play[]): { readonly url: string; readonly requests: readonly string[] };
  close(): Promise<void>;
}

/** Time for bytes to be read: a reset may overtake those that the client has not taken yet. */
const RESET_DELAY_MS = 20;
const SILENCE: Play = { bytes: "", end: "silence" };

/** Starts a {@link ScriptedServer} on 127.0.0.1. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const scenes: { readonly plays: readonly Play[]; readonly requests: string[] }[] = [];

  function play(socket: Socket, head: string): void {
    const scene = scenes[Number(/^[A-Z]+ \/(\d+)\//.exec(head)?.[1])];
    if (scene === undefined) throw new Error(`no scene for ${head}`);
    scene.requests.push(head);
    const { bytes, end } = scene.plays[Math.min(scene.requests.length, scene.plays.length) - 1] ?? SILENCE;
    if (bytes !== "") socket.write(bytes, "latin1");
    if (end === "fin") socket.end();
    else if (end === "reset") setTimeout(() => socket.resetAndDestroy(), bytes === "" ? 0 : RESET_DELAY_MS);
  }

  const server = await startTcpServer((socket) => {
    let head = "";
    socket.on("data", (chunk) => {
      head += chunk.toString("latin1");
      for (let end = head.indexOf("\r\n\r\n"); end >= 0; end = head.indexOf("\r\n\r\n")) {
        play(socket, head.slice(0, end));
        head = head.slice(end + 4); // No operation has a body.
      }
    });
  });
  return {
    scene: (plays) => {
      const scene = { plays, requests: [] };
      const index = scenes.push(scene) - 1;
      return { url: `http://127.0.0.1:${server.port}/${index}`, requests: scene.requests };
    },
    close: () => server.close(),
  };
}
