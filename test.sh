#!/usr/bin/env bash
# The test command: makes the environment the tests need, then runs all of them.
#
#   ./test.sh                   linters, type checks of other platforms, Go tests (with the race detector where memory is shared),
#                               Python tests, end-to-end tests and the default diagnosis on PyTorch 2.15
#   ./test.sh --long            what takes longer: PyTorch 2.1 and 1.13, releases, new property cases, crash schedules, kill loops, fuzzing …
#   ./test.sh [--long] NAME...  only these stages
#   ./test.sh --list            the names of all stages
#   ./test.sh --env             only make the environment
#   ./test.sh --firsthour       nothing but the first hour of a newcomer without Go: clone, install, demo, a script with a mistake, and so on
#
# Two stages run at a time. The first failure ends it, with --keep-going the last stage. Everything it makes lies in build/; a second run
# installs nothing. At the end it prints how long each stage took, and takes that from build/stages.tsv (build/stages-long.tsv).
set -euo pipefail
cd "$(dirname "$0")"
. scripts/env.sh
. scripts/stages.sh
. scripts/stages-ordinary.sh
. scripts/stages-long.sh

# The first ones make the environment, the others follow in the order in which they keep both cores busy.
environment="torch tools"
ordinary="lint platforms go race python-torch e2e python docs ui accuracy"
long="torch-2.1 torch-1.13 kills crashes fuzz release properties race-others alike large requests pictures"

kind=ordinary keep_going=0 only_env=0 first_hour=0 chosen=""
for arg in "$@"; do
  case "$arg" in
    --long) kind=long ;;
    --keep-going) keep_going=1 ;;
    --list)
      printf '%s\n' $ordinary
      printf -- '--long %s\n' $long
      exit 0
      ;;
    --env) only_env=1 ;;
    --firsthour) first_hour=1 ;;
    -h | --help)
      sed -n '2,13p' "$0"
      exit 0
      ;;
    -*)
      echo "test.sh: unknown argument '$arg' (known: --long, --list, --keep-going, --env, --firsthour)" >&2
      exit 1
      ;;
    *) chosen="$chosen $arg" ;;
  esac
done
stages=${!kind} table=build/stages.tsv
[ "$kind" = ordinary ] || table=build/stages-long.tsv
for name in $chosen; do
  case " $stages " in
    *" $name "*) ;;
    *)
      echo "test.sh: there is no stage '$name' (known: ${stages// /, })" >&2
      exit 1
      ;;
  esac
done
if [ -n "$chosen" ]; then stages=$chosen table=build/stages-chosen.tsv; fi
if [ "$only_env$first_hour" != 00 ]; then stages="" table=build/stages-chosen.tsv; fi

need_go
export VIGIL_TEST_PYTHON="$PWD/build/env/torch/bin/python"
VIGIL_TEST_OLD_PYTHONS="$(old_pythons)"
export VIGIL_TEST_OLD_PYTHONS
echo "Pythons below 3.8 for the tests that nothing breaks there: ${VIGIL_TEST_OLD_PYTHONS:-none found}"

# The tests store raw tensors also where the disk is nearly full.
export VIGIL_MIN_FREE=1GB

# One compute thread, so that tests next to each other do not fight for cores.
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1

# The race detector waits for a second before a program ends, and tests start the program hundreds of times.
export GORACE=atexit_sleep_ms=10

# The program is released without cgo: what linters, tests and builds without the race detector compile is the same.
export CGO_ENABLED=0

end() {
  stop_stages
  print_table
}
trap end EXIT
begin_table "$table"
# shellcheck disable=SC2086 # one word a stage
run_stages 2 "$keep_going" $environment $stages
[ "$stages_failed" = 0 ] || exit 1

if [ "$first_hour" = 1 ]; then go run ./e2e/firsthour; fi
[ -n "$stages" ] || exit 0
printf '\nall tests passed in %d s\n' "$SECONDS"
