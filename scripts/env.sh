# Functions that make what the tests need. Sourced by test.sh.

need_go() {
  if ! command -v go >/dev/null; then
    echo "test.sh: no Go on the PATH; install Go 1.26 or later (https://go.dev/dl)" >&2
    exit 1
  fi
  echo "Go: $(go version | cut -d' ' -f3-4)"
}

# find_python VERSION...: the first interpreter of one of these versions.
find_python() {
  local v p
  for v in "$@"; do
    for p in "$(command -v "python$v" || true)" "$HOME"/.pyenv/versions/"$v".*/bin/python /opt/python/"$v"/bin/python; do
      if [ -n "$p" ] && [ -x "$p" ] && "$p" -c "import sys, venv; sys.exit(sys.version_info[:2] != tuple(map(int, '$v'.split('.'))))" 2>/dev/null; then
        echo "$p"
        return 0
      fi
    done
  done
  return 1
}

# make_env NAME REQUIREMENTS SIZE VERSION...: build/env/NAME with the pinned packages, made with the first of
# these versions of Python that is found, or that uv can get. Returns 1, and leaves no stamp, where any part
# fails (every command says so itself: errexit is off in a function called by "if").
make_env() {
  local name=$1 req=$2 size=$3 dir="build/env/$1" python="" stamp v
  shift 3
  stamp="$dir/.installed"
  if [ -f "$stamp" ] && cmp -s "$req" "$stamp"; then
    echo "Python: $dir is there ($("$dir/bin/python" -V), $(grep -m1 '^torch' "$req")); nothing to install"
    return 0
  fi
  rm -rf "$dir" || return 1
  if python=$(find_python "$@"); then
    echo "Python: installing into $dir with $("$python" -V) ($python): $size"
  elif command -v uv >/dev/null; then
    echo "Python: none of version $* found; asking uv for one, then installing into $dir: $size"
  else
    echo "test.sh: no Python of version $* found for $req; install one of them, or uv, which can get one" >&2
    return 1
  fi
  grep -v '^#' "$req" | sed 's/^/  /'
  if command -v uv >/dev/null; then
    [ -n "$python" ] && set -- "$python"
    for v in "$@"; do
      uv venv -q -p "$v" "$dir" && break
    done
    if [ ! -x "$dir/bin/python" ]; then
      echo "test.sh: no environment for $req could be made with Python $*" >&2
      return 1
    fi
    uv pip install -p "$dir/bin/python" -r "$req" || return 1
  else
    echo "(uv is not on the PATH; pip does it too, slower)"
    "$python" -m venv "$dir" || return 1
    # Without a second copy of each file in pip's cache, some 3 GB.
    "$dir/bin/python" -m pip install --no-cache-dir --no-compile --progress-bar on -r "$req" || return 1
  fi
  case "$name" in
    # Compiled once, also where PYTHONDONTWRITEBYTECODE is set: otherwise each of some thousand processes spends seconds on it.
    # Models of Hugging Face and packages' own tests are left out: they are many, and hardly one is imported.
    torch*) "$dir/bin/python" -m compileall -q -j 2 -x '/(tests?|models|testing/_internal)/' "$dir"/lib/python*/site-packages || echo "Python: not everything in $dir could be compiled" ;;
  esac
  cp "$req" "$stamp" || return 1
}

# need_ruff VERSION PYTHON: build/tools/ruff-VERSION/bin/ruff, installed with that Python where it is not there.
need_ruff() {
  local version=$1 python=$2 dir="build/tools/ruff-$1"
  RUFF="$dir/bin/ruff"
  if [ "$("$RUFF" --version 2>/dev/null || true)" = "ruff $version" ]; then
    echo "ruff: $version is there ($dir)"
    return 0
  fi
  echo "ruff: installing $version into $dir (about 35 MB)"
  rm -rf "$dir"
  if command -v uv >/dev/null; then
    uv venv -q -p "$python" "$dir"
    uv pip install -q -p "$dir/bin/python" "ruff==$version"
  else
    "$python" -m venv "$dir"
    "$dir/bin/python" -m pip install -q --no-cache-dir "ruff==$version"
  fi
}

# need_golangci_lint VERSION: build/tools/golangci-lint-VERSION-GO/golangci-lint, built where it is not there. It reads what the
# Go release reads that built it, so each release has its own.
need_golangci_lint() {
  local version=$1 go dir
  go=$(go env GOVERSION)
  dir="$PWD/build/tools/golangci-lint-$version-$go"
  GOLANGCI_LINT="$dir/golangci-lint"
  export GOLANGCI_LINT_CACHE="$PWD/build/golangci-lint-cache"
  if [ -x "$GOLANGCI_LINT" ]; then
    echo "golangci-lint: $version, built with $go, is there ($dir)"
    return 0
  fi
  echo "golangci-lint: building $version with $go into $dir (some 90 s, 60 MB)"
  GOBIN="$dir" GOFLAGS='' go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$version"
}

# need_browser: Chromium, for the tests that look at the HTML report.
need_browser() {
  local b
  for b in chromium chromium-browser google-chrome; do
    if command -v "$b" >/dev/null; then
      export VIGIL_TEST_BROWSER="${VIGIL_TEST_BROWSER:-$(command -v "$b")}"
      echo "browser: $VIGIL_TEST_BROWSER"
      return 0
    fi
  done
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "browser: installing Debian's chromium (about 500 MB with what it needs) for the tests of the HTML report"
    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null
    export VIGIL_TEST_BROWSER=$(command -v chromium)
    return 0
  fi
  echo "test.sh: no Chromium found; the tests of the HTML report open it in a real browser. Install 'chromium' and run again." >&2
  exit 1
}

# old_pythons: interpreters below 3.8, colon-separated: nothing is captured there, and one line says so.
old_pythons() {
  local v p list=""
  for v in 2.7 3.6 3.7; do
    for p in "$(command -v "python$v" || true)" "$HOME"/.pyenv/versions/"$v".*/bin/python; do
      if [ -n "$p" ] && [ -x "$p" ] && "$p" -c pass 2>/dev/null; then
        list="$list${list:+:}$p"
        break
      fi
    done
  done
  echo "$list"
}

# need_shells: zsh and fish, in which completion is tested; bash is there. Without them, and without the right to install them,
# their tests are skipped.
need_shells() {
  local missing=() shell
  for shell in zsh fish; do
    command -v "$shell" >/dev/null || missing+=("$shell")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "shells: installing ${missing[*]} for the tests of completion"
    apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null && return 0
  fi
  echo "shells: completion is not tested in ${missing[*]}"
}
