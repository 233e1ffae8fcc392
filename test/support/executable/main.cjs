/* The main script of the executable: runs the plugin's bundles with the code that code-cache.cjs has kept. */
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
