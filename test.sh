#!/usr/bin/env bash
# The test command: makes the environment the tests need, then runs all of them.
#
#   ./test.sh           vet, linters, Go tests with the race detector, Python tests, end-to-end tests and the default diagnosis on PyTorch 2.15
#   ./test.sh --long    also PyTorch 2.1 and 1.13, properties with new cases, 10 000 crash schedules, the full kill loops, long fuzzing and pictures of the dashboard
#   ./test.sh --rest    only what --long adds, to go on after a failure in it
#   ./test.sh --env     only make the environment
#   ./test.sh --firsthour  nothing but the first hour of a newcomer without Go: clone, install, demo, a script with a mistake, and so on
#
# Everything it makes lies in build/; a second run installs nothing. At the end it prints how long each stage took.
set -euo pipefail
cd "$(dirname "$0")"
. scripts/env.sh

long=0
rest=0
only_env=0
first_hour=0
for arg in "$@"; do
  case "$arg" in
    --long) long=1 ;;
    --rest) long=1 rest=1 ;;
    --env) only_env=1 ;;
    --firsthour) first_hour=1 ;;
    -h|--help) sed -n '2,10p' "$0"; exit 0 ;;
    *) echo "test.sh: unknown argument '$arg' (known: --long, --rest, --env, --firsthour)" >&2; exit 1 ;;
  esac
done

start=$SECONDS
# The parts of the package by themselves, then each hook: programs of their own, because their tests have files of one name.
# python_tests PYTHON HOOK...: those of the hooks whose frameworks are in that environment. The first hook has the most tests:
# the others run beside it, on the other core, and after them what the first has not begun yet of its own; what they print
# comes when it is done.
python_tests() {
  local python=$1 first=$2 others begun hook pid failed=0
  shift 2
  others=$(mktemp)
  begun=$(mktemp -d)
  (
    set -e
    "$python" -m pytest -q -p no:cacheprovider -o tmp_path_retention_policy=failed --ignore=python/tests/torch --ignore=python/tests/xgboost --ignore=python/tests/trainers python/tests
    for hook in "$@"; do
      "$python" -m pytest -q -p no:cacheprovider -o tmp_path_retention_policy=failed "python/tests/$hook"
    done
    tests_left "$python" "$first" "$begun"
  ) >"$others" 2>&1 &
  pid=$!
  tests_left "$python" "$first" "$begun" || failed=1
  wait "$pid" || failed=1
  cat "$others"
  rm -rf "$others" "$begun"
  return "$failed"
}
# tests_left PYTHON HOOK BEGUN: the hook's tests by their files' first letters, as long as there are some that are not named in
# the directory BEGUN.
tests_left() {
  local letters failed=0
  for letters in a-g h-r s-z; do
    mkdir "$3/$letters" 2>/dev/null || continue
    "$1" -m pytest -q -p no:cacheprovider -o tmp_path_retention_policy=failed python/tests/"$2"/test_[$letters]*.py || failed=1
  done
  return "$failed"
}
# stage NAME: what follows belongs to it. At the end the time of each is printed, also after a failure.
stage_names=() stage_starts=() finished=0 torch=""
stage() {
  stage_names+=("$*")
  stage_starts+=("$SECONDS")
  printf '\n== %s (%d s so far)\n' "$*" "$((SECONDS - start))"
}
stage_times() {
  local status=$? i end
  [ -z "$torch" ] || kill -- "-$torch" 2>/dev/null || true
  [ "${#stage_names[@]}" -gt 0 ] || return 0
  printf '\n%7s  stage\n' seconds
  for i in "${!stage_names[@]}"; do
    end=${stage_starts[i + 1]:-$SECONDS}
    printf '%7d  %s' "$((end - stage_starts[i]))" "${stage_names[i]}"
    if [ "$status" != 0 ] && [ "$finished" = 0 ] && [ -z "${stage_starts[i + 1]:-}" ]; then printf ' (failed here)'; fi
    printf '\n'
  done
  printf '%7d  in all\n' "$((SECONDS - start))"
}
trap stage_times EXIT

# begin_torch: PyTorch's environment is made beside what follows: for most of the time that takes it keeps one core busy, or none.
# It is a job with a process group of its own, which ends with this script.
begin_torch() {
  torch_said=$(mktemp)
  set -m
  make_env torch scripts/requirements-torch.txt "about 6.2 GB on disk, most of it PyTorch with its CUDA libraries" 3.12 3.13 3.11 3.10 >"$torch_said" 2>&1 </dev/null &
  torch=$!
  set +m
}
# need_torch waits for it.
need_torch() {
  local made=0 shown
  tail -n +1 -f "$torch_said" &
  shown=$!
  wait "$torch" || made=1
  torch=""
  sleep 1 # the last lines
  kill "$shown" 2>/dev/null || true
  rm -f "$torch_said"
  return "$made"
}

stage "environment"
need_go
begin_torch
need_browser
make_env api scripts/requirements-api.txt "about 85 MB" 3.12 3.13 3.11 3.10
need_shells
export VIGIL_TEST_PYTHON="$PWD/build/env/torch/bin/python"
export VIGIL_TEST_OLD_PYTHONS="$(old_pythons)"
echo "Pythons below 3.8 for the tests that nothing breaks there: ${VIGIL_TEST_OLD_PYTHONS:-none found}"
[ "$only_env$first_hour$rest" = 000 ] || need_torch
[ "$only_env" = 1 ] && exit 0

if [ "$first_hour" = 1 ]; then
  stage "the first hour"
  go run ./e2e/firsthour
  exit 0
fi

# The tests store raw tensors also where the disk is nearly full.
export VIGIL_MIN_FREE=1GB

# One compute thread, so that tests beside each other do not fight for cores.
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1

if [ "$rest" = 0 ]; then
  stage "go vet"
  go vet ./...

  stage "lint"
  unformatted=$(gofmt -l $(go list -f '{{.Dir}}' ./...))
  [ -z "$unformatted" ] || { echo "test.sh: gofmt would change: $unformatted" >&2; exit 1; }
  need_golangci_lint 2.15.0
  "$GOLANGCI_LINT" run --max-issues-per-linter=0 --max-same-issues=0 ./...

  stage "other platforms build"
  scripts/build-platforms.sh

  stage "PyTorch, ruff"
  need_torch
  need_ruff 0.17.5 "$VIGIL_TEST_PYTHON"
  "$RUFF" check --no-cache python scripts

  stage "go test -race"
  packages=$(go list ./... | grep -v -e '/docs$' -e '/e2e$' -e '/e2e/ui$' -e '/testenv/words$')
  # Some packages mostly wait, for agents and trainings: one more than there are cores runs at a time. go vet has been.
  # shellcheck disable=SC2086 # one word a package
  go test -vet=off -race -timeout 25m -p "$(($(getconf _NPROCESSORS_ONLN) + 1))" $packages
  # Long computations in one goroutine, of which the race detector saw few cases above.
  go test -vet=off -timeout 25m -run 'TestCrashes|TestEveryByteIsCovered|TestRestartsChangeNothing' ./internal/trial ./internal/agent
  go test -vet=off ./internal/testenv/words
  # These build the program in a process of their own, which Go's cache of test results does not know. Trainings and their
  # agents wait now and then, so one test more than there are cores runs at a time.
  go test -vet=off -race -timeout 25m -count=1 -parallel "$(($(getconf _NPROCESSORS_ONLN) + 1))" ./docs ./e2e
  # Page, program and browser keep the cores busy by themselves; requests are generated for a minute meanwhile.
  go test -vet=off -race -timeout 25m -count=1 ./e2e/ui

  stage "fuzzing, 10 s for each format"
  scripts/fuzz.sh 10s formats

  stage "Python tests"
  python_tests "$VIGIL_TEST_PYTHON" torch xgboost trainers

  stage "default diagnosis on 60 programs"
  go run ./bench/accuracy -python "$VIGIL_TEST_PYTHON" -warm -seeds 1 -list bench/accuracy/short.txt \
    -compare bench/accuracy/testdata/answers.jsonl.gz -out build/short-accuracy.md
fi

not_tested=""
if [ "$long" = 1 ]; then
  export VIGIL_TEST_LONG=1
  for old in 2.1 1.13; do
    stage "PyTorch $old"
    case "$old" in
      2.1) versions="3.10 3.9 3.11 3.8" ;;
      1.13) versions="3.8 3.9 3.10 3.11" ;;
    esac
    # shellcheck disable=SC2086 # one word a version
    if make_env "torch-$old" "scripts/requirements-torch-$old.txt" "about 4 GB on disk" $versions; then
      # XGBoost, the trainers, Jupyter and the build tool of packages are in the newest environment alone, and so are loss scalers for the CPU
      # and columns of calls (Python 3.11).
      VIGIL_TEST_WITHOUT=xgboost,trainers,scaler,columns,jupyter,hatchling VIGIL_TEST_PYTHON="$PWD/build/env/torch-$old/bin/python" go test -timeout 40m -count=1 ./e2e
      python_tests "$PWD/build/env/torch-$old/bin/python" torch
    else
      not_tested="$not_tested${not_tested:+$'\n'}PyTorch $old NOT tested: its environment could not be made, see above"
      echo "$not_tested" | tail -1 >&2
    fi
  done
  stage "properties, with cases drawn anew"
  # shellcheck disable=SC2046 # one word a package
  go test -timeout 40m -count=1 $(grep -rl --include='*_test.go' pgregory.net/rapid internal | xargs -n1 dirname | sort -u | sed 's|^|./|') -rapid.checks=1000
  stage "crash schedules, every byte changed"
  go test -timeout 60m -count=1 -run 'Crashes|EveryByte' ./internal/trial
  stage "kill loops"
  go test -timeout 60m -count=1 -run 'Kill' ./e2e
  stage "pictures of the dashboard"
  go test -timeout 20m -count=1 ./e2e/golden
  stage "fuzzing"
  scripts/fuzz.sh "${VIGIL_FUZZ_TIME:-60s}"
fi

finished=1
if [ -n "$not_tested" ]; then
  printf '\n%s\nall other tests passed in %d s\n' "$not_tested" "$((SECONDS - start))" >&2
  exit 1
fi
printf '\nall tests passed in %d s\n' "$((SECONDS - start))"
