package testenv

import (
	"fmt"
	"os"
	"os/exec"
)

// Build builds the program at path, as it is released: without cgo, and so out
// of what the build for this platform has compiled already.
func Build(path string) error {
	cmd := exec.Command("go", "build", "-o", path, "./cmd/vigil")
	cmd.Dir, cmd.Env = Root(), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build vigil: %w\n%s", err, out)
	}
	return nil
}
