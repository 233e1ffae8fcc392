import js from "@eslint/js";
import tseslint from "typescript-eslint";

/** A part of a sentence: three words. */
const SENTENCE = "/[A-Za-z]+ [A-Za-z]+ [A-Za-z]+/";

/** Forbids imports in some files. @param forbidden A regular expression, a reason, and whether types may pass. */
function imports(files, ...forbidden) {
  const patterns = forbidden.map(([regex, message, allowTypeImports = false]) => ({
    regex,
    message,
    allowTypeImports,
  }));
  return { files, rules: { "@typescript-eslint/no-restricted-imports": ["error", { patterns }] } };
}

/** Which folder may import what. The last rule that matches a file counts, so each repeats what it must. */
const PULUMI = ["^@pulumi/", "Only hosts/ and resources/ speak to the engine."];
const UNDICI = ["^undici", "Only partner-api/ sends requests."];
const FOLDERS = [
  imports(["provider/src/{adapter,cli}/**/*.ts"], PULUMI, UNDICI, [
    "/resources/",
    "A program's process loads resources/, the plugin's process everything else.",
  ]),
  imports(["provider/src/account/**/*.ts"], PULUMI, UNDICI, [
    "/(?:adapter|keys|webhooks|hosts|resources)/",
    "An account does not know what uses it.",
  ]),
  imports(["provider/src/partner-api/**/*.ts"], PULUMI, [
    "^\\.\\./(?!bodies/(?:json|false-success)\\.js|version\\.js)",
    "The client knows no Pulumi and no resource.",
  ]),
  imports(["provider/src/{keys,webhooks}/**/*.ts"], PULUMI, UNDICI, [
    "/(?:keys|webhooks|hosts|resources)/",
    "The features do not depend on each other, nor on a host.",
  ]),
  imports(["provider/src/bodies/**/*.ts"], ["^(?!\\./)", "Bodies are read without knowing who asks."]),
  imports(
    ["provider/src/**/*-reader.ts"],
    [
      "^(?!\\.\\./bodies/|\\.\\./partner-api/operations\\.js$|\\./[a-z-]+-reader\\.js$)",
      "What a body means depends on its text, the mapping and the words of the contract alone.",
    ],
  ),
  imports(
    ["provider/src/resources/**/*.ts"],
    ["^undici|^node:(?!module$)", "A program only registers resources; the plugin's process does the work."],
    [
      "/(?:hosts|adapter|account|keys|webhooks|bodies|partner-api|sandbox|cli)/",
      "The engine loads the handlers through registration.ts; a program may import only types.",
      true,
    ],
  ),
  imports(
    ["provider/src/hosts/**/*.ts"],
    ["^@pulumi/(?!pulumi/proto/)", "A host speaks the protocol itself; the SDK starts slowly.", true],
    UNDICI,
    ["/(?:resources|sandbox|cli)/", "A host does not depend on programs."],
  ),
  imports(
    ["provider/src/sandbox/**/*.ts"],
    ["^(?!node:|\\./)", "The sandbox must not share code with what it tests."],
  ),
];

export default tseslint.config(
  { ignores: ["**/dist/", "**/node_modules/"] },
  js.configs.recommended,
  {
    files: ["**/*.cjs"],
    languageOptions: { globals: { process: "readonly", require: "readonly" } },
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
    rules: { "max-len": ["error", { code: 110, ignoreUrls: true }] },
  },
  {
    files: [
      "provider/src/*.ts",
      "provider/src/{account,adapter,keys,webhooks,bodies,partner-api,hosts}/**/*.ts",
    ],
    ignores: ["**/*-messages.ts", "**/*-reader.ts", "**/response-mapping.ts"], // Lists of names are no sentences.
    rules: {
      "no-restricted-syntax": [
        "error",
        ...[`:not(TSLiteralType) > Literal[value=${SENTENCE}]`, `TemplateElement[value.raw=${SENTENCE}]`].map(
          (selector) => ({ selector, message: "Put sentences into *-messages.ts." }),
        ),
      ],
    },
  },
  ...FOLDERS,
);
