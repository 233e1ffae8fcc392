/*
 * Starts a bundled plugin and keeps the code that V8 has compiled by then: that of a start, and that of the client, which a
 * plugin loads at its first request. Node's own code cache holds neither, because it is made before anything runs.
 *
 * Arguments: the bundle, the file to write, and an address that the plugin takes for the engine's.
 */
const { readFileSync, writeFileSync } = require("node:fs");
const { Script } = require("node:vm");

const [bundle, cache] = process.argv.slice(2);
const script = new Script(readFileSync(bundle, "utf8"), { filename: "plugin.js" });
script.runInThisContext()(require, exports, module);
exports.loadClient();
// The plugin writes its port once it has started.
process.stdout.write = () => {
  writeFileSync(cache, script.createCachedData());
  process.exit();
};
