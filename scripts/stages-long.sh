# The stages of ./test.sh --long. Each is a function; scripts/stages.sh runs them.

# old_torch VERSION PYTHON...: all tests of hooks and trainings with an old PyTorch and the first of these Pythons that is there.
# XGBoost, the trainers, Jupyter and the build tool of packages are in the newest environment alone, and so are loss scalers for the CPU
# and columns of calls (Python 3.11).
old_torch() {
  local version=$1
  shift
  make_env "torch-$version" "scripts/requirements-torch-$version.txt" "about 4 GB on disk" "$@"
  export VIGIL_TEST_PYTHON="$PWD/build/env/torch-$version/bin/python"
  export VIGIL_TEST_WITHOUT=xgboost,trainers,scaler,columns,jupyter,hatchling
  # All rounds of kills are made with the newest, and a release has no PyTorch.
  go test -vet=off -timeout 40m -count=1 -run '^TestKillLoop$' ./e2e
  export VIGIL_TEST_LONG=1
  go test -vet=off -timeout 60m -count=1 -parallel 2 -skip '^(TestKillLoop|TestRelease)$' ./e2e
  pytest_with "$VIGIL_TEST_PYTHON" --ignore=python/tests/torch --ignore=python/tests/xgboost --ignore=python/tests/trainers python/tests
  pytest_with "$VIGIL_TEST_PYTHON" python/tests/torch
}

stage_torch_2_1() { old_torch 2.1 3.10 3.9 3.11 3.8; }

stage_torch_1_13() { old_torch 1.13 3.8 3.9 3.10 3.11; }

# long_test: go test with what only the long mode does.
long_test() {
  wait_for torch
  VIGIL_TEST_LONG=1 go test -vet=off -timeout 60m -count=1 "$@"
}

# Packages in which nothing is shared, with the race detector all the same.
stage_race_others() {
  local packages
  packages=$(go run ./internal/testenv/racy others | grep -v '/testenv/')
  wait_for tools
  # shellcheck disable=SC2086 # one word a package
  CGO_ENABLED=1 go test -vet=off -race -timeout 60m $packages
}

# All files of a release: the programs are built for each platform, the package from its source.
stage_release() { long_test -run 'TestRelease|TestSourceDistribution' ./e2e; }

# Properties, with cases that are drawn again.
stage_properties() {
  local packages
  packages=$(grep -rl --include='*_test.go' pgregory.net/rapid internal | xargs -n1 dirname | sort -u | sed 's|^|./|')
  # shellcheck disable=SC2086 # one word a package
  long_test $packages -rapid.checks=1000
}

# 10 000 schedules of crashes; every byte of a run is changed.
stage_crashes() { long_test -run 'Crashes|EveryByte' ./internal/trial; }

stage_kills() { long_test -run 'Kill' ./e2e; }

# Trainings of many kinds leave the same output, files and weights with Vigil as without.
stage_alike() { long_test -run 'TestScripts' ./bench/alike; }

# A parameter and a tensor of two gigabytes; all faults in trainings; devices.
stage_large() {
  long_test -run 'TestParameterOfTwoGigabytes|TestTensorOf2GB|TestFaultsWhileTraining' ./e2e
  VIGIL_TEST_LONG=1 pytest_with "$VIGIL_TEST_PYTHON" python/tests/torch/test_device.py
}

# Generated requests, for a minute.
stage_requests() {
  wait_for tools
  long_test -run 'TestGeneratedRequests' ./e2e/ui
}

# The dashboard's pictures in the documentation.
stage_pictures() {
  wait_for tools
  long_test ./e2e/golden
}

stage_fuzz() { scripts/fuzz.sh "${VIGIL_FUZZ_TIME:-60s}"; }
