package agent

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
)

// untrained is what processes that could have trained, and were not seen to,
// said when they ended: the first of each.
type untrained struct {
	seen  string // what was seen instead, one sentence
	error string // the exception that ended one
	lacks string // which framework the Python of one had not, where that ended it
}

// setUntrained keeps what such a process says.
func (j *job) setUntrained(seen, exception string, lacks bool) {
	j.cmu.Lock()
	defer j.cmu.Unlock()
	if lacks && j.untrained.lacks == "" {
		j.untrained.lacks = cut(seen, 300)
	}
	if j.untrained.seen == "" && exception == "" {
		j.untrained.seen = cut(seen, 300)
	}
	if j.untrained.error == "" {
		j.untrained.error = cut(exception, 100)
	}
}

// noSteps says why a run is empty.
func (j *job) noSteps(e Ended, coded bool) {
	_, connected, _ := j.live()
	j.cmu.Lock()
	u := j.untrained
	j.cmu.Unlock()
	j.missing("everything", u.why(e, coded, connected > 0), 1)
}

// why is one sentence on a run without a step. What a job that went wrong did
// not do is no fault of its own: how it ended is said, and nothing of what was
// not seen until then. connected: a worker had begun to train.
func (u untrained) why(e Ended, coded, connected bool) string {
	before := " before a training was seen"
	if connected {
		before = " before the end of the first step was seen"
	}
	failed := !coded || e.ExitCode != 0
	switch {
	case e.Status == record.Stopped:
		return "the job was stopped" + before
	case e.Status != record.Completed && failed && u.lacks != "":
		return u.lacks
	case e.Status != record.Completed && failed && u.error != "":
		return fmt.Sprintf("the script ended with an error (%s)", u.error) + before
	case e.Status == record.Failed && coded:
		return fmt.Sprintf("the command ended with exit code %d", e.ExitCode) + before
	case u.seen != "":
		return u.seen
	case u.error != "":
		return fmt.Sprintf("a process of the job ended with an error (%s)", u.error) + before
	case e.Status != record.Completed:
		return "the job ended, it is unknown how," + before
	case connected:
		return "a process started to train, but no complete update of its weights and no complete evaluation was seen"
	}
	return "no training in a supported framework was seen"
}
