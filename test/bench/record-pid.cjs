// Loaded by NODE_OPTIONS into every Node process below the engine: the plugin says where it can be measured.
const file = process.env.BENCH_PID_FILE;
if (file && /[\\/]dynamic-provider/.test(process.argv[1] ?? "")) {
  require("node:fs").writeFileSync(file, String(process.pid));
}
