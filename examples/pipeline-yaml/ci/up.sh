#!/usr/bin/env bash
# Applies the program, with the given options, unless an earlier run may have left a key behind. A run that takes too long gets one
# SIGINT: Pulumi then waits for the response to a creation that was sent, and ends. The pipeline's own timeout would kill Pulumi,
# and the key would be lost.
# Without --foreground, `timeout` signals the process and its group: Pulumi would get two signals, and end at once.
set -euo pipefail
pulumi stack export | node ci/interrupted.ts
timeout --foreground --signal=INT "${UP_TIME_LIMIT:-20m}" \
  pulumi up --yes --skip-preview --non-interactive --color=never --suppress-progress "$@"
