import js from "@eslint/js";
import tseslint from "typescript-eslint";

/** Forbids imports in a layer of ARCHITECTURE.md. @param forbidden A regular expression and the reason for each import. */
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

/** A part of a sentence: three words. */
const SENTENCE = "/[A-Za-z]+ [A-Za-z]+ [A-Za-z]+/";

const OUT = "^(\\.\\./)+";
const PULUMI = [
  "^@pulumi/(?!pulumi/proto/)",
  "A host speaks the protocol of the engine; it may import only types of the SDK.",
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
      // Templates with numbers are easier to read without String().
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // `_` marks a parameter that an interface requires but an implementation does not use.
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      // One import per module: types go inline, as in `import { send, type Request }`.
      "no-duplicate-imports": "error",
      "no-nested-ternary": "error",
      "no-control-regex": "off", // We match control characters to keep them out of terminals.
    },
  },
  {
    files: ["**/*.ts", "**/*.cjs"],
    rules: {
      // Prettier wraps code, but neither comments nor texts.
      "max-len": [
        "error",
        {
          code: 110,
          ignoreUrls: true,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
        },
      ],
    },
  },
  {
    files: ["provider/src/**/*.ts"],
    rules: { "max-len": ["error", { code: 110, ignoreUrls: true, ignoreRegExpLiterals: true }] },
  },
  {
    files: ["provider/src/{shared,keys,webhooks,api}/**/*.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        ...[`:not(TSLiteralType) > Literal[value=${SENTENCE}]`, `TemplateElement[value.raw=${SENTENCE}]`].map(
          (selector) => ({
            selector,
            message: "Only messages/ has sentences for users: give it a fact.",
          }),
        ),
      ],
    },
  },
  layer(
    "resources",
    ["^undici|^node:", "A program only registers resources; the plugin process does the work."],
    [
      `${OUT}(hosts|messages|shared|keys|webhooks|sandbox|cli)/`,
      "The engine loads the host through the strings in registration.ts.",
    ],
    [`${OUT}(api|responses)/`, "A program sends no requests; it may import only types.", true],
  ),
  layer(
    "hosts",
    PULUMI,
    ["^undici", "Only api/ sends requests."],
    [`${OUT}(resources|sandbox|cli)/`, "A host does not depend on programs."],
    [`${OUT}responses/`, "Only the layers below interpret responses."],
  ),
  layer(
    "messages",
    ["^@pulumi/|^undici|^node:", "A message is made from facts alone."],
    [`${OUT}(hosts|resources|sandbox|cli)/`, "A message does not depend on who shows it."],
  ),
  ...["shared", "keys", "webhooks"].map((room) =>
    layer(
      room,
      ["^@pulumi/", "Handlers do not depend on the host."],
      ["^undici", "Only api/ sends requests."],
      [
        `${OUT}(hosts|messages|resources|sandbox|cli)/`,
        "Handlers depend only on the client and on responses/.",
      ],
    ),
  ),
  layer(
    "api",
    ["^@pulumi/", "The client does not depend on Pulumi."],
    [
      `${OUT}(hosts|messages|shared|keys|webhooks|resources|sandbox|cli)/`,
      "The client depends on no other layer.",
    ],
    [`${OUT}responses/`, "Handlers interpret bodies."],
  ),
  layer(
    "responses",
    [
      `^(?!node:|\\./|\\.\\./(json|api/operations|api/server-message|api/errors)\\.js$)`,
      "The meaning of a response depends only on its text.",
    ],
    [`/api/errors\\.js$`, "A reader returns facts for errors; it may import only their types.", true],
  ),
  layer("sandbox", [
    `^(?!node:|\\./|\\.\\./api/operations\\.js$)`,
    "The sandbox must not share code with what it tests.",
  ]),
);
