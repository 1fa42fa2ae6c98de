package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// A module of somebody else's builds vigil with a rule of their own; the rule
// finds something live, later on the stored run, and can be read by the
// ordinary program.
func TestProgramWithARuleOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := testenv.Root()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"main.go", "large_bias.go"} {
		src, err := os.ReadFile(filepath.Join(root, "examples", "go-rule", name))
		if err != nil {
			t.Fatal(err)
		}
		write(name, string(src))
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	others := strings.Replace(string(mod), "module github.com/vigil-ml/vigil", "module example.com/mine", 1)
	write("go.mod", others+fmt.Sprintf("\nrequire github.com/vigil-ml/vigil v0.0.0\n\nreplace github.com/vigil-ml/vigil => %s\n", root))
	write("go.sum", string(sum))
	mine := filepath.Join(dir, "my-vigil")
	build := exec.Command("go", "build", "-mod=mod", "-o", mine, ".")
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}

	if o := run(t, dir, nil, mine, "version"); o.code != 0 || !strings.HasPrefix(o.stdout, "vigil v0.0.0 ") {
		t.Errorf("version is that of the program, not of the module: %+v", o)
	}
	if o := run(t, dir, nil, mine, "rules", "describe", "large_bias"); o.code != 0 || !strings.Contains(o.stdout, "A bias has become large.") {
		t.Errorf("describe: %+v", o)
	}
	if o := run(t, dir, nil, mine, "run", "--rule", "large_bias:treshold=1", "--", "true"); o.code != 125 || !strings.Contains(o.stderr, `"threshold"`) {
		t.Errorf("a wrong parameter: %+v", o)
	}
	o := run(t, dir, nil, mine, "run", "--dir", filepath.Join(dir, "runs"), "--rule", "large_bias:threshold=1e-6", "--", testenv.Python(t), script("mlp"))
	if o.code != 0 {
		t.Fatalf("run: %+v", o)
	}
	path := runDir(t, filepath.Join(dir, "runs"))
	found := findingsOf(t, run(t, dir, nil, binary, "findings", path, "--json").stdout)
	if !strings.Contains(found, `"rule":"large_bias"`) {
		t.Errorf("the rule found nothing: %s", found)
	}
	again := run(t, dir, nil, mine, "check", path, "--json", "--fail-on", "never")
	if a := findingsOf(t, again.stdout); a != found {
		t.Errorf("check finds something else:\nlive:  %s\ncheck: %s", found, a)
	}
	if o := run(t, dir, nil, binary, "check", path, "--rule", "large_bias"); o.code != 1 || !strings.Contains(o.stderr, `"large_bias" is unknown`) {
		t.Errorf("the ordinary program: %+v", o)
	}
}
