// Preloaded through NODE_OPTIONS: on SIGINT, writes the names of the loaded CommonJS modules, one per line. The listener must be
// the first, because the plugin's own ends the process without an "exit" event.
process.on("SIGINT", () => {
  require("node:fs").writeFileSync(process.env.LOADED_MODULES, Object.keys(require.cache).join("\n"));
});
