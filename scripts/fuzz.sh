#!/usr/bin/env bash
# Runs fuzz targets for the given time each (default 10s), two at a time.
#
#   scripts/fuzz.sh 60s                       all of the repository
#   scripts/fuzz.sh 10s internal/capture ...  those of these packages
#
# An input that fails is kept in the package's testdata/fuzz and said.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- .

one() {
  local file=$1 target=$2 dir out
  dir=$(dirname "$file")
  # By default up to a minute goes into making each new input smaller: all of the time where inputs are long.
  if out=$(go test -run '^$' -fuzz "^$target\$" -fuzztime "$FUZZ_TIME" -fuzzminimizetime 20x -parallel 1 "./$dir" </dev/null 2>&1); then
    printf '%s %s: %s\n' "$dir" "$target" "$(printf '%s' "$out" | grep -oE 'execs: [0-9]+' | tail -1)"
  else
    printf '%s %s FAILED:\n%s\n' "$dir" "$target" "$out"
    return 1
  fi
}
export -f one
export FUZZ_TIME=$time
grep -rE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' "$@" -o | sed 's|^\./||; s/:func / /' | sort |
  xargs -P 2 -L 1 bash -c 'one "$@"' one
