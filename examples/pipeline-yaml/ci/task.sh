#!/usr/bin/env bash
# Tasks that a person starts by hand, with the pipeline's credentials.
set -euo pipefail
case ${1:-} in
  deploy)
    pulumi stack export | node ci/interrupted.ts
    node deploy.ts ${APPROVE:+--approve "$APPROVE"}
    ;;
  repair-drift) ci/up.sh --refresh ;;
  release-lock) pulumi cancel --yes ;; # Safe only when no other run is active; the concurrency group ensures this.
  forget-interrupted)
    PARTNERS_GONE_KEYS=$(pulumi stack export | node ci/interrupted.ts --lost)
    export PARTNERS_GONE_KEYS
    pulumi refresh --clear-pending-creates --yes --non-interactive
    ;;
  *)
    echo "Unknown task. Valid tasks: deploy, repair-drift, release-lock, forget-interrupted." >&2
    exit 1
    ;;
esac
