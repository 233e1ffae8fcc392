#!/usr/bin/env bash
# Shows what `up` would do. Changes nothing, not even the state.
set -euo pipefail
pulumi preview --non-interactive --color=never --suppress-progress 2>&1 | tee preview.log
