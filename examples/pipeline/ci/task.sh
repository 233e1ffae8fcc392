#!/usr/bin/env bash
# What a person starts by hand, with the pipeline's credentials.
set -euo pipefail
case ${1:-} in
  deploy) node deploy.ts ${APPROVE:+--approve "$APPROVE"} | tee up.log ;;
  repair-drift) ci/up.sh --refresh ;;
  release-lock) pulumi cancel --yes ;; # Only when no other run is active: the concurrency group sees to that.
  forget-interrupted) pulumi refresh --clear-pending-creates --yes --non-interactive ;;
  *)
    echo "Unknown task. There are: deploy, repair-drift, release-lock, forget-interrupted." >&2
    exit 1
    ;;
esac
