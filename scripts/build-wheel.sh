#!/usr/bin/env bash
# Builds the wheel vigil-ml as it is released: the Go program and the Python package, nothing compiled for Python.
# (`pip wheel .` builds one for this machine alone.)
#
#   scripts/build-wheel.sh                  for this machine's processor, into dist/
#   scripts/build-wheel.sh arm64            for another one (amd64, arm64)
#   scripts/build-wheel.sh amd64 /tmp/out   into another directory
set -euo pipefail
caller=$PWD
cd "$(dirname "$0")/.."
arch=${1:-$(uname -m)}
out=$PWD/dist
case "${2:-}" in
  "") ;;
  /*) out=$2 ;;
  *) out=$caller/$2 ;;
esac
case "$arch" in
  amd64 | x86_64) arch=amd64 platform=manylinux_2_17_x86_64.manylinux2014_x86_64 ;;
  arm64 | aarch64) arch=arm64 platform=manylinux_2_17_aarch64.manylinux2014_aarch64 ;;
  *) echo "build-wheel.sh: no wheel for '$arch' (known: amd64, arm64)" >&2; exit 1 ;;
esac
mkdir -p "$out"
rm -f "$out"/vigil_ml-*"${platform##*.}".whl
export VIGIL_WHEEL_TARGET=linux/$arch VIGIL_WHEEL_PLATFORM=$platform
if command -v uv >/dev/null; then
  uv build -q --wheel --out-dir "$out" .
else
  python3 -m pip wheel -q --no-deps --wheel-dir "$out" .
fi
ls -l "$out"/vigil_ml-*"${platform##*.}".whl | awk '{printf "  %s  %.1f MB\n", $NF, $5 / 1048576}'
