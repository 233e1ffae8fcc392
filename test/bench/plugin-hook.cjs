// Loaded by NODE_OPTIONS into every Node process below the engine: the plugin says where it can be measured, and how it
// spends its time if that is asked for.
const { writeFileSync } = require("node:fs");

if (/[\\/]dynamic-provider/.test(process.argv[1] ?? "")) {
  const { BENCH_PID_FILE: pidFile, BENCH_PROFILE_FILE: profileFile } = process.env;
  if (pidFile) writeFileSync(pidFile, String(process.pid));
  if (profileFile) profile(profileFile);
}

/** Profiles until the engine tells the plugin to end, which it does after every operation. */
function profile(file) {
  const session = new (require("node:inspector").Session)();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.start");
  process.once("SIGINT", () => {
    session.post("Profiler.stop", (_error, { profile }) => {
      writeFileSync(file, JSON.stringify(profile));
    });
  });
}
