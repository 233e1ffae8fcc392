#!/usr/bin/env bash
# Says what `up` would do. Changes nothing, also not the state.
set -euo pipefail
pulumi preview --non-interactive --color=never --suppress-progress 2>&1 | tee preview.log
