// Shows a preview in the pull request (GitHub) or merge request (GitLab). Later runs edit the same comment.
import { readFileSync } from "node:fs";
import { env } from "node:process";

interface Comment {
  readonly id: number;
  readonly body: string;
  readonly user?: { readonly login: string }; // GitHub
  readonly author?: { readonly id: number }; // GitLab
}

/** How many characters of a long preview are shown. GitHub limits a comment to 65,536. */
const SHOWN = { start: 40_000, end: 20_000 };
/** The author of comments that a workflow's token writes. */
const GITHUB_BOT = "github-actions[bot]";

const github = env["GITHUB_ACTIONS"] === "true";
const headers = {
  "content-type": "application/json",
  ...(github
    ? { authorization: `Bearer ${required("GITHUB_TOKEN")}`, "x-github-api-version": "2022-11-28" }
    : { "private-token": required("MERGE_REQUEST_TOKEN") }),
};
const thread = github
  ? `${required("GITHUB_API_URL")}/repos/${required("GITHUB_REPOSITORY")}/issues/${required("PULL_REQUEST")}/comments`
  : `${required("CI_API_V4_URL")}/projects/${required("CI_PROJECT_ID")}/merge_requests/${required("CI_MERGE_REQUEST_IID")}/notes`;

const marker = `<!-- pulumi preview of ${required("PULUMI_STACK")} -->`;
const preview = shortened(readFileSync("preview.log", "utf8"));
const body = `${marker}\n### Preview of \`${required("PULUMI_STACK")}\`\n\n${fenced(preview)}\n`;

const previous = await find();
if (previous === undefined) await call("POST", thread, { body });
else if (github) await call("PATCH", thread.replace(/\d+\/comments$/, `comments/${previous.id}`), { body });
else await call("PUT", `${thread}/${previous.id}`, { body });
console.log(previous === undefined ? "Commented." : `Comment ${previous.id} edited.`);

/** Checks the author too, because anyone can write a comment that begins with the marker. */
async function find(): Promise<Comment | undefined> {
  const me = github
    ? undefined
    : ((await call("GET", `${required("CI_API_V4_URL")}/user`)) as { readonly id: number }).id;
  const isMine = ({ user, author }: Comment): boolean =>
    github ? user?.login === GITHUB_BOT : author?.id === me;
  for (let page = 1; ; page++) {
    const comments = (await call("GET", `${thread}?per_page=100&page=${page}`)) as readonly Comment[];
    const mine = comments.find((comment) => isMine(comment) && comment.body.startsWith(marker));
    if (mine || comments.length < 100) return mine;
  }
}

/** Returns the start and the end of a long text. The end is the summary. */
function shortened(text: string): string {
  const cut = text.length - SHOWN.start - SHOWN.end;
  if (cut <= 0) return text;
  const note = `[… ${cut} characters left out: see the log of the job …]`;
  return `${text.slice(0, SHOWN.start)}\n\n${note}\n\n${text.slice(-SHOWN.end)}`;
}

/** Wraps the text in a fence longer than any in it, so that the text cannot end the block. */
function fenced(text: string): string {
  const longest = Math.max(3, ...(text.match(/~+/g) ?? []).map(({ length }) => length));
  const fence = "~".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

async function call(method: string, url: string, content?: { readonly body: string }): Promise<unknown> {
  const response = await fetch(url, { method, headers, ...(content && { body: JSON.stringify(content) }) });
  if (!response.ok)
    throw new Error(`The preview could not be shown: ${method} ${url} returned ${response.status}`);
  return response.json();
}

function required(name: string): string {
  const value = env[name];
  if (!value) throw new Error(`The preview cannot be shown: ${name} is not set`);
  return value;
}
