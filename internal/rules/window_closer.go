package rules

import (
	"maps"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// LateBound is how long a window waits for who is late.
const LateBound = 30 * time.Second

// WindowCloser decides when a window of time is closed: when the rows of every
// host and worker that is there have passed its end; or when its end lies
// LateBound behind the clock or behind the newest row. Who is further behind than
// that, because it is silent or slow, holds up no window.
//
// Windows leave it in the order of their indices. Each has the rows that came
// before it closed and end before it does, of each source in the order in which
// they came; a row that comes later is in the next one. A span of time of which
// nothing came has no window.
type WindowCloser struct {
	start   time.Time
	there   map[record.RowSource]bool // hosts, as sources of samples, and workers, as sources of step times
	last    map[record.RowSource]time.Time
	newest  time.Time
	waiting map[record.RowSource][]record.Row
	next    int64
	rows    record.Rows // in the windows so far
}

// NewWindowCloser makes a closer of the windows of a run that started at a time.
func NewWindowCloser(start time.Time) *WindowCloser {
	if start.IsZero() {
		start = time.Unix(0, 0).UTC()
	}
	return &WindowCloser{
		start: start.Round(0), there: map[record.RowSource]bool{},
		last: map[record.RowSource]time.Time{}, waiting: map[record.RowSource][]record.Row{}, rows: record.Rows{},
	}
}

// Worker announces a worker whose step times are to be waited for.
func (c *WindowCloser) Worker(name string) {
	c.come(record.RowSource{Kind: record.TimeRows, Name: name})
}

// Host announces a host whose samples are to be waited for.
func (c *WindowCloser) Host(name string) {
	c.come(record.RowSource{Kind: record.SampleRows, Name: name})
}

// come says that a source is there. What was before it came is not waited for.
func (c *WindowCloser) come(s record.RowSource) {
	if !c.there[s] && c.newest.After(c.last[s]) {
		c.last[s] = c.newest
	}
	c.there[s] = true
}

// WorkerGone says that nothing more comes of a worker, and gives the windows that
// waited for nobody else.
func (c *WindowCloser) WorkerGone(name string) []*record.Window {
	c.there[record.RowSource{Kind: record.TimeRows, Name: name}] = false
	return c.Close(time.Time{})
}

// HostGone says that a host samples no more, and gives the windows that waited for
// nobody else.
func (c *WindowCloser) HostGone(name string) []*record.Window {
	c.there[record.RowSource{Kind: record.SampleRows, Name: name}] = false
	return c.Close(time.Time{})
}

// From goes on where a cursor says that another closer was. The rows after those
// of the cursor are to be put.
func (c *WindowCloser) From(at record.Cursor) {
	c.next, c.rows = at.Window, at.Rows.Clone()
	c.sampled(at.Rows)
}

// sampled takes hosts of which there are samples to be there.
func (c *WindowCloser) sampled(rows record.Rows) {
	for s := range rows {
		if _, known := c.there[s]; s.Kind == record.SampleRows && !known {
			c.there[s] = true
		}
	}
}

// Resume says that a window was handed out before a restart.
func (c *WindowCloser) Resume(w *record.Window) {
	if w.Index < c.next {
		return
	}
	c.next = w.Index + 1
	c.rows.Add(w.Rows)
	c.sampled(w.Rows)
}

// Mark tells a cursor how far the windows are.
func (c *WindowCloser) Mark(at *record.Cursor) { at.Window, at.Rows = c.next, c.rows.Clone() }

// Put takes rows of one source, in the order in which they are stored. It closes
// nothing. Who was not announced is there from its first row on.
func (c *WindowCloser) Put(s record.RowSource, rows ...record.Row) {
	if len(rows) == 0 {
		return
	}
	c.waiting[s] = append(c.waiting[s], rows...)
	if s.Kind != record.SampleRows && s.Kind != record.TimeRows {
		return // an event may come before step times that end before it
	}
	if _, known := c.there[s]; !known || s.Kind == record.SampleRows { // a worker that has gone leaves rows behind
		c.there[s] = true
	}
	for _, r := range rows {
		if at := r.At(); at.After(c.last[s]) {
			c.last[s] = at
		}
	}
	if c.last[s].After(c.newest) {
		c.newest = c.last[s]
	}
}

// Samples takes what hosts sampled and gives the windows that are closed by it.
func (c *WindowCloser) Samples(list ...record.Sample) []*record.Window {
	for i := range list {
		c.Put(record.RowSource{Kind: record.SampleRows, Name: list[i].Host}, record.Row{Sample: &list[i]})
	}
	return c.Close(time.Time{})
}

// Times takes step times and events that are stored with a worker and gives the
// windows that are closed by them.
func (c *WindowCloser) Times(worker string, times []record.StepTime, events []record.Event) []*record.Window {
	c.PutTimes(worker, times, events)
	return c.Close(time.Time{})
}

// PutTimes is Put for step times and events that are stored with a worker.
func (c *WindowCloser) PutTimes(worker string, times []record.StepTime, events []record.Event) {
	for i := range times {
		c.Put(record.RowSource{Kind: record.TimeRows, Name: worker}, record.Row{Time: &times[i]})
	}
	for i := range events {
		c.Put(record.RowSource{Kind: record.EventRows, Name: worker}, record.Row{Event: &events[i]})
	}
}

// Close gives the windows that are closed at a time of the clock; the zero time:
// by what has come alone.
func (c *WindowCloser) Close(now time.Time) (out []*record.Window) {
	if c.newest.After(now) {
		now = c.newest
	}
	late := c.before(now.Add(-LateBound))
	passed := c.before(c.newest)
	for s, there := range c.there {
		if !there {
			continue
		}
		if reached := c.before(c.last[s]); reached >= late {
			passed = min(passed, reached)
		}
	}
	for {
		n, any := c.earliest()
		if !any || n >= max(passed, late) {
			return out
		}
		out = append(out, c.take(n, c.missing(n)))
	}
}

// End gives all that is left, at the end of the job; the last window ends with
// its last row.
func (c *WindowCloser) End() (out []*record.Window) {
	for {
		n, any := c.earliest()
		if !any {
			return out
		}
		w := c.take(n, nil)
		if last := latestRow(w); len(c.waiting) == 0 && last.After(w.From) && last.Before(w.To) {
			w.To = last
		}
		out = append(out, w)
	}
}

// latestRow is when the last row of a window ends.
func latestRow(w *record.Window) (t time.Time) {
	take := func(at time.Time) {
		if at.After(t) {
			t = at
		}
	}
	for i := range w.Samples {
		take(w.Samples[i].Time)
	}
	for i := range w.Times {
		take(w.Times[i].End)
	}
	for i := range w.Events {
		take(w.Events[i].End)
	}
	return t
}

// maxWindows is more windows than a clock that is not broken makes of a job.
const maxWindows = 1 << 28

// before is how many windows end no later than a time; it is the index of the
// window that a row of this time belongs to, too.
func (c *WindowCloser) before(t time.Time) int64 {
	return min(record.WindowAt(t.Sub(c.start)), maxWindows)
}

func (c *WindowCloser) end(n int64) time.Time {
	return c.start.Add(record.WindowBegins(n + 1))
}

// earliest is the first window that has rows, among those to come.
func (c *WindowCloser) earliest() (n int64, any bool) {
	for _, rows := range c.waiting {
		if at := c.before(rows[0].At()); !any || at < n {
			n, any = at, true
		}
	}
	return max(n, c.next), any
}

// take makes a window of the rows before its end.
func (c *WindowCloser) take(n int64, late []string) *record.Window {
	rows := map[record.RowSource][]record.Row{}
	for s, list := range c.waiting {
		k := slices.IndexFunc(list, func(r record.Row) bool { return c.before(r.At()) > n })
		switch k {
		case 0:
			continue
		case -1:
			rows[s] = list
			delete(c.waiting, s)
		default:
			rows[s] = list[:k:k]
			c.waiting[s] = slices.Clone(list[k:])
		}
	}
	w := record.NewWindow(n, c.end(n-1), c.end(n), late, rows)
	c.Resume(w)
	return w
}

// missing are the hosts and workers that are still to come to the end of a window.
func (c *WindowCloser) missing(n int64) (list []string) {
	for s, there := range maps.All(c.there) {
		if there && c.before(c.last[s]) <= n {
			list = append(list, s.Name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
