#!/usr/bin/env bash
# Prints the licences of all Go modules that the program is made of, and Go's own. A module without one is an error.
#
#   scripts/licences.sh [ARCH] > FILE
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=0 GOOS=linux GOARCH=${1:-$(go env GOARCH)}
line=$(printf '=%.0s' {1..78})
section() { # NAME FILE…
  printf '%s\n%s\n%s\n\n' "$line" "$1" "$line"
  shift
  cat "$@"
  printf '\n'
}
go_licence=$(go env GOROOT)/LICENSE
if [ -f "$go_licence" ]; then
  section "Go $(go env GOVERSION)" "$go_licence"
else # some distributions keep it elsewhere
  echo "BSD-3-Clause, https://go.dev/LICENSE" | section "Go $(go env GOVERSION)" -
fi
go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/vigil | sort -u |
  while read -r path version dir; do
    files=$(find "$dir" -maxdepth 1 -type f \( -iname 'LICEN[CS]E*' -o -iname 'COPYING*' -o -iname 'NOTICE*' \) | sort)
    if [ -z "$files" ]; then
      echo "licences.sh: module $path $version has no licence in $dir" >&2
      exit 1
    fi
    # shellcheck disable=SC2086 # one word a file
    section "$path $version" $files
  done
