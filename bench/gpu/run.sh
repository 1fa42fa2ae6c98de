#!/usr/bin/env bash
# Measures on a GPU what only a GPU shows, in a call of at most 9 minutes; the next call goes on where it ended.
#
#   ./bench/gpu/build.sh        first, where there is Go: programs in build/gpu
#   ./bench/gpu/run.sh [PYTHON] PYTHON has PyTorch; else $VIGIL_TEST_PYTHON, else python3
#
# The report is docs/lab/gpu/DATE.json and DATE.md. Finished stages are kept in build/gpu/state: who starts anew removes it. With
# $OUT set, report and state are copied there, too; $OUT/state of an earlier call is put back as build/gpu/state to go on elsewhere.
# With DRY=1 it goes through all of it in tiny sizes on the CPU, and reports into build/gpu/dry.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${1:-${VIGIL_TEST_PYTHON:-python3}} report=docs/lab/gpu state=build/gpu/state flags=()
if [ -n "${DRY:-}" ]; then report=build/gpu/dry state=build/gpu/dry/state flags=(-dry); fi
if [ ! -x build/gpu/gpu ]; then
  echo "run.sh: there is no build/gpu/gpu; ./bench/gpu/build.sh makes it" >&2
  exit 1
fi
code=0
timeout -k 10 540 build/gpu/gpu -python "$python" -state "$state" -out "$report" -limit 8m30s "${flags[@]}" || code=$?
if [ -n "${OUT:-}" ]; then
  mkdir -p "$OUT"
  cp -r "$report"/. "$OUT"/
  rm -rf "$OUT/state"
  cp -r "$state" "$OUT/state"
fi
exit "$code"
