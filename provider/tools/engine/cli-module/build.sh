#!/usr/bin/env bash
# build.sh FOLDER [yaml] [java]: builds the Pulumi CLI of go.mod, with its hosts for Go, Node and Python.
# Go skips what is up to date.
set -euo pipefail
cd "$(dirname "$0")"

# The compiler is quicker if it collects less garbage and describes nothing to debuggers. Without cgo, it needs
# no C compiler.
export GOBIN="$1" GOGC=400 CGO_ENABLED=0 GOFLAGS=-mod=readonly
sdk=github.com/pulumi/pulumi/sdk/v3
version=$(go list -m -f '{{.Version}}' $sdk)
flags=(-trimpath -gcflags=all=-dwarf=false -ldflags="-s -w -X $sdk/go/common/version.Version=$version")
go install "${flags[@]}" github.com/pulumi/pulumi/pkg/v3/cmd/pulumi ./language-host
for language in go nodejs python; do ln -sf language-host "$GOBIN/pulumi-language-$language"; done

# A release of Pulumi has these next to the CLI.
scripts=$(go list -m -f '{{.Dir}}' $sdk)
install -C -m 755 "$scripts/python/cmd/pulumi-language-python-exec" "$GOBIN"
install -C -m 755 "$scripts/nodejs/dist/pulumi-resource-pulumi-nodejs" "$GOBIN"

# These hosts need other versions of Pulumi's libraries than the CLI.
for language in "${@:2}"; do
  case $language in
    yaml) module=github.com/pulumi/pulumi-yaml@v1.32.0 ;;
    java) module=github.com/pulumi/pulumi-java/pkg@v1.22.0 ;;
  esac
  go mod download $module
  (cd "$(go list -m -f '{{.Dir}}' $module)" && go install "${flags[@]}" "./cmd/pulumi-language-$language")
done
