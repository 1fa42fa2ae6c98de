#!/usr/bin/env bash
# Makes the pictures of the report, the status line and the dashboard from real runs: needs tmux, Chromium and the environment of ./test.sh (VIGIL_TEST_PYTHON).
# (The picture of a mistake is made by `go test ./cli -run TestPicture -update`.)
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
# The agent of a run that was cut off writes for a moment after the terminal is gone.
trap 'tmux -L vigil-pictures kill-server 2>/dev/null || true; sleep 2; rm -rf "$work"' EXIT
go build -o "$work/vigil" ./cmd/vigil
mkdir -p docs/images

shot() { # PAGE PNG WIDTH HEIGHT
  chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update \
    --disable-sync --hide-scrollbars --user-data-dir="$work/browser" --window-size="$3,$4" --screenshot="$2" "file://$1" >/dev/null 2>&1
}

terminal() { # PNG WIDTH HEIGHT: what the terminal shows now
  tmux -L vigil-pictures capture-pane -e -p | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' | python3 scripts/ansi2html.py >"$work/terminal.html"
  shot "$work/terminal.html" "$1" "$2" "$3"
}
shows() { tmux -L vigil-pictures capture-pane -p | grep -q "$1"; }

tmux -L vigil-pictures -f /dev/null new-session -d -x 118 -y 34 "cd '$work' && PATH='$work':\$PATH bash --norc"
tmux -L vigil-pictures send-keys "PS1='$ '; clear; vigil demo --go" Enter
for _ in $(seq 120); do
  sleep 0.5
  shows 'your own script, unchanged' && break
done

run=$(ls "$work/vigil-runs" | head -1)
shot "$work/vigil-runs/$run/reports/report.html" docs/images/report.png 1160 1500

# The status line, while a healthy training goes on: a terminal of a few rows.
tmux -L vigil-pictures resize-window -x 118 -y 12
tmux -L vigil-pictures send-keys "clear; vigil demo --go --fault none" Enter
for _ in $(seq 120); do
  sleep 0.5
  shows 'step [0-9]\{3,\} ' && break
done
terminal docs/images/status.png 1040 290

go test ./e2e/golden -count=1 -run TestDocumentation -timeout 60m -record
