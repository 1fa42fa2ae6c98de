package agent

import (
	"os"

	"github.com/vigil-ml/vigil/internal/record"
)

// ImportedSuffix is what a process adds to the path of the socket to name the
// file that it makes when it imports a framework.
const ImportedSuffix = ".imported"

// unused tells that a run is of no use to anybody: its command ended well and no
// process of it imported a framework, or gave values without one. What ended
// otherwise, what went on from an earlier run, one that was asked to keep the output,
// and one that was given a name, is kept.
func (r *running) unused(e Ended, coded bool) bool {
	j := r.job
	asked := j.set.Config.KeepOutput
	if !coded || e.Status != record.Completed || e.ExitCode != 0 || j.set.Resume != nil || asked != nil && *asked || j.set.Config.Name != "" {
		return false
	}
	if _, err := os.Stat(j.set.Socket + ImportedSuffix); !os.IsNotExist(err) {
		return false
	}
	_, seen, _ := j.live()
	j.mu.Lock()
	sessions := len(j.sessions)
	j.mu.Unlock()
	j.cmu.Lock()
	said := j.untrained
	j.cmu.Unlock()
	return seen == 0 && sessions == 0 && said == untrained{} && len(j.stepCounts()) == 0
}
