# Functions that run stages side by side, and say how long each took. Sourced by test.sh.
#
# A stage NAME is a function stage_NAME (with _ for what no name of a function may have). It runs in a process group of its own.
# What it prints comes when it has ended, and is in build/stages/NAME.log meanwhile.

# function_of NAME
function_of() { echo "stage_${1//[^A-Za-z0-9]/_}"; }

# begin_stage NAME: in the background.
begin_stage() {
  local name=$1
  printf '\n-- %s begins (%d s so far)\n' "$name" "$SECONDS"
  rm -f "build/stages/$name."*
  (
    started=$SECONDS
    trap 'end_stage "$name" "$?" "$((SECONDS - started))"' EXIT
    set -e
    "$(function_of "$name")"
  ) >"build/stages/$name.log" 2>&1 </dev/null &
  running["$name"]=$!
}

# end_stage NAME STATUS SECONDS: called by its process; leaves these and the seconds of processor time in build/stages/NAME.ended.
end_stage() {
  times >"build/stages/$1.times"
  # Minutes and seconds of this shell, then of all processes that it waited for: 0m1.234s 0m0.100s
  awk -F '[ms ]+' -v status="$2" -v wall="$3" '{ cpu += $1 * 60 + $2 + $3 * 60 + $4 } END { printf "%d\t%d\t%d\n", status, wall, cpu }' \
    "build/stages/$1.times" >"build/stages/$1.part"
  mv "build/stages/$1.part" "build/stages/$1.ended" # all of it, or none
}

# wait_for NAME: within a stage, waits until another one of the same run has ended well. Both are in one queue, this one behind it.
wait_for() {
  local status
  until [ -f "build/stages/$1.ended" ]; do sleep 1; done
  read -r status _ <"build/stages/$1.ended"
  [ "$status" = 0 ] || { echo "test.sh: $1, which this needs, has failed" >&2; return 1; }
}

# run_stages WIDTH KEEP_GOING NAME...: in this order, so many at the same time. The first failure ends all of them, unless
# KEEP_GOING is 1. Sets stages_failed to 1 where one failed; it has no exit code, because errexit is off in what is called by "if" or
# "||", in the stages too.
run_stages() {
  local width=$1 keep_going=$2 name status wall cpu
  stages_failed=0
  shift 2
  declare -gA running=()
  set -m # process groups
  while [ $# -gt 0 ] || [ "${#running[@]}" -gt 0 ]; do
    while [ $# -gt 0 ] && [ "${#running[@]}" -lt "$width" ]; do
      begin_stage "$1"
      shift
    done
    wait -n || true
    for name in "${!running[@]}"; do
      kill -0 "${running[$name]}" 2>/dev/null || [ -f "build/stages/$name.ended" ] || printf '137\t0\t0\n' >"build/stages/$name.ended" # killed
      [ -f "build/stages/$name.ended" ] || continue
      wait "${running[$name]}" || true
      unset "running[$name]"
      read -r status wall cpu <"build/stages/$name.ended"
      printf '\n== %s (%d s)\n' "$name" "$wall"
      cat "build/stages/$name.log"
      if [ "$status" != 0 ]; then
        stages_failed=1
        printf '\n%s failed: exit code %d\n' "$name" "$status" >&2
      fi
      printf '%s\t%d\t%d\t%d\n' "$name" "$wall" "$cpu" "$status" >>"$stage_table"
    done
    if [ "$stages_failed" = 1 ] && [ "$keep_going" = 0 ]; then return; fi
  done
}

# stop_stages ends those that run, and prints the end of what each has printed.
stop_stages() {
  local name
  for name in "${!running[@]}"; do
    kill -- "-${running[$name]}" 2>/dev/null || true
    printf '\n== %s (stopped); the last lines of build/stages/%s.log:\n' "$name" "$name"
    tail -n 20 "build/stages/$name.log"
  done
}

# begin_table FILE: keeps the table of the last run of the same kind, and begins one. Its columns: name, seconds, seconds of processor
# time, exit code.
begin_table() {
  stage_table=$1
  mkdir -p build/stages
  rm -f build/stages/*
  declare -gA running=()
  if [ -f "$stage_table" ]; then mv "$stage_table" "${stage_table%.tsv}.last.tsv"; fi
}

# print_table prints it next to the last run's: that of the last run of each stage.
print_table() {
  local last="${stage_table%.tsv}.last.tsv"
  [ -f "$stage_table" ] || return 0
  printf 'in all\t%d\t-\t0\n' "$SECONDS" >>"$stage_table"
  [ -f "$last" ] || last=/dev/null
  printf '\n%8s %8s %10s  %s\n' seconds 'last run' processor stage
  awk -F '\t' -v last="$last" '
    BEGIN { while ((getline line < last) > 0) { split(line, f, "\t"); before[f[1]] = f[2] } }
    { if ($1 != "in all") cpu += $3
      printf "%8d %8s %10d  %s%s\n", $2, ($1 in before) ? before[$1] : "-", $1 == "in all" ? cpu : $3, $1, $4 == 0 ? "" : " (failed)" }' "$stage_table"
}
