// Package environment makes the Python environments that benchmarks with peers
// need, the way the test command makes its own.
package environment

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The environments of the peers; the first two have one PyTorch: the newest there is for
// the Python of smdebug, whose old protobuf wandb does not go with.
const (
	Original = "peer-smdebug"
	Trackers = "peer-trackers"
	Monitors = "peer-monitor" // without PyTorch
	// Profilers has the tools that say where the time of a training goes.
	Profilers = "peer-profilers"
	// TensorBoard is alone, without PyTorch.
	TensorBoard = "peer-tensorboard"
)

var versions = map[string]string{Original: "3.10", Trackers: "3.12 3.13 3.11", Profilers: "3.12 3.13 3.11", Monitors: "3.12 3.13 3.11", TensorBoard: "3.12 3.13 3.11"}

// Interpreter is the environment's Python, seen from the repository's root.
func Interpreter(name string) string { return filepath.Join("build", "env", name, "bin", "python") }

// Make makes the environment, where it is missing, in the repository's root,
// which is the working directory.
func Make(name string) error {
	size := "about 5 GB on disk"
	if name == Monitors || name == TensorBoard {
		size = "about 100 MB on disk"
	}
	script := fmt.Sprintf(". scripts/env.sh; make_env %s scripts/requirements-%s.txt '%s' %s", name, name, size, versions[name])
	cmd := exec.Command("bash", "-c", script)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("make the environment %q: %w", name, err)
	}
	return nil
}
