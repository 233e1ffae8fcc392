/*
 * Starts the plugin from its bundles and keeps the code that V8 has compiled by then: that of a start, and that of the client, which
 * a plugin loads at its first request. Node's own code cache holds neither, because it is made before anything runs.
 *
 * Argument: an address that the plugin takes for the engine's.
 */
const fs = require("node:fs");
const { Script } = require("node:vm");

const scripts = new Map();

function load(name) {
  const script = new Script(fs.readFileSync(`${name}.js`, "utf8"), { filename: `${name}.js` });
  scripts.set(name, script);
  const bundle = { exports: {} };
  script.runInThisContext()((id) => (id === "undici" ? load(id) : require(id)), bundle.exports, bundle);
  return bundle.exports;
}

load("plugin").loadClient();
// The plugin writes its port once it has started.
const { writeSync } = fs;
fs.writeSync = () => {
  fs.writeSync = writeSync;
  for (const [name, script] of scripts) fs.writeFileSync(`${name}.cache`, script.createCachedData());
  process.exit();
};
