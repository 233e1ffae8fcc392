/** Import cycles, including those of types: to understand one file of a cycle, you must read all of them. */
export default {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    // An import that is not followed could close a cycle unnoticed.
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
    tsConfig: { fileName: "provider/tsconfig.json" },
    tsPreCompilationDeps: true, // Without it, `import type` does not count.
  },
};
