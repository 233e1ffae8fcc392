import js from "@eslint/js";
import tseslint from "typescript-eslint";

/** Which layer may not import what; docs/architecture.md has the picture. A regular expression and the reason each. */
function layer(folder, ...forbidden) {
  return {
    files: [`provider/src/${folder}/**/*.ts`],
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        {
          patterns: forbidden.map(([regex, message, allowTypeImports = false]) => ({
            regex,
            message,
            allowTypeImports,
          })),
        },
      ],
    },
  };
}

const OUT = "^(\\.\\./)+";
const PULUMI = [
  "^@pulumi/(?!pulumi/proto/)",
  "A host speaks to the engine through its protocol; types of the SDK may be named.",
  true,
];

export default tseslint.config(
  {
    ignores: ["**/dist/", "**/node_modules/", "coverage/"],
  },
  js.configs.recommended,
  {
    files: ["**/*.cjs"],
    languageOptions: { globals: { __filename: "readonly", process: "readonly", require: "readonly" } },
  },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Numbers in messages read better in a template than through String().
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // `_` marks a parameter that an interface asks for and an implementation does not need.
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-control-regex": "off", // We match control characters on purpose, to keep them out of terminals.
    },
  },
  layer(
    "resources",
    ["^undici|^node:", "A program only registers resources; what they do is done in the plugin process."],
    [`${OUT}(hosts|handlers|sandbox|cli)/`, "The engine loads the host, by the strings in registration.ts."],
    [`${OUT}(api|responses)/`, "A program sends no requests; types may be named.", true],
  ),
  layer(
    "hosts",
    PULUMI,
    ["^undici", "Requests are sent by api/ only."],
    [`${OUT}(resources|sandbox|cli)/`, "A host knows nothing of programs."],
    [`${OUT}responses/`, "What a response means is the business of the layers below."],
  ),
  layer(
    "handlers",
    ["^@pulumi/", "What to do about a resource does not depend on the host."],
    ["^undici", "Requests are sent by api/ only."],
    [`${OUT}(hosts|resources|sandbox|cli)/`, "Handlers know only the client and what responses mean."],
  ),
  layer(
    "api",
    ["^@pulumi/", "The client knows nothing of Pulumi."],
    [`${OUT}(hosts|handlers|resources|sandbox|cli)/`, "The client is the lowest layer but for responses/."],
  ),
  layer("responses", [
    `^(?!node:|\\./|\\.\\./api/operations\\.js$)`,
    "A response is only text: what it means depends on nothing else.",
  ]),
  layer("sandbox", [
    `^(?!node:|\\./|\\.\\./api/operations\\.js$)`,
    "The sandbox must not share the code that it tests.",
  ]),
);
