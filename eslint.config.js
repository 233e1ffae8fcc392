import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["**/dist/", "**/node_modules/", "coverage/"] },
  js.configs.recommended,
  { files: ["**/*.cjs"], languageOptions: { globals: { process: "readonly", require: "readonly" } } },
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
);
