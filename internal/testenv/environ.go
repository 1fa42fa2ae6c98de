package testenv

import (
	"os"
	"slices"
	"strings"
)

// minFree is the one variable of Vigil's that programs of a test keep, so that they
// store raw tensors on a disk that is nearly full, too.
const minFree = "VIGIL_MIN_FREE"

// firstPlan has the first step of a training wait longer for what it is to send, so that
// tests see the same on a busy machine.
const firstPlan = "VIGIL_FIRST_PLAN=20"

// Environ is env (nil: this process's) without what is Vigil's, where Python finds
// modules, and the variables that start with one of without.
func Environ(env []string, without ...string) []string {
	if env == nil {
		env = os.Environ()
	}
	kept := []string{minFree + "=" + os.Getenv(minFree), firstPlan}
	for _, e := range env {
		if !slices.ContainsFunc(append(without, "VIGIL", "PYTHONPATH="), func(start string) bool { return strings.HasPrefix(e, start) }) {
			kept = append(kept, e)
		}
	}
	return kept
}
