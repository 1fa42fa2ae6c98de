// Package provenance finds out what a run was made of: the state of the code,
// the settings on the command line, the environment, the installed packages, the
// machine. Nothing of it can fail: what cannot be read is left out. Values of
// names that sound like a secret are taken out; docs/provenance.md says what is
// stored.
package provenance

import (
	"context"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// gitTime is how long the git program may take, in all.
const gitTime = 5 * time.Second

// Job is what was started.
type Job struct {
	Command   []string
	Script    string // the word of the command that names the script; empty: none does
	Directory string // in which it was started
	Environ   []string
	Diff      bool     // the diff of the code is wanted
	Without   []string // directories of which the diff says nothing
}

// Gather is what can be known of a job from outside, and the diff of its code.
// It takes some milliseconds, and at most a few seconds where git is slow.
func Gather(ctx context.Context, j Job) (record.Provenance, []byte) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	git, diff := Git(ctx, j.Directory, j.Diff, j.Without...)
	return record.Provenance{
		Git:             git,
		Hyperparameters: Hyperparameters(Redact(j.Command), j.Script),
		Environment:     Environment(j.Environ),
		Machine:         Machine(),
	}, diff
}
