# The stages of ./test.sh. Each is a function; scripts/stages.sh runs them.

# PyTorch's environment is made next to others: for most of the time that takes it keeps one core busy, or none.
stage_torch() {
  make_env torch scripts/requirements-torch.txt "about 6.2 GB on disk, most of it PyTorch with its CUDA libraries" 3.12 3.13 3.11 3.10
}

# What is soon there, and the linter, whose build takes longest.
stage_tools() {
  need_browser
  make_env api scripts/requirements-api.txt "about 85 MB" 3.12 3.13 3.11 3.10
  need_shells
  need_golangci_lint 2.15.0
}

# golangci-lint runs go vet's analyzers, too, but drops what they find in assembly.
stage_lint() {
  local unformatted assembly
  unformatted=$(gofmt -l $(go list -f '{{.Dir}}' ./...))
  [ -z "$unformatted" ] || {
    echo "test.sh: gofmt would change: $unformatted" >&2
    return 1
  }
  wait_for tools
  need_golangci_lint 2.15.0
  "$GOLANGCI_LINT" run --max-issues-per-linter=0 --max-same-issues=0 ./...
  assembly=$(go list -f '{{if .SFiles}}{{.ImportPath}}{{end}}' ./...)
  # shellcheck disable=SC2086 # one word a package
  go vet -asmdecl -buildtag -directive -framepointer $assembly
}

stage_platforms() {
  go test -vet=off -count=1 -v ./internal/testenv/platforms
}

# Packages in which nothing is shared between goroutines; and long computations in one goroutine, of which the race detector sees few cases.
stage_go() {
  local packages
  packages=$(go run ./internal/testenv/racy others | grep -v '/testenv/platforms$')
  # shellcheck disable=SC2046,SC2086 # one word a package
  go build $(go list -f '{{if .GoFiles}}{{.ImportPath}}{{end}}' $packages)
  wait_for tools
  wait_for torch # some read with Python what they wrote
  # shellcheck disable=SC2086
  go test -vet=off -timeout 25m $packages
  # shellcheck disable=SC2046
  go test -vet=off -timeout 25m $(go run ./internal/testenv/racy less)
}

# The other packages. What they need is compiled before there is a PyTorch. Some packages mostly wait, for agents and trainings.
stage_race() {
  local packages
  packages=$(go run ./internal/testenv/racy | grep -v -e '/docs$' -e '/e2e$' -e '/e2e/ui$')
  export CGO_ENABLED=1 # the race detector needs it
  # shellcheck disable=SC2046,SC2086 # one word a package
  go build -race $(go list -f '{{if .GoFiles}}{{.ImportPath}}{{end}}' $packages)
  wait_for tools
  wait_for torch
  # shellcheck disable=SC2086
  go test -vet=off -race -timeout 25m -p 2 $packages
}

# These build the program in a process of their own, which Go's cache of test results does not know. Trainings and their agents
# wait now and then, so two tests run at a time, next to another stage.
stage_e2e() {
  wait_for tools
  wait_for torch
  CGO_ENABLED=1 go test -vet=off -race -timeout 40m -count=1 -parallel 2 ./e2e
}

stage_docs() {
  wait_for tools
  wait_for torch
  CGO_ENABLED=1 go test -vet=off -race -timeout 40m -count=1 ./docs
}

stage_ui() {
  wait_for tools
  wait_for torch
  CGO_ENABLED=1 go test -vet=off -race -timeout 40m -count=1 ./e2e/ui
}

# pytest_with PYTHON TEST...: a process for each hook, because their tests have files of one name.
pytest_with() {
  local python=$1
  shift
  "$python" -m pytest -q -p no:cacheprovider -o tmp_path_retention_policy=failed "$@"
}

stage_python_torch() {
  wait_for tools
  wait_for torch
  pytest_with "$VIGIL_TEST_PYTHON" python/tests/torch
}

stage_python() {
  wait_for tools
  wait_for torch
  need_ruff 0.17.5 "$VIGIL_TEST_PYTHON"
  "$RUFF" check --no-cache python scripts
  pytest_with "$VIGIL_TEST_PYTHON" --ignore=python/tests/torch --ignore=python/tests/xgboost --ignore=python/tests/trainers python/tests
  pytest_with "$VIGIL_TEST_PYTHON" python/tests/xgboost
  pytest_with "$VIGIL_TEST_PYTHON" python/tests/trainers
}

stage_accuracy() {
  wait_for tools
  wait_for torch
  go run ./bench/accuracy -python "$VIGIL_TEST_PYTHON" -warm -seeds 1 -list bench/accuracy/short.txt \
    -compare bench/accuracy/testdata/answers.jsonl.gz -out build/short-accuracy.md
}
