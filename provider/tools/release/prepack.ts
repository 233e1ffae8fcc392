/**
 * npm runs this before it packs the package: it copies README and LICENSE into it. Relative links would be
 * dead there, so they are changed to lead to the tag of the version on GitHub.
 */
import { existsSync } from "node:fs";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { ROOT } from "../checkout.ts";

/** The fields of package.json that locate the repository. */
export interface Package {
  readonly version: string;
  readonly repository: { readonly url: string };
}

/** Makes the relative links and images of a page absolute. The page is in the root of the repository. */
export function withAbsoluteLinks(markdown: string, { version, repository }: Package): string {
  const home = repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
  const files = `${home}/blob/v${version}/`;
  const images = `${home.replace("//github.com/", "//raw.githubusercontent.com/")}/v${version}/`;
  return markdown
    .replaceAll(/(!\[[^\]]*\]\()(?![a-z]+:|#)/g, `$1${images}`)
    .replaceAll(/(\]\()(?![a-z]+:|#)/g, `$1${files}`);
}

if (import.meta.main) {
  if (!existsSync(join(ROOT, "provider/dist/index.js"))) {
    throw new Error("There is nothing to pack: run npm run build first.");
  }
  const manifest = JSON.parse(await readFile(join(ROOT, "provider/package.json"), "utf8")) as Package;
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  await writeFile(join(ROOT, "provider/README.md"), withAbsoluteLinks(readme, manifest));
  await copyFile(join(ROOT, "LICENSE"), join(ROOT, "provider/LICENSE"));
}
