package live

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCalled(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	self, script, other := file("env/lib/vigil/bin/vigil"), file("env/bin/vigil"), file("other/vigil")
	built := file("go-build1/vigil")
	for name, tt := range map[string]struct{ arg0, self, found, want string }{
		"found by the shell":                  {"vigil", self, self, "vigil"},
		"not found by the shell":              {self, self, "", self},
		"another one is found":                {self, self, other, self},
		"name alone, not found":               {"vigil", self, "", self},
		"a script that the shell finds":       {script, self, script, "vigil"},
		"a script, of which nothing is found": {script, self, "", script},
		"a script, another one is found":      {script, self, other, script},
		"a script that is gone":               {script + "/vigil", self, "", self},
		"go run":                              {built, built, "", "go run ./cmd/vigil"},
	} {
		if got := called(tt.arg0, tt.self, tt.found); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
