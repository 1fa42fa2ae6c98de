package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Windows of time are short at first, since many trainings are tried for a minute.
const (
	WindowLength      = 10 * time.Second
	FirstWindowLength = 2 * time.Second // of those that begin
	FirstWindows      = 2 * time.Minute // so early in the run
)

// firstWindows is how many windows are short.
const firstWindows = int64(FirstWindows / FirstWindowLength)

// WindowAt is the index of the window that a time after the beginning of a run is in.
func WindowAt(since time.Duration) int64 {
	if since < FirstWindows {
		return max(0, int64(since/FirstWindowLength))
	}
	return firstWindows + int64((since-FirstWindows)/WindowLength)
}

// WindowBegins is how long after the beginning of a run a window begins.
func WindowBegins(index int64) time.Duration {
	if index < firstWindows {
		return time.Duration(index) * FirstWindowLength
	}
	return FirstWindows + time.Duration(index-firstWindows)*WindowLength
}

// Window is a closed span of a job's time, with all that was stored of it when
// it closed. What came later is in the window that was open then.
type Window struct {
	Index    int64 // from 0 at the start of the run; a span of which nothing came is left out
	From, To time.Time

	Samples []Sample   // of all hosts, by host, then time; values by name
	Times   []StepTime // of all workers, by worker, then time
	Events  []Event    // by their end
	// Late names the hosts and workers that were still to come when it closed.
	Late []string
	// Rows is how many rows of each source it has.
	Rows Rows
}

// NewWindow makes a window of rows by source, each in the order stored.
func NewWindow(index int64, from, to time.Time, late []string, rows map[RowSource][]Row) *Window {
	w := &Window{Index: index, From: from, To: to, Late: late, Rows: Rows{}}
	for _, s := range sortedSources(rows) {
		for _, r := range rows[s] {
			switch {
			case r.Sample != nil:
				w.Samples = append(w.Samples, r.Sample.sorted())
			case r.Time != nil:
				w.Times = append(w.Times, *r.Time)
			case r.Event != nil:
				w.Events = append(w.Events, *r.Event)
			}
		}
		if n := len(rows[s]); n > 0 {
			w.Rows[s] = int64(n)
		}
	}
	slices.SortStableFunc(w.Events, func(a, b Event) int { return a.End.Compare(b.End) })
	return w
}

// sorted is the sample with its values by name: what is stored by column forgets
// their order.
func (s *Sample) sorted() Sample {
	c := *s
	byName := func(a, b Scalar) int { return strings.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(c.Values, byName) {
		c.Values = slices.Clone(c.Values)
		slices.SortStableFunc(c.Values, byName)
	}
	return c
}

// Row is one row of a source of windows: exactly one of these.
type Row struct {
	Sample *Sample
	Time   *StepTime
	Event  *Event
}

// At is the instant by which a row belongs to a window: the end of what it tells.
func (r Row) At() time.Time {
	switch {
	case r.Sample != nil:
		return r.Sample.Time
	case r.Time != nil:
		return r.Time.End
	case r.Event != nil:
		return r.Event.End
	}
	return time.Time{}
}

// RowSource is where rows of windows come from: what a host samples, the step
// times or the events that are stored with a worker, or events that are stored with
// a host. Its rows are taken in the order in which they are stored.
type RowSource struct {
	Kind RowKind
	Name string // of the host or worker
}

// RowKind is a kind of rows.
type RowKind uint8

// Kinds of rows.
const (
	SampleRows RowKind = iota
	TimeRows
	EventRows
	HostEventRows
	RowKinds
)

var rowKinds = [RowKinds]string{"samples", "times", "events", "host_events"}

// String is such as "samples/host".
func (s RowSource) String() string {
	kind := "unknown"
	if s.Kind < RowKinds {
		kind = rowKinds[s.Kind]
	}
	return kind + "/" + s.Name
}

// MarshalText spells it as String does.
func (s RowSource) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText takes back what MarshalText gave.
func (s *RowSource) UnmarshalText(b []byte) error {
	kind, name, _ := strings.Cut(string(b), "/")
	k := slices.Index(rowKinds[:], kind)
	if k < 0 {
		return fmt.Errorf("read the name of a source: %.100q is none", b)
	}
	*s = RowSource{RowKind(k), name}
	return nil
}

// Rows counts rows by source.
type Rows map[RowSource]int64

// Add adds others.
func (r Rows) Add(others Rows) {
	for s, n := range others {
		r[s] += n
	}
}

// Clone is a copy; never nil.
func (r Rows) Clone() Rows {
	c := Rows{}
	maps.Copy(c, r)
	return c
}

// Sources are the sources in their order: by kind, then name.
func (r Rows) Sources() []RowSource { return sortedSources(r) }

func sortedSources[V any](m map[RowSource]V) []RowSource {
	return slices.SortedFunc(maps.Keys(m), func(a, b RowSource) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
}
