/** Import cycles, those of types included: to read one file of a cycle is to read all of them. */
export default {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    // An import that is not followed could close a cycle unnoticed.
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "provider/tsconfig.json" },
    tsPreCompilationDeps: true, // Without it, `import type` does not count.
  },
};
