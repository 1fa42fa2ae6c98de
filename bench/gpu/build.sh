#!/usr/bin/env bash
# Builds what bench/gpu/run.sh needs into build/gpu, for a machine that may have no Go: ./bench/gpu/build.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/env.sh
need_go
mkdir -p build/gpu
CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o build/gpu/ ./cmd/vigil ./cmd/vigil-nvml ./bench/gpu
ls -l build/gpu
