/**
 * npm runs this before it packs the package: it copies README and LICENSE into it. Relative links would be
 * dead there, so they are changed to lead to the tag of the version on GitHub.
 */
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "../checkout.ts";

const home = manifest.repository.url.replace(/^git\+|\.git$/g, "");
const files = `${home}/blob/v${manifest.version}/`;
const images = `${home.replace("//github.com/", "//raw.githubusercontent.com/")}/v${manifest.version}/`;
const readme = await readFile(join(ROOT, "README.md"), "utf8");
const absolute = readme
  .replaceAll(/(!\[[^\]]*\]\()(?![a-z]+:|#)/g, `$1${images}`)
  .replaceAll(/(\]\()(?![a-z]+:|#)/g, `$1${files}`);
await writeFile(join(ROOT, "provider/README.md"), absolute);
await copyFile(join(ROOT, "LICENSE"), join(ROOT, "provider/LICENSE"));
