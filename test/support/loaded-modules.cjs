// Loaded by NODE_OPTIONS: leaves behind, one on a line, which CommonJS modules the process had loaded when it ended.
process.on("exit", () => {
  require("node:fs").writeFileSync(process.env.LOADED_MODULES, Object.keys(require.cache).join("\n"));
});
