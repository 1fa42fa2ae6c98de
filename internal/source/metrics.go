package source

import (
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// Metrics are a run's machine metrics, the parts of its steps and its events, by
// time. A time is an instant of the run's hosts; from is included, to is not, and
// the zero time is no bound.
type Metrics interface {
	// Hosts names the hosts that stored machine metrics, the run's own first.
	Hosts() []string
	// MetricNames are the machine's series of a host, sorted.
	MetricNames(host string) []string
	// Metric is one series of a host, ascending by time; fs.ErrNotExist when the
	// host has no such series.
	Metric(host, name string, from, to time.Time) (times []time.Time, values []float64, err error)
	// Samples hands over what a host stored, ascending by time. An error of fn
	// ends it. fn must not keep what it is given.
	Samples(host string, from, to time.Time, fn func(*record.Sample) error) error
	// Times hands over the step times of a worker (empty: the chief), likewise.
	Times(worker string, from, to time.Time, fn func(*record.StepTime) error) error
	// Events are those of all workers and hosts that overlap a span, by their
	// beginning.
	Events(from, to time.Time) ([]record.Event, error)
	// SpanOf is the time that steps of a mode took, the gap before the first one
	// included; ok is false when nothing is stored of them. An empty worker is
	// the chief.
	SpanOf(worker string, mode record.Mode, first, last int64) (from, to time.Time, ok bool)
}

// TimesByStep are a run's step times in parts, so that what is made of a part that
// does not change is made once.
type TimesByStep interface {
	// TimesParts are those of a worker (empty: the chief) in a mode that have rows
	// from a mode step on up to another one, which is not included (0: no end), in the
	// order stored.
	TimesParts(worker string, mode record.Mode, from, to int64) ([]TimesPart, error)
}

// TimesPart is a part of the step times of a worker in a mode.
type TimesPart struct {
	First, Last int64 // the least and the greatest mode step at which a row begins
	// Rows hands over the rows that begin in the range that was asked for, in the order
	// stored. fn must not keep what it is given.
	Rows func(fn func(*record.StepTime)) error
	// Once is what make gives of the rows. It is made once as long as there is room;
	// nil: more rows may come, or not all are in the range.
	Once func(make func() (any, error)) (any, error)
}

// OfTraining are the tensors and series without those by time.
func OfTraining(infos []record.TensorInfo) []record.TensorInfo {
	return slices.DeleteFunc(slices.Clone(infos), func(i record.TensorInfo) bool {
		return i.Kind == record.MachineMetric || i.Kind == record.PartTime
	})
}
