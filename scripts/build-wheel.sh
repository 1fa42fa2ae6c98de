#!/usr/bin/env bash
# Builds the wheel vigil-ml: the Go program and the Python package, nothing compiled for Python.
#
#   scripts/build-wheel.sh                  for this machine's processor, into dist/
#   scripts/build-wheel.sh arm64            for another one (amd64, arm64)
#   scripts/build-wheel.sh amd64 /tmp/out   into another directory
set -euo pipefail
caller=$PWD
cd "$(dirname "$0")/.."
arch=${1:-$(go env GOARCH)}
out=$PWD/dist
case "${2:-}" in
  "") ;;
  /*) out=$2 ;;
  *) out=$caller/$2 ;;
esac
case "$arch" in
  amd64) platform=manylinux_2_17_x86_64.manylinux2014_x86_64 ;;
  arm64) platform=manylinux_2_17_aarch64.manylinux2014_aarch64 ;;
  *) echo "build-wheel.sh: no wheel for '$arch' (known: amd64, arm64)" >&2; exit 1 ;;
esac
version=$(sed -n 's/^__version__ = "\([^"]*\)"$/\1/p' python/vigil/_version.py)
if [ -z "$version" ]; then
  echo "build-wheel.sh: no version in python/vigil/_version.py" >&2
  exit 1
fi

binary="$PWD/build/wheel/$arch/vigil"
mkdir -p "$(dirname "$binary")" "$out"
CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -trimpath -ldflags "-s -w -X github.com/vigil-ml/vigil/cli.release=$version" -o "$binary" ./cmd/vigil
scripts/licences.sh "$arch" > "$(dirname "$binary")/THIRD_PARTY_LICENSES"
rm -f "$out"/vigil_ml-*"${platform##*.}".whl

export VIGIL_WHEEL_BINARY="$binary" VIGIL_WHEEL_PLATFORM="$platform"
if command -v uv >/dev/null; then
  uv build -q --wheel --out-dir "$out" python
else
  python3 -m pip wheel -q --no-deps --wheel-dir "$out" ./python
fi
ls -l "$out"/vigil_ml-*"${platform##*.}".whl | awk '{printf "  %s  %.1f MB\n", $NF, $5 / 1048576}'
