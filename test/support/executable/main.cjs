/* The main script of the executable: runs the bundled plugin with the code that code-cache.cjs has kept. */
const { getAsset, getRawAsset } = require("node:sea");
const { Script } = require("node:vm");

const cachedData = new Uint8Array(getRawAsset("plugin.cache"));
const script = new Script(getAsset("plugin.js", "utf8"), { filename: "plugin.js", cachedData });
script.runInThisContext()(require, exports, module);
