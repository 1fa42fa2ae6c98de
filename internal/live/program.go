package live

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Program is how this program is called from the user's shell: by its name
// where the shell finds it, else as it was started.
var Program = sync.OnceValue(func() string {
	self, err := os.Executable()
	if err != nil {
		return "vigil"
	}
	found, err := exec.LookPath("vigil")
	if err != nil {
		found = ""
	}
	return called(os.Args[0], self, found)
})

// called is the name for a program that lies at self, was started as arg0, and
// for which the shell would find what lies at found (empty: nothing).
func called(arg0, self, found string) string {
	// A Python environment has a script of the program's name that starts it in its place.
	script := filepath.IsAbs(arg0) && filepath.Base(arg0) == "vigil" && same(arg0, arg0)
	switch {
	case found != "" && (same(found, self) || script && same(found, arg0)):
		return "vigil"
	case strings.Contains(self, string(filepath.Separator)+"go-build"):
		return "go run ./cmd/vigil" // started by go run, which removes the program afterwards
	case script || same(arg0, self):
		return arg0
	}
	return self
}

// same reports whether two paths name one file.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
