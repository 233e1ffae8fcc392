#!/usr/bin/env bash
# Exit 0: what exists is what the program says. 7: it is not. Anything else: the check failed, and says nothing about drift.
set -euo pipefail
code=0
pulumi preview --refresh --expect-no-changes --non-interactive --color=never --suppress-progress 2>&1 | tee drift.log || code=$?
case $code in
  0) echo "No drift." ;;
  7) echo 'DRIFT: see the changes above. Run the task "repair-drift", or change the program.' ;;
  *) echo "The check for drift FAILED with exit code $code: whether there is drift is not known." ;;
esac
exit "$code"
