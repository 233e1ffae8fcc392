// Loaded by NODE_OPTIONS: writes, one on a line, which CommonJS modules the process had loaded when the engine ended it.
// Before any other listener, as the plugin ends by the signal itself, which is no "exit".
process.on("SIGINT", () => {
  require("node:fs").writeFileSync(process.env.LOADED_MODULES, Object.keys(require.cache).join("\n"));
});
