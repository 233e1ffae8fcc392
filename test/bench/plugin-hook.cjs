// Loaded by NODE_OPTIONS into every Node process below the engine: the plugin says where it can be measured, and how it
// spends its time if that is asked for.
const { appendFileSync, writeFileSync } = require("node:fs");
const { setInterval } = require("node:timers");

/** Milliseconds of a part of the profile. The engine ends a plugin without a word, so what is not written is lost. */
const PART = 100;

if (/[\\/]dynamic-provider/.test(process.argv[1] ?? "")) {
  const { BENCH_PID_FILE: pidFile, BENCH_PROFILE_FILE: profileFile } = process.env;
  if (pidFile) writeFileSync(pidFile, String(process.pid));
  if (profileFile) profile(profileFile);
}

function profile(file) {
  const session = new (require("node:inspector").Session)();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.start");
  const timer = setInterval(() => {
    session.post("Profiler.stop", (_error, { profile }) => {
      appendFileSync(file, `${JSON.stringify(profile)}\n`);
    });
    session.post("Profiler.start");
  }, PART);
  timer.unref();
}
