/*
 * Starts the plugin from its bundles and caches the code that V8 compiled: for the start, and for the client,
 * which the plugin loads at its first request. Node's own code cache contains neither, because it is created
 * before anything runs. plugin-tarball.ts runs this.
 *
 * Argument: the address of the engine.
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
// The plugin prints its port when it has started.
const { writeSync } = fs;
fs.writeSync = () => {
  fs.writeSync = writeSync;
  for (const [name, script] of scripts) fs.writeFileSync(`${name}.cache`, script.createCachedData());
  process.exit();
};
