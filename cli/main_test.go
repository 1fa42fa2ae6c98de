package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// raceOptions keep the program from sleeping for a second at its end, as it does when
// it was built with the race detector.
const raceOptions = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", raceOptions); err != nil {
		panic(err)
	}
	if filepath.Base(os.Args[0]) != "vigil" { // as which the test binary is the program itself
		testenv.DefaultSignals()
	}
	testscript.Main(m, map[string]func(){"vigil": func() { Main() }})
}

// TestScript runs the scripts in testdata/script against this program, which
// they call by its name. $PYTHON is an interpreter, $EXAMPLES the directory of the examples, $OLD_RUNS an archive of
// runs that an earlier version wrote; `code N COMMAND…` runs a
// command that must end with exit code N.
func TestScript(t *testing.T) {
	python := testenv.Python(t)
	cache := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Vars = append(testenv.Environ(e.Vars), "PYTHON="+python, "EXAMPLES="+filepath.Join(testenv.Root(), "examples"), "OLD_RUNS="+filepath.Join(testenv.Root(), "cli", "testdata", "runs-a11050b.tar.gz"), "XDG_CACHE_HOME="+cache, "GORACE="+raceOptions, "PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code},
	})
}

func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var ended *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	default:
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%q ended with exit code %d, want %d", args[1:], got, want)
	}
}

// vigil is the program as the scripts see it.
func vigil(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("vigil")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// cleanEnv is this environment without Vigil's variables.
func cleanEnv(t *testing.T) []string {
	t.Helper()
	return append(testenv.Environ(nil, "XDG_CACHE_HOME="), "XDG_CACHE_HOME="+t.TempDir(), "PYTHONUNBUFFERED=1")
}
