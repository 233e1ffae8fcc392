/* The main script of the executable: runs the bundles of the plugin with the code cache of code-cache.cjs. */
const { getAsset, getRawAsset } = require("node:sea");
const { Script } = require("node:vm");

function load(name) {
  const cachedData = new Uint8Array(getRawAsset(`${name}.cache`));
  const script = new Script(getAsset(`${name}.js`, "utf8"), { filename: `${name}.js`, cachedData });
  const bundle = { exports: {} };
  script.runInThisContext()((id) => (id === "undici" ? load(id) : require(id)), bundle.exports, bundle);
  return bundle.exports;
}

load("plugin");
