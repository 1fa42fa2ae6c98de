// Package timeline lays what is known of a run on one axis of time: phases of
// the job, steps and their parts of every worker, what the machines did, windows
// of detail and findings. The form is Chrome's trace events, which Perfetto
// opens.
package timeline

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Run is what a timeline is made of.
type Run struct {
	record.Run
	Workers  []string // whose steps are shown, the chief first
	Metrics  source.Metrics
	Findings []record.Finding
	// Details are the stored details of single steps by worker, ascending by
	// time.
	Details map[string][]Detail
	Stacks  []Stacks
}

// Detail is a stored piece of single steps in detail.
type Detail struct {
	Bytes int64 // that it takes on disk
	Read  func() ([]record.Interval, error)
}

// Options bound a timeline.
type Options struct {
	// Rows are the most steps, or groups of steps, that are shown of all workers
	// together; Values the most figures of machine metrics; Detail the most bytes
	// of stored detail that are taken; Events the most events of a kind. What is
	// beyond is thinned out over the whole time. 0 is a bound that keeps the file
	// below 50 MB.
	Rows, Values, Events int
	Detail               int64
}

// The bounds of a file of 50 MB; the test of its size looks after them.
const (
	mostRows   = 230_000
	mostValues = 1_400_000
	mostDetail = 18 << 20
	mostEvents = 20_000
)

// Result is what was written.
type Result struct {
	Events int64    // trace events
	Steps  int64    // slices of steps or of groups of steps
	Notes  []string // what was left out or taken together, in sentences
}

// ErrNothing is that a run has neither times nor machine metrics.
var ErrNothing = errors.New("the run has no times")

// Write writes the timeline of a run as JSON.
func Write(w io.Writer, run Run, o Options) (Result, error) {
	o.Rows, o.Values = bound(o.Rows, mostRows), bound(o.Values, mostValues)
	o.Events, o.Detail = bound(o.Events, mostEvents), bound(o.Detail, mostDetail)
	events, err := run.Metrics.Events(time.Time{}, time.Time{})
	if err != nil {
		return Result{}, fmt.Errorf("read events: %w", err)
	}
	zero, something, err := beginning(&run, events)
	if err != nil {
		return Result{}, err
	}
	if !something {
		return Result{}, ErrNothing
	}
	b := builder{run: &run, o: o, out: newWriter(w, zero)}
	b.out.head(run.Name, zero)
	b.job(events)
	for i, worker := range run.Workers {
		b.worker(firstWorker+i, worker, events)
	}
	for i, host := range run.Metrics.Hosts() {
		b.host(firstHost+i, host, events)
	}
	b.out.tail(b.result.Notes)
	b.result.Events = b.out.n
	if b.err == nil {
		b.err = b.out.err
	}
	return b.result, b.err
}

func bound[N int | int64](given, otherwise N) N {
	if given > 0 {
		return given
	}
	return otherwise
}

// Numbers of processes and threads.
const (
	jobProcess  = 1
	firstWorker = 10
	firstHost   = 100_000

	stepThread    = 1
	loneThread    = 2 // single steps of rows of several
	findingThread = 1
	laneThreads   = 10 // and on: what happens seldom
)

// builder writes the parts of a timeline one after another.
type builder struct {
	run    *Run
	o      Options
	out    *writer
	result Result
	err    error
}

func (b *builder) note(format string, args ...any) {
	b.result.Notes = append(b.result.Notes, fmt.Sprintf(format, args...))
}

func (b *builder) fail(err error) {
	if b.err == nil && err != nil {
		b.err = err
	}
}

// errEnough ends a reading that has seen what it wants.
var errEnough = errors.New("enough")

// beginning is the first moment of anything that is shown.
func beginning(run *Run, events []record.Event) (zero time.Time, something bool, err error) {
	zero = run.Started
	earlier := func(t time.Time) {
		something = true
		if !t.IsZero() && (zero.IsZero() || t.Before(zero)) {
			zero = t
		}
	}
	for i := range events {
		earlier(events[i].Start)
	}
	for _, worker := range run.Workers {
		err := run.Metrics.Times(worker, time.Time{}, time.Time{}, func(row *record.StepTime) error {
			earlier(row.Start)
			return errEnough
		})
		if err != nil && !errors.Is(err, errEnough) {
			return zero, false, fmt.Errorf("read step times of %q: %w", worker, err)
		}
		something = something || len(run.Details[worker]) > 0
	}
	for _, host := range run.Metrics.Hosts() {
		err := run.Metrics.Samples(host, time.Time{}, time.Time{}, func(s *record.Sample) error {
			earlier(s.Time)
			return errEnough
		})
		if err != nil && !errors.Is(err, errEnough) {
			return zero, false, fmt.Errorf("read machine metrics of %q: %w", host, err)
		}
	}
	return zero, something, nil
}

// job writes what is of the job as a whole: its phases and the findings.
func (b *builder) job(events []record.Event) {
	name := "job " + b.run.Name
	if len(b.run.Command) > 0 {
		name = strings.Join(b.run.Command, " ")
	}
	b.out.process(jobProcess, name, 0)
	b.findings()
	chief := b.run.ChiefName()
	phases := slices.DeleteFunc(slices.Clone(events), func(e record.Event) bool {
		return e.Kind != record.PhaseEvent || e.Worker != chief && e.Worker != "" || e.Host != ""
	})
	b.lanes(jobProcess, phases)
}

// worker writes the steps of a worker and what else it did.
func (b *builder) worker(pid int, worker string, events []record.Event) {
	name := worker
	for _, w := range b.run.Run.Workers {
		if w.Name == worker {
			if w.World > 1 {
				name += fmt.Sprintf(", rank %d of %d", w.Rank, w.World)
			}
			if w.Host != "" {
				name += " on " + w.Host
			}
		}
	}
	b.out.process(pid, name, pid)
	b.steps(pid, worker)
	b.stacks(pid, worker)
	chief := b.run.ChiefName()
	b.lanes(pid, slices.DeleteFunc(slices.Clone(events), func(e record.Event) bool {
		return e.Worker != worker || e.Host != "" || worker == chief && e.Kind == record.PhaseEvent
	}))
}

// host writes the machine metrics of a host and what happened to it.
func (b *builder) host(pid int, host string, events []record.Event) {
	b.out.process(pid, "machine "+host, pid)
	gaps := b.samples(pid, host)
	own := slices.DeleteFunc(slices.Clone(events), func(e record.Event) bool { return e.Host != host || e.Worker != "" })
	b.lanes(pid, append(gaps, own...))
}
