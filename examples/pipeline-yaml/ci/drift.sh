#!/usr/bin/env bash
# Exit code 0: no drift. 7: drift. Anything else: the check failed, so it is not known whether there is drift.
set -euo pipefail
code=0
pulumi preview --refresh --expect-no-changes --non-interactive --color=never --suppress-progress || code=$?
case $code in
  0) echo "No drift." ;;
  7) echo 'DRIFT: see the changes above. Run the task "repair-drift", or change the program.' ;;
  *) echo "The drift check FAILED with exit code $code: it is not known whether there is drift." ;;
esac
exit "$code"
