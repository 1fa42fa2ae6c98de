#!/usr/bin/env bash
# Builds the program for every platform it claims, without cgo; as a release does, which so finds most of its work done.
set -euo pipefail
cd "$(dirname "$0")/.."
for target in linux/amd64 linux/arm64 darwin/arm64 windows/amd64; do
  printf '  %s\n' "$target"
  CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} go build -trimpath -o /dev/null ./cmd/vigil ./cmd/vigil-nvml
done
