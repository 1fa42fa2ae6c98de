package launch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPythonPath(t *testing.T) {
	ours := []string{"/b", "/l"}
	for user, want := range map[string]string{
		"":     "/b:/l",
		"/u":   "/b:/l:/u",
		":":    "/b:/l::",
		"/u::": "/b:/l:/u::",
	} {
		if got := pythonPath(ours, user); got != want {
			t.Errorf("pythonPath(%q) = %q, want %q", user, got, want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	user := []string{"A=1", "VIGIL_SOCKET=/old", "PYTHONPATH=/first", "PYTHONPATH=/u", "B=x=y"}
	o := &Options{Agent: []string{"/bin/vigil", "agent"}, PythonPath: []string{"/b", "/l"}}
	o.Settings.Config.Strict = true
	got := training(user, o, "/s", "/runs/r", "id")
	want := []string{
		"A=1", "B=x=y", "VIGIL_SOCKET=/s", "VIGIL_RUN=/runs/r", "VIGIL_LAUNCH=id", "VIGIL_BIN=/bin/vigil", "VIGIL_STRICT=1", "PYTHONPATH=/b:/l:/u",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("environment of the training (-want +got):\n%s", d)
	}
	for _, c := range []struct {
		user, want string
		off        bool
	}{{"", "", false}, {"", "0", true}, {"1", "0", true}, {"0", "1", false}} {
		for _, name := range []string{"VIGIL_LOOK", "VIGIL_SOURCE"} {
			env := []string{"A=1"}
			if c.user != "" {
				env = append(env, name+"="+c.user)
			}
			o := &Options{}
			o.Settings.Config.NoLook, o.Settings.Config.NoSource = c.off && name == "VIGIL_LOOK", c.off && name == "VIGIL_SOURCE"
			if got := Getenv(training(env, o, "/s", "/r", "id"), name); got != c.want {
				t.Errorf("%s=%q, off by a flag %v: the training gets %q, want %q", name, c.user, c.off, got, c.want)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name string, mode os.FileMode) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("one/there", 0o644)
	write("two/there", 0o755)
	write("one/refused", 0o644)
	write("here.py", 0o644)
	t.Setenv("PATH", filepath.Join(dir, "one")+":"+filepath.Join(dir, "two"))
	for _, c := range []struct {
		name, path string
		code       int
		hint       string
	}{
		{"there", filepath.Join(dir, "two/there"), 0, ""},
		{"two/there", "two/there", 0, ""},
		{"refused", "", 126, "chmod +x"},
		{"one/there", "", 126, "chmod +x"},
		{"./one", "", 126, ""},
		{"nowhere", "", 127, "virtual environment"},
		{"./nowhere", "", 127, ""},
		{"here.py", "", 127, "vigil run -- python here.py"},
		{"", "", 127, ""},
	} {
		path, err := Lookup(c.name)
		var s *StartError
		code := 0
		if errors.As(err, &s) {
			code = s.Code
			if !strings.Contains(s.Hint, c.hint) {
				t.Errorf("Lookup(%q): hint %q, want %q in it", c.name, s.Hint, c.hint)
			}
		}
		if path != c.path || code != c.code {
			t.Errorf("Lookup(%q) = %q, %v; want %q and code %d", c.name, path, err, c.path, c.code)
		}
	}
}
