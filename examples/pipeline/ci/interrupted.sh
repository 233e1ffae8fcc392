#!/usr/bin/env bash
# Fails if Pulumi warned that an earlier run was killed while it created something. Pulumi creates it again and exits with 0, so
# only this warning points to a key that no stack tracks.
set -euo pipefail
if grep --no-messages 'interrupted while creating' up.log; then
  cat <<'END'
A key may have been created that no stack tracks. Find and delete it: see "When a run is killed"
in docs/reliability.md of pulumi-partners.
Then run the task "forget-interrupted".
END
  exit 1
fi
echo "No creation was interrupted."
