/**
 * Keeps undici from logging. With `NODE_DEBUG=undici` it prints the path of every request, and that of a deletion contains the
 * key. It asks `util.debuglog` once, when it is loaded, so this module has to be imported before it. To change the variable
 * would come too late: Node reads it when it starts.
 */
import util from "node:util";

/** What `NODE_DEBUG` has to name for undici to log; it compares without regard to case. */
const SECTIONS: ReadonlySet<string> = new Set(["undici", "fetch", "websocket"]);

const { debuglog } = util;
const silent: util.DebugLogger = Object.assign(() => undefined, { enabled: false });

if (debuglog("undici").enabled || debuglog("fetch").enabled) {
  process.emitWarning(
    "NODE_DEBUG does not make undici log in this process, as it would print API keys. Use PARTNERS_DEBUG=1.",
  );
}

util.debuglog = (section, callback) =>
  SECTIONS.has(section.toLowerCase()) ? silent : debuglog(section, callback);
