#!/usr/bin/env bash
# Builds the wheel vigil-ml into dist/: the Go program and the Python package, nothing compiled for Python.
#
#   scripts/build-wheel.sh           for this machine's processor
#   scripts/build-wheel.sh arm64     for another one (amd64, arm64)
set -euo pipefail
cd "$(dirname "$0")/.."
arch=${1:-$(go env GOARCH)}
case "$arch" in
  amd64) platform=manylinux_2_17_x86_64.manylinux2014_x86_64 ;;
  arm64) platform=manylinux_2_17_aarch64.manylinux2014_aarch64 ;;
  *) echo "build-wheel.sh: no wheel for '$arch' (known: amd64, arm64)" >&2; exit 1 ;;
esac

binary="$PWD/build/wheel/$arch/vigil"
mkdir -p "$(dirname "$binary")" dist
CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -trimpath -ldflags '-s -w' -o "$binary" ./cmd/vigil
rm -f dist/vigil_ml-*"${platform##*.}".whl

export VIGIL_WHEEL_BINARY="$binary" VIGIL_WHEEL_PLATFORM="$platform"
if command -v uv >/dev/null; then
  uv build -q --wheel --out-dir dist python
else
  python3 -m pip wheel -q --no-deps --wheel-dir dist ./python
fi
ls -l dist/vigil_ml-*.whl | awk '{printf "  %s  %.1f MB\n", $NF, $5 / 1048576}'
