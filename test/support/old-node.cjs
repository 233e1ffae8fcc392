// Preloaded to simulate a Node that is too old for undici 8: reports an old version and fails to load undici.
const Module = require("node:module");

Object.defineProperty(process.versions, "node", { value: "20.11.0" });
const load = Module._load;
Module._load = function (request, ...rest) {
  if (request === "undici") throw new TypeError("undici cannot be loaded by this Node");
  return load.call(this, request, ...rest);
};
