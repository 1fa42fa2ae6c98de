// Package source is what a reader needs of a run, whatever format it is stored in.
// Package trial implements it for runs that Vigil wrote. Readers take a Run and
// know no files.
package source

import (
	"time"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Run is one run, open for reading. Its methods may be called from several
// goroutines, and while the run is written: each answers from what is stored when
// it is called. What a format does not hold is empty, not an error.
type Run interface {
	Description
	Values
	Steps
	Judgement
	Profiles

	// Damage is what was found damaged so far: each read checks what it touches.
	Damage() []Damage
	Close() error
}

// Description is what a run is and who wrote it.
type Description interface {
	// Path is where the run lies.
	Path() string
	// Run is what the run says of itself. Its status is Lost when it claims to
	// run although its processes are gone.
	Run() record.Run
	// Diff is what differed from the commit that Run().Provenance names, as a
	// unified diff; nil when nothing did or it is not stored.
	Diff() []byte
	// Workers names the workers that stored anything, the chief first, the others
	// sorted.
	Workers() []string
	// Chief is the worker whose values stand for the run when none is named; ""
	// when nothing is stored.
	Chief() string
}

// Values are the numbers and tensors of a run by name. Steps are mode steps.
type Values interface {
	// Announced is what was announced, by all workers together, in the order of
	// the model, then of announcement. Of a name that several workers announced
	// the chief's counts.
	Announced() []record.TensorInfo
	// Tensors is Announced, and the names of series that nobody announced, as
	// scalars, then the series by time: parts of steps and machine metrics.
	Tensors() []record.TensorInfo
	// StatNames are the values of Query.Stat that have values for a tensor.
	StatNames(name string) []string
	// Series are the values of one statistic, ascending by step. No value at all
	// is no error when the name is known; fs.ErrNotExist when the run has no such
	// name or statistic.
	Series(q Query) (steps []int64, values []float64, err error)
	// Stats are the statistics of a tensor, histograms included, ascending by
	// step. Query.Stat does not matter.
	Stats(q Query) ([]StatsRow, error)
	// Shapes are the shapes of a tensor at the steps at which there is something of
	// it, ascending; those of a scalar have no dimension. Query.Stat does not
	// matter. No value at all is no error; nil is a shape that is not known.
	Shapes(q Query) (steps []int64, shapes [][]int64, err error)
	// RawSteps are the steps at which raw values of a tensor are stored, by the
	// worker named or, when empty, by any.
	RawSteps(name string, mode record.Mode, worker string) []int64
	// Raw reads the values of one tensor at one step. fs.ErrNotExist when they
	// are not stored. An empty worker means the chief, or the first that has them.
	Raw(name string, mode record.Mode, step int64, worker string) (tensor.View, error)
}

// Steps are the steps of a run, in their order.
type Steps interface {
	// Modes are those in which there are steps.
	Modes() []record.Mode
	// Steps are the mode steps of a mode, over all workers, ascending.
	Steps(mode record.Mode) []int64
	// StepInfos are the steps of one worker (empty: the chief) in a mode, in the
	// order in which they were stored.
	StepInfos(mode record.Mode, worker string) []StepInfo
	// Replay hands over the complete steps exactly as the live evaluator saw them.
	// An error of fn ends it. fn must not change what it is given.
	Replay(fn func(*record.Complete) error) error
	// Decisions is Replay with the windows of time in their places among the steps;
	// window may be nil: then they are not read.
	Decisions(step func(*record.Complete) error, window func(*record.Window) error) error
	// RowsAfter hands over the stored rows that windows are made of, source after
	// source in the order stored, without as many of each as taken says.
	RowsAfter(taken record.Rows, fn func(record.RowSource, record.Row) error) error
	// Undecided hands over the stored parts that belong to no complete step, by
	// global step, then worker.
	Undecided(fn func(*record.Step) error) error
	// Tail begins at the first step.
	Tail() Tail
}

// Tail hands over complete steps as Replay does, those that were stored since the
// last call each time.
type Tail interface {
	// Next hands over the steps stored since the last call. After an error of fn
	// the step that it was given does not come again.
	Next(fn func(*record.Complete) error) error
	// Close forgets what is in memory.
	Close()
}

// Judgement is what the rules said while the run was live.
type Judgement interface {
	// Findings are all findings, muted ones included, by time.
	Findings() []record.Finding
	// Groups are the findings by root cause.
	Groups() []record.Group
	// Statuses is where each rule configuration stands.
	Statuses() []record.RuleStatus
	// Attempts is how each action stands: the last word on it.
	Attempts() []record.Attempt
}

// Profiles are the windows of detail of a run: for a while it was noted where the
// training stood.
type Profiles interface {
	// Windows are those that are stored, by number, then worker.
	Windows() []Window
	// Stacks reads one of them. fs.ErrNotExist when it is not stored.
	Stacks(w Window) (*stacks.Window, error)
}

// Window names one window of one worker.
type Window struct {
	Number int // within the run, from 1
	Worker string
}

// Query selects values. Steps are mode steps.
type Query struct {
	Tensor string
	// Stat: "" or "value" for a scalar; min, max, mean, std, variance, l1, l2,
	// sum, abs_mean, abs_max, zeros, nan, inf, posinf, neginf, count of a
	// tensor; or the key of a derived number as StatNames lists it.
	Stat   string
	Mode   record.Mode
	Worker string // empty: the chief's, or the first worker that has any
	From   int64
	To     int64 // exclusive; 0: no end
}

// Holds reports whether a query is about a step.
func (q *Query) Holds(mode record.Mode, step int64) bool {
	return mode == q.Mode && step >= q.From && (q.To == 0 || step < q.To)
}

// StatsRow are the statistics of one tensor at one step.
type StatsRow struct {
	Worker   string
	Step     int64
	ModeStep int64
	Time     time.Time
	tensor.Stats
}

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

// Damage names a file, or a part of it, that is not what was written.
type Damage struct {
	File   string `json:"file"` // relative to the run
	Reason string `json:"reason"`
}
