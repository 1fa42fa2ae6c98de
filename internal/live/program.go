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
	if found, err := exec.LookPath("vigil"); err == nil && same(found, self) {
		return "vigil"
	}
	if strings.Contains(self, string(filepath.Separator)+"go-build") {
		return "go run ./cmd/vigil" // started by go run, which removes the program afterwards
	}
	if len(os.Args) > 0 && same(os.Args[0], self) {
		return os.Args[0]
	}
	return self
})

// same tells whether two paths name one file.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
