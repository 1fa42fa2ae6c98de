#!/usr/bin/env bash
# Runs every fuzz target of the repository for the given time (default 10s).
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
grep -rlE '^func Fuzz' --include='*_test.go' . | sort | while read -r file; do
  dir=$(dirname "$file")
  grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$file" | sed 's/^func //' | while read -r target; do
    printf '%s %s\n' "$dir" "$target"
    # By default up to a minute goes into making each new input smaller: all of the time where inputs are long.
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 20x "$dir" </dev/null | tail -1
  done
done
