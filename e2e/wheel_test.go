package e2e

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
)

// The wheel installs into an environment that has nothing, brings the program
// and the package, and captures a training there.
func TestWheel(t *testing.T) {
	t.Parallel()
	root, dir, dist := testenv.Root(), t.TempDir(), t.TempDir()
	build := exec.Command("bash", filepath.Join(root, "scripts", "build-wheel.sh"), runtime.GOARCH, dist)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build wheel: %v\n%s", err, out)
	}
	wheels, err := filepath.Glob(filepath.Join(dist, "*.whl"))
	if err != nil || len(wheels) != 1 {
		t.Fatalf("the build left %v, %v; want one wheel", wheels, err)
	}
	m := regexp.MustCompile(`^vigil_ml-([^-]+)-py3-none-manylinux[^-]*\.whl$`).FindStringSubmatch(filepath.Base(wheels[0]))
	if m == nil {
		t.Fatalf("the wheel is called %q", filepath.Base(wheels[0]))
	}
	version := m[1]
	if text := read(t, filepath.Join(root, "python", "vigil", "_version.py")); !strings.Contains(text, `"`+version+`"`) {
		t.Errorf("the wheel has version %q, the package says %s", version, text)
	}

	env := filepath.Join(dir, "env")
	for _, argv := range [][]string{
		{testenv.Python(t), "-m", "venv", env},
		{filepath.Join(env, "bin", "python"), "-m", "pip", "install", "-q", "--no-index", "--no-deps", wheels[0]},
	} {
		if o := run(t, dir, nil, argv...); o.code != 0 {
			t.Fatalf("%v ended with %d: %s%s", argv, o.code, o.stdout, o.stderr)
		}
	}
	vigil := filepath.Join(env, "bin", "vigil")
	if o := run(t, dir, nil, vigil, "version"); o.code != 0 || !strings.HasPrefix(o.stdout, "vigil "+version+" ") {
		t.Fatalf("version ended with %d, want version %q: %s%s", o.code, version, o.stdout, o.stderr)
	}
	for inside, source := range map[string]string{"LICENSE": "LICENSE", "uPlot.LICENSE": "internal/report/page/vendor/uPlot.LICENSE"} {
		found, err := filepath.Glob(filepath.Join(env, "lib", "python*", "site-packages", "vigil", "licenses", inside))
		if err != nil || len(found) != 1 || read(t, found[0]) != read(t, filepath.Join(root, source)) {
			t.Errorf("%s is installed as %v, %v; want one copy", source, found, err)
		}
	}
	// The program's modules are named, each with its licence.
	found, err := filepath.Glob(filepath.Join(env, "lib", "python*", "site-packages", "vigil", "licenses", "THIRD_PARTY_LICENSES"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the licences of modules are installed as %v, %v", found, err)
	}
	inside := read(t, found[0])
	for _, module := range []string{"github.com/alecthomas/kong ", "golang.org/x/sys ", "\nGo go1."} {
		if !strings.Contains(inside, module) {
			t.Errorf("the licences lack %q", module)
		}
	}
	script := "import vigil\nfor i in range(30):\n    vigil.log({'loss': 1.0 / (i + 1)}, step=i)\n"
	o := run(t, dir, nil, vigil, "run", "--name", "r", "--", filepath.Join(env, "bin", "python"), "-c", script)
	if o.code != 0 {
		t.Fatalf("run ended with %d: %s", o.code, o.stderr)
	}
	// What to try next names the program as it was called, not where it lies in the package.
	if !strings.Contains(o.stderr, " "+vigil+" ") || strings.Contains(o.stderr, "site-packages") {
		t.Errorf("the summary names the program otherwise than %s: %s", vigil, o.stderr)
	}
	r := open(t, filepath.Join(dir, "vigil-runs", "r")).Run()
	if r.Status != record.Completed || r.Steps["GLOBAL"] != 30 {
		t.Errorf("status %q, steps %v", r.Status, r.Steps)
	}
	if o := run(t, dir, nil, vigil, "run", "--quiet", "--name", "torch", "--", testenv.Python(t), filepath.Join(root, "e2e", "scripts", "mlp.py")); o.code != 0 {
		t.Fatalf("run with PyTorch ended with %d: %s", o.code, o.stderr)
	}
	if r := open(t, filepath.Join(dir, "vigil-runs", "torch")).Run(); r.Steps["TRAIN"] < 20 {
		t.Errorf("steps %v", r.Steps)
	}
}
