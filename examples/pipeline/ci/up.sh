#!/usr/bin/env bash
# Applies the program; options are passed on. A run that takes too long gets one SIGINT: Pulumi then takes the answer to a
# creation that was sent, and ends. The pipeline's own timeout would kill it, and the key would be lost.
# --foreground: else `timeout` signals the process and its group, so that Pulumi gets two, and a second one ends it at once.
set -euo pipefail
timeout --foreground --signal=INT "${UP_TIME_LIMIT:-20m}" \
  pulumi up --yes --skip-preview --non-interactive --color=never --suppress-progress "$@" 2>&1 | tee up.log
