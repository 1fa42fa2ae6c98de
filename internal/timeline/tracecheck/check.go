// Package tracecheck holds Chrome trace-event files to more than the format asks
// for: to what a viewer needs to show all of it. Perfetto drops slices that
// overlap on one track, and shows tracks without a name under a number.
package tracecheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Counts are what a trace holds.
type Counts struct {
	Slices, Counters, Instants, Flows, Processes, Threads int
	Names                                                 map[string]int // slices by name
}

// most is how many faults are told.
const most = 20

// Check reads a trace. Its error joins what is wrong with it, at most 20 things,
// each with the number of the event.
func Check(r io.Reader) (Counts, error) {
	c := checker{
		tracks: map[track]*open{}, counters: map[series]int64{}, flows: map[string]*flow{},
		processes: map[int64]bool{}, threads: map[track]bool{}, used: map[track]int{}, usedProcess: map[int64]int{},
		counts: Counts{Names: map[string]int{}},
	}
	if err := c.read(r); err != nil {
		return c.counts, errors.Join(append(c.faults, err)...)
	}
	c.end()
	c.counts.Processes, c.counts.Threads = len(c.processes), len(c.threads)
	return c.counts, errors.Join(c.faults...)
}

type track struct{ pid, tid int64 }

type series struct {
	pid  int64
	name string
}

// open is what has begun on a track.
type open struct {
	last  int64 // where the last slice began
	ends  []int64
	begun []string   // by B
	spans [][2]int64 // that slices cover, where flows may be bound
}

// flow is one chain of arrows.
type flow struct {
	at    int64
	ended bool
	first int
}

// event is one trace event.
type event struct {
	Phase string          `json:"ph"`
	Name  string          `json:"name"`
	Cat   string          `json:"cat"`
	PID   *int64          `json:"pid"`
	TID   *int64          `json:"tid"`
	TS    json.Number     `json:"ts"`
	Dur   json.Number     `json:"dur"`
	Scope string          `json:"s"`
	ID    json.RawMessage `json:"id"`
	BP    string          `json:"bp"`
	Args  map[string]any  `json:"args"`
}

type checker struct {
	n           int // events read
	faults      []error
	tracks      map[track]*open
	counters    map[series]int64
	flows       map[string]*flow
	bound       []bound
	processes   map[int64]bool
	threads     map[track]bool
	used        map[track]int
	usedProcess map[int64]int
	counts      Counts
}

// bound is an end of a flow that needs a slice.
type bound struct {
	track track
	at    int64
	n     int
}

func (c *checker) fault(format string, args ...any) {
	if len(c.faults) < most {
		c.faults = append(c.faults, fmt.Errorf("event %d: "+format, append([]any{c.n}, args...)...))
	}
}

// read takes the object's events one by one: a trace may be larger than the
// memory for all of it.
func (c *checker) read(r io.Reader) error {
	d := json.NewDecoder(r)
	if err := delimiter(d, '{'); err != nil {
		return err
	}
	seen := false
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return fmt.Errorf("read trace: %w", err)
		}
		if key != "traceEvents" {
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return fmt.Errorf("read %v of the trace: %w", key, err)
			}
			continue
		}
		if seen {
			return errors.New("there are two traceEvents")
		}
		seen = true
		if err := delimiter(d, '['); err != nil {
			return err
		}
		for ; d.More(); c.n++ {
			var e event
			if err := d.Decode(&e); err != nil {
				return fmt.Errorf("event %d: %w", c.n, err)
			}
			c.event(&e)
		}
		if err := delimiter(d, ']'); err != nil {
			return err
		}
	}
	if err := delimiter(d, '}'); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the trace")
	}
	if !seen {
		return errors.New("there are no traceEvents")
	}
	return nil
}

func delimiter(d *json.Decoder, want json.Delim) error {
	got, err := d.Token()
	if err != nil {
		return fmt.Errorf("read trace: %w", err)
	}
	if got != want {
		return fmt.Errorf("read trace: %v stands where %v should", got, want)
	}
	return nil
}

// event checks one event.
func (c *checker) event(e *event) {
	if e.Name == "" && e.Phase != "E" {
		c.fault("it has no name")
		return
	}
	if e.PID == nil {
		c.fault("%q has no pid", e.Name)
		return
	}
	if e.Phase == "M" {
		c.metadata(e)
		return
	}
	at, err := nanoseconds(e.TS)
	if err != nil {
		c.fault("%q: ts: %v", e.Name, err)
		return
	}
	if _, there := c.usedProcess[*e.PID]; !there {
		c.usedProcess[*e.PID] = c.n
	}
	if e.Phase == "C" {
		c.counter(e, at)
		return
	}
	if e.TID == nil {
		c.fault("%q has no tid", e.Name)
		return
	}
	on := track{*e.PID, *e.TID}
	if _, there := c.used[on]; !there {
		c.used[on] = c.n
	}
	t := c.tracks[on]
	if t == nil {
		t = &open{last: math.MinInt64}
		c.tracks[on] = t
	}
	switch e.Phase {
	case "X":
		c.slice(e, t, at)
	case "B", "E":
		c.halves(e, t, at)
	case "i", "I":
		c.counts.Instants++
		if !slices.Contains([]string{"", "t", "p", "g"}, e.Scope) {
			c.fault("%q has the scope %q", e.Name, e.Scope)
		}
	case "s", "t", "f":
		c.flow(e, on, at)
	default:
		c.fault("%q has the phase %q", e.Name, e.Phase)
	}
}

// slice checks a complete event: it lies in the one that is open, or behind it.
func (c *checker) slice(e *event, t *open, at int64) {
	c.counts.Slices++
	c.counts.Names[e.Name]++
	length, err := nanoseconds(e.Dur)
	if err != nil || length < 0 {
		c.fault("%q: dur: %v", e.Name, cause(err, "it is below zero"))
		return
	}
	if at < t.last {
		c.fault("%q begins at %s, before the slice before it, which begins at %s", e.Name, micros(at), micros(t.last))
		return
	}
	t.last = at
	for len(t.ends) > 0 && t.ends[len(t.ends)-1] <= at {
		t.ends = t.ends[:len(t.ends)-1]
	}
	if n := len(t.ends); n > 0 && at+length > t.ends[n-1] {
		c.fault("%q from %s to %s overlaps a slice that ends at %s", e.Name, micros(at), micros(at+length), micros(t.ends[n-1]))
		return
	}
	if n := len(t.spans); len(t.ends) == 0 {
		if n > 0 && t.spans[n-1][1] == at {
			t.spans[n-1][1] = at + length
		} else {
			t.spans = append(t.spans, [2]int64{at, at + length})
		}
	}
	t.ends = append(t.ends, at+length)
}

// halves checks a slice in two events.
func (c *checker) halves(e *event, t *open, at int64) {
	if at < t.last {
		c.fault("%q is at %s, before the event before it", e.Name, micros(at))
		return
	}
	t.last = at
	if e.Phase == "B" {
		c.counts.Slices++
		c.counts.Names[e.Name]++
		t.begun = append(t.begun, e.Name)
		return
	}
	n := len(t.begun)
	switch {
	case n == 0:
		c.fault("%q ends and did not begin", e.Name)
	case e.Name != "" && t.begun[n-1] != e.Name:
		c.fault("%q ends while %q is open", e.Name, t.begun[n-1])
	default:
		t.begun = t.begun[:n-1]
	}
}

// counter checks a counter: numbers, ascending by time.
func (c *checker) counter(e *event, at int64) {
	c.counts.Counters++
	s := series{*e.PID, e.Name}
	if last, there := c.counters[s]; there && at < last {
		c.fault("counter %q is at %s, before its last value at %s", e.Name, micros(at), micros(last))
	}
	c.counters[s] = at
	if len(e.Args) == 0 {
		c.fault("counter %q has no value", e.Name)
	}
	for key, v := range e.Args {
		if _, number := v.(float64); !number {
			c.fault("counter %q: %q is not a number", e.Name, key)
		}
	}
}

// flow checks an arrow's end.
func (c *checker) flow(e *event, on track, at int64) {
	c.counts.Flows++
	if len(e.ID) == 0 {
		c.fault("flow %q has no id", e.Name)
		return
	}
	key := e.Cat + "\x00" + e.Name + "\x00" + string(e.ID)
	f := c.flows[key]
	switch {
	case e.Phase == "s" && f != nil && !f.ended:
		c.fault("flow %q %s begins twice", e.Name, e.ID)
		return
	case e.Phase == "s":
		c.flows[key] = &flow{at: at, first: c.n}
	case f == nil || f.ended:
		c.fault("flow %q %s goes on and has not begun", e.Name, e.ID)
		return
	case at < f.at:
		c.fault("flow %q %s goes back in time", e.Name, e.ID)
		return
	default:
		f.at, f.ended = at, e.Phase == "f"
	}
	if e.Phase != "f" || e.BP == "e" { // else it is bound to the next slice
		c.bound = append(c.bound, bound{on, at, c.n})
	}
}

// metadata checks names of processes and threads.
func (c *checker) metadata(e *event) {
	switch e.Name {
	case "process_name":
		if c.processes[*e.PID] {
			c.fault("process %d is named twice", *e.PID)
		}
		c.processes[*e.PID] = true
	case "thread_name":
		if e.TID == nil {
			c.fault("the name of a thread has no tid")
			return
		}
		on := track{*e.PID, *e.TID}
		if c.threads[on] {
			c.fault("thread %d of process %d is named twice", on.tid, on.pid)
		}
		c.threads[on] = true
	case "process_sort_index", "thread_sort_index", "process_labels":
		return
	default:
		c.fault("metadata %q is not known", e.Name)
		return
	}
	if name, _ := e.Args["name"].(string); strings.TrimSpace(name) == "" {
		c.fault("%q has no name", e.Name)
	}
}

// end checks what can only be seen at the end.
func (c *checker) end() {
	late := func(n int, format string, args ...any) {
		c.n = n
		c.fault(format, args...)
	}
	for _, pid := range sorted(c.usedProcess) {
		if !c.processes[pid] {
			late(c.usedProcess[pid], "process %d has no name", pid)
		}
	}
	for on, n := range c.used {
		if !c.threads[on] {
			late(n, "thread %d of process %d has no name", on.tid, on.pid)
		}
	}
	for on, t := range c.tracks {
		for _, name := range t.begun {
			late(c.used[on], "%q begins and does not end", name)
		}
	}
	for key, f := range c.flows {
		if !f.ended {
			late(f.first, "flow %q does not end", strings.Split(key, "\x00")[1])
		}
	}
	for _, b := range c.bound {
		in := func(s [2]int64) bool { return s[0] <= b.at && b.at <= s[1] }
		if t := c.tracks[b.track]; t == nil || !slices.ContainsFunc(t.spans, in) {
			late(b.n, "an end of a flow is in no slice")
		}
	}
}

func sorted(m map[int64]int) []int64 {
	var list []int64
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// nanoseconds reads a time in microseconds with at most three digits behind the
// point, exactly.
func nanoseconds(n json.Number) (int64, error) {
	whole, rest, _ := strings.Cut(n.String(), ".")
	if whole == "" {
		return 0, errors.New("there is none")
	}
	if len(rest) > 3 {
		return 0, fmt.Errorf("%s is finer than a nanosecond", n)
	}
	ns, err := strconv.ParseInt(whole+rest+strings.Repeat("0", 3-len(rest)), 10, 64)
	if err != nil || ns < 0 || ns > 1<<61 {
		return 0, fmt.Errorf("%s is not a time", n)
	}
	return ns, nil
}

func micros(ns int64) string { return strconv.FormatFloat(float64(ns)/1e3, 'f', 3, 64) }

func cause(err error, otherwise string) string {
	if err != nil {
		return err.Error()
	}
	return otherwise
}
