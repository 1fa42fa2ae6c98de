package record

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// RunFormat is the version of the run's layout on disk.
const RunFormat = 1

// Statuses of a run. Ended and Lost are for runs of which nobody knows the exit
// code, because who would have taken it was killed: the training came to an end
// of its own, or its processes vanished. A reader says Lost, too, of a run that
// claims to be running although its processes are gone.
const (
	Running   = "running"
	Completed = "completed"
	Failed    = "failed"
	Stopped   = "stopped"
	Ended     = "ended"
	Lost      = "lost"
)

// Run is run.json.
type Run struct {
	Format      int              `json:"format"`
	Name        string           `json:"name"`
	Command     []string         `json:"command"`   // without values of names that sound like a secret
	Directory   string           `json:"directory"` // working directory of the command
	Framework   Framework        `json:"framework"`
	Host        string           `json:"host"`
	Started     time.Time        `json:"started"`
	Ended       *time.Time       `json:"ended"`
	Status      string           `json:"status"`
	ExitCode    *int             `json:"exit_code"`
	StoppedBy   string           `json:"stopped_by"`
	Exception   string           `json:"exception,omitempty"`     // last line of what the first process to end with one raised
	OutOfMemory bool             `json:"out_of_memory,omitempty"` // the kernel killed the command for lack of memory
	Workers     []Worker         `json:"workers"`
	Steps       map[string]int64 `json:"steps"` // by mode: number of steps seen
	Overhead    Overhead         `json:"overhead"`
	Time        *RunTime         `json:"time,omitempty"` // where the time went, as far as it was seen
	Dropped     map[string]int64 `json:"dropped"`
	NotCaptured []NotCaptured    `json:"not_captured,omitempty"`
	Facts       json.RawMessage  `json:"facts,omitempty"` // model, loss, optimiser as the hook read them
	Said        string           `json:"said,omitempty"`  // the one line of what was understood
	Provenance  *Provenance      `json:"provenance,omitempty"`
	Profiler    json.RawMessage  `json:"profiler,omitempty"` // what a SageMaker request asked of profiling
	Plan        []PlanChange     `json:"plan"`
	Mutes       []Mute           `json:"mutes,omitempty"` // findings that do not count
	Launcher    *Process         `json:"launcher,omitempty"`
	Agent       *Process         `json:"agent,omitempty"`
	Control     string           `json:"control,omitempty"` // path of the agent's socket while it runs
	Vigil       string           `json:"vigil"`             // version that wrote the run
	Resumptions []Resumption     `json:"resumptions,omitempty"`

	// Tags and Note are not in run.json: a reader takes them from the file of the
	// run's Labels.
	Tags map[string]string `json:"tags,omitempty"`
	Note string            `json:"note,omitempty"`
}

// Over tells that the run is closed: nothing is added to it any more. A run
// that is lost because nobody was left to close it is not.
func (r Run) Over() bool {
	return r.Status != Running && (r.Status != Lost || r.Ended != nil)
}

// KnownFacts reads the facts of the run; nil when there are none.
func (r Run) KnownFacts() (*Facts, error) { return ParseFacts(r.Facts) }

// ChiefName is the worker that speaks for all workers: the one marked so. Until
// it is there it is the name that the first process of rank 0 will get.
func (r Run) ChiefName() string {
	for _, w := range r.Workers {
		if w.Chief {
			return w.Name
		}
	}
	return "worker_0"
}

// Mute keeps findings from counting: those of Rule (any spelling, or a
// configuration; empty: all) whose subject the Python regular expression Tensor
// is found in (empty: all).
type Mute struct {
	Rule   string `json:"rule,omitempty"`
	Tensor string `json:"tensor,omitempty"`
	Reason string `json:"reason"`
	// SymptomsCount: what follows from the findings still counts.
	SymptomsCount bool `json:"symptoms_count,omitempty"`
}

// Framework the training uses.
type Framework struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Worker is one writing process.
type Worker struct {
	Name  string `json:"name"` // "worker_0"
	Rank  int    `json:"rank"`
	World int    `json:"world"`
	Host  string `json:"host"`
	PID   int    `json:"pid"`
	Chief bool   `json:"chief"`
}

// Process names a process so that a reused pid is not mistaken for it.
type Process struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // start time in clock ticks since boot
}

// NotCaptured says what is missing and why.
type NotCaptured struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Count  int64  `json:"count"`
}

// MachineMetrics begins the name of what is not captured of the machine. What a
// machine does not have is no fault of the run: only who asks is told.
const MachineMetrics = "machine metrics: "

// OfTraining is what is not captured of the training: the list without what is
// about the machine.
func OfTraining(list []NotCaptured) []NotCaptured {
	return slices.DeleteFunc(slices.Clone(list), func(n NotCaptured) bool { return strings.HasPrefix(n.Name, MachineMetrics) })
}

// OfMachine is what is not captured of the machine, by the names of its series.
func OfMachine(list []NotCaptured) []NotCaptured {
	out := []NotCaptured{}
	for _, n := range list {
		if name, is := strings.CutPrefix(n.Name, MachineMetrics); is {
			out = append(out, NotCaptured{name, n.Reason, n.Count})
		}
	}
	return out
}

// PlanChange is one entry of the plan's history.
type PlanChange struct {
	Time time.Time       `json:"time"`
	Step int64           `json:"step"`
	Why  string          `json:"why"`
	Plan json.RawMessage `json:"plan"`
}
