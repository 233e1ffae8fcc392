import { PROJECT_OPTIONS_HELP } from "../project.js";

/** The text of `pulumi-partners adopt --help`. */
export const ADOPT_HELP = `Usage: pulumi-partners adopt [options]

Writes the TypeScript that declares what exists already: the webhooks that the stack does not manage yet, or one key.
Nothing is changed, neither at the service nor in the stack.

Webhooks:
  --webhooks <ids>         only these, such as 101,102 (default: all)
  --prefix <text>          what their names begin with, before the id (default: webhook-)

A key, which is never taken from the command line:
  --api-key-stdin          take it from stdin; one newline at its end is dropped
  --api-key-env <name>     take it from the environment variable of this name
  --name <name>            what the resource is called; required
  --api-key-id <id>        id by which the service deletes the key, if it does; with --import-file

Output:
  --out <file>             write the program there (default: stdout)
  --import-file <file>     write a file for "pulumi import" as well; with a key, it holds the key in clear
  --force                  overwrite these files

Project:
${PROJECT_OPTIONS_HELP}
  -h, --help               this text

Exit codes: 0 done, or nothing is left to adopt; 1 failed; 2 wrong options. What to do next is said on stderr.
`;
