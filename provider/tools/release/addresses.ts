/** Where a release and its plugin are. */
import manifest from "../../package.json" with { type: "json" };

const { version, homepage } = manifest;
/** The address of the repository on GitHub. */
export const REPOSITORY = manifest.repository.url.replace(/^git\+|\.git$/g, "");

/** What the schema of a release has in addition, for the registry of Pulumi and `pulumi package add`. */
export const ADDRESSES = {
  homepage,
  repository: REPOSITORY,
  pluginDownloadURL: REPOSITORY.replace("https://", "github://api."),
};

/**
 * Returns what the schema has in addition today: {@link ADDRESSES}, once the changelog dates this version.
 * Before, the CLI would install what the owner of the address puts there.
 */
export function addressesOf(changelog: string): Partial<typeof ADDRESSES> {
  const [, date = ""] = changelog.split(`\n## [${version}] - `);
  return /^\d{4}-\d\d-\d\d\n/.test(date) ? ADDRESSES : {};
}
