/* The main script of the executable: runs the bundle with the code that plugin-tarball.ts compiled. */
const { getAsset, getRawAsset } = require("node:sea");
const { Script } = require("node:vm");

const cachedData = new Uint8Array(getRawAsset("plugin.cache"));
// esbuild writes ASCII, which is read fastest as Latin-1.
const script = new Script(getAsset("plugin.js", "latin1"), { filename: "plugin.js", cachedData });
const plugin = {};
script.runInThisContext()(require, plugin);
plugin.start();
