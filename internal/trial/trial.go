// Package trial reads a run, live or finished, without loading what is not
// asked for. A damaged piece is named and left out; the rest stays readable.
package trial

import (
	"context"
	"encoding/json"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Trial is one run, open for reading. Its methods may be called from several
// goroutines, and while the run is written. Each answers from what is stored
// when it is called.
type Trial struct{}

// Open opens the run in a directory. A directory that holds no run is an
// error; a damaged run is not.
func Open(path string) (*Trial, error) { return OpenFS(vfs.OS, path) }

// OpenFS is Open on another file system.
func OpenFS(fsys vfs.FS, path string) (*Trial, error) { panic("soon") }

// Path is the run's directory.
func (t *Trial) Path() string { panic("soon") }

// Run is run.json, with status Lost when it claims to run although its
// processes are gone on this host.
func (t *Trial) Run() record.Run { panic("soon") }

// Workers names the workers that stored anything, the chief first, the others
// sorted.
func (t *Trial) Workers() []string { panic("soon") }

// Chief is the worker whose values stand for the run when none is named.
func (t *Trial) Chief() string { panic("soon") }

// Modes are those in which there are steps.
func (t *Trial) Modes() []record.Mode { panic("soon") }

// Steps are the mode steps stored by any worker, ascending.
func (t *Trial) Steps(mode record.Mode) []int64 { panic("soon") }

// StepInfo is a step without its values.
type StepInfo struct {
	Worker   string
	Step     int64 // global step
	Mode     record.Mode
	ModeStep int64
	Time     time.Time
	Seconds  float64
	Overhead float64 // seconds
	Skipped  bool
	Raw      []string
}

// StepInfos are the steps of one worker (empty: the chief) in a mode, in the
// order in which they were stored.
func (t *Trial) StepInfos(mode record.Mode, worker string) []StepInfo { panic("soon") }

// Tensors is what was announced, by all workers together, in the order of the
// model, then by name; and the names of series that nobody announced.
func (t *Trial) Tensors() []record.TensorInfo { panic("soon") }

// Query selects values. Steps are mode steps.
type Query struct {
	Tensor string
	// Stat: "" or "value" for a scalar; min, max, mean, std, variance, l1, l2,
	// sum, abs_mean, abs_max, zeros, nan, inf, posinf, neginf, count of a
	// tensor; or the key of a derived number as Stats names it.
	Stat   string
	Mode   record.Mode
	Worker string // empty: the chief's, or the first worker that has any
	From   int64
	To     int64 // exclusive; 0: no end
}

// Series are the values of one statistic, ascending by step; of several
// values at one step the last stored one counts.
func (t *Trial) Series(q Query) (steps []int64, values []float64, err error) { panic("soon") }

// StatNames are the values of Query.Stat that have values for a tensor.
func (t *Trial) StatNames(name string) []string { panic("soon") }

// StatsRow are the statistics of one tensor at one step.
type StatsRow struct {
	Worker   string
	Step     int64
	ModeStep int64
	Time     time.Time
	tensor.Stats
}

// Stats are the statistics of a tensor, histograms included, ascending by
// step. Query.Stat does not matter.
func (t *Trial) Stats(q Query) ([]StatsRow, error) { panic("soon") }

// RawSteps are the mode steps at which raw values of a tensor are stored.
func (t *Trial) RawSteps(name string, mode record.Mode, worker string) []int64 { panic("soon") }

// Raw reads the values of one tensor at one mode step. The view is the
// caller's. fs.ErrNotExist when the values are not stored.
func (t *Trial) Raw(name string, mode record.Mode, step int64, worker string) (tensor.View, error) {
	panic("soon")
}

// Replay hands over the complete steps exactly as the live evaluator saw them:
// the same parts in the same order of decisions. An error of fn ends it.
func (t *Trial) Replay(fn func(*record.Complete) error) error { panic("soon") }

// Undecided hands over the stored parts that no decision on a complete step
// names: steps that were under way when the evaluator ended, and parts that
// came too late for theirs. A new evaluator goes on with them.
func (t *Trial) Undecided(fn func(*record.Step) error) error { panic("soon") }

// Follow is Replay that goes on until the run has ended or ctx is done.
func (t *Trial) Follow(ctx context.Context, fn func(*record.Complete) error) error { panic("soon") }

// Findings are all findings, muted ones included, by time.
func (t *Trial) Findings() []record.Finding { panic("soon") }

// Groups is findings/summary.json.
func (t *Trial) Groups() []record.Group { panic("soon") }

// Statuses is where each rule configuration stands.
func (t *Trial) Statuses() []record.RuleStatus { panic("soon") }

// Actions are the action attempts as they were stored.
func (t *Trial) Actions() []json.RawMessage { panic("soon") }

// Damage names a file, or a part of it, that is not what was written.
type Damage struct {
	File   string `json:"file"` // relative to the run
	Reason string `json:"reason"`
}

// Damage is what was found damaged so far: each read checks what it touches.
func (t *Trial) Damage() []Damage { panic("soon") }

// Verify reads every byte of the run and returns all damage.
func (t *Trial) Verify(ctx context.Context) ([]Damage, error) { panic("soon") }

// Close releases what the trial holds open.
func (t *Trial) Close() error { panic("soon") }
