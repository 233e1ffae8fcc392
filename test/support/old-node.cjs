// Preloaded, it makes this Node pass for one that cannot load undici 8: it says another version, and fails to load undici.
const Module = require("node:module");

Object.defineProperty(process.versions, "node", { value: "20.11.0" });
const load = Module._load;
Module._load = function (request, ...rest) {
  if (request === "undici") throw new TypeError("undici cannot be loaded by this Node");
  return load.call(this, request, ...rest);
};
