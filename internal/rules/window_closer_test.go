package rules_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// long is where the windows of ten seconds begin.
const long = int64(record.FirstWindows / record.FirstWindowLength)

// closer is that of a run whose short windows are over at epoch. A host was there until then.
func closer() *rules.WindowCloser {
	c := rules.NewWindowCloser(epoch.Add(-record.FirstWindows))
	c.Samples(sampled("before", -0.1))
	c.End()
	c.HostGone("before")
	return c
}

// after is a time beyond epoch.
func after(seconds float64) time.Time {
	return epoch.Add(time.Duration(seconds * float64(time.Second)))
}

func sampled(host string, seconds float64) record.Sample {
	return record.Sample{Host: host, Time: after(seconds), Values: []record.Scalar{{Name: "cpu/total", Value: seconds}}}
}

func timed(worker string, from, to float64) record.StepTime {
	s := record.StepTime{Worker: worker, Steps: 1, Start: after(from), End: after(to)}
	s.Parts[record.Forward] = int64(after(to).Sub(after(from)))
	return s
}

// spelt is windows in short: their numbers after epoch, their spans, how many rows of what there are, and who
// was late.
func spelt(list []*record.Window) string {
	var out []string
	for _, w := range list {
		s := fmt.Sprintf("%d: %v to %v", w.Index-long, w.From.Sub(epoch).Seconds(), w.To.Sub(epoch).Seconds())
		for _, k := range w.Rows.Sources() {
			s += fmt.Sprintf(", %d %s", w.Rows[k], k)
		}
		if len(w.Late) > 0 {
			s += ", late " + strings.Join(w.Late, " ")
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// What closes a window.
func TestWindowsClose(t *testing.T) {
	type act = func(c *rules.WindowCloser) []*record.Window
	sample := func(host string, at ...float64) act {
		return func(c *rules.WindowCloser) []*record.Window {
			var list []record.Sample
			for _, s := range at {
				list = append(list, sampled(host, s))
			}
			return c.Samples(list...)
		}
	}
	step := func(worker string, from, to float64) act {
		return func(c *rules.WindowCloser) []*record.Window {
			return c.Times(worker, []record.StepTime{timed(worker, from, to)}, nil)
		}
	}
	event := func(worker string, from, to float64) act {
		return func(c *rules.WindowCloser) []*record.Window {
			return c.Times(worker, nil, []record.Event{{Worker: worker, Kind: record.CheckpointEvent, Start: after(from), End: after(to)}})
		}
	}
	clock := func(at float64) act {
		return func(c *rules.WindowCloser) []*record.Window { return c.Close(after(at)) }
	}
	worker := func(name string) act {
		return func(c *rules.WindowCloser) []*record.Window { c.Worker(name); return nil }
	}
	host := func(name string) act {
		return func(c *rules.WindowCloser) []*record.Window { c.Host(name); return nil }
	}
	gone := func(name string) act {
		return func(c *rules.WindowCloser) []*record.Window { return c.WorkerGone(name) }
	}
	hostGone := func(name string) act { return func(c *rules.WindowCloser) []*record.Window { return c.HostGone(name) } }
	end := func(c *rules.WindowCloser) []*record.Window { return c.End() }
	first := func(c *rules.WindowCloser) []*record.Window { // it is at its beginning
		*c = *rules.NewWindowCloser(epoch.Add(-record.FirstWindows))
		return nil
	}
	type is struct {
		act  act
		want string
	}
	for name, list := range map[string][]is{
		"when everybody has passed its end": {
			{worker("w0"), ""}, {sample("a", 1, 9.5), ""}, {step("w0", 0, 9), ""}, {sample("a", 10), ""},
			{step("w0", 9, 12), "0: 0 to 10, 2 samples/a, 1 times/w0"},
			{sample("a", 20), ""}, {step("w0", 12, 20), "1: 10 to 20, 1 samples/a, 1 times/w0"},
		},
		"a step belongs to the window in which it ends": {{sample("a", 1, 11), "0: 0 to 10, 1 samples/a"}, {step("w0", 2, 11), ""}, {end, "1: 10 to 11, 1 samples/a, 1 times/w0"}},
		"several at once": {{worker("w0"), ""}, {sample("a", 5, 15, 25), ""}, {step("w0", 0, 31), "0: 0 to 10, 1 samples/a; 1: 10 to 20, 1 samples/a"}},
		"without who is late, after 30 s of the clock": {
			{step("w0", 0, 0.5), ""}, {sample("a", 5, 15, 25, 35), ""}, {clock(39.9), ""},
			{clock(40), "0: 0 to 10, 1 samples/a, 1 times/w0, late w0; 1: 10 to 20, 1 samples/a, late w0; 2: 20 to 30, 1 samples/a, late w0"},
			{sample("a", 40), "3: 30 to 40, 1 samples/a, late w0"}, // no further waiting
			{step("w0", 0.5, 12), ""}, // too late for its own
			{sample("a", 51), "4: 40 to 50, 1 samples/a, 1 times/w0, late w0"},
			{step("w0", 12, 45), ""}, {sample("a", 60), ""}, // it is waited for again
			{clock(79), ""}, {step("w0", 45, 60), "5: 50 to 60, 1 samples/a, 1 times/w0"},
		},
		"without who is late, by 30 s of others": {
			{sample("b", 0.5), ""}, {sample("a", 5, 39.9), ""}, {sample("a", 40), "0: 0 to 10, 1 samples/a, 1 samples/b, late b; 3: 30 to 40, 1 samples/a, late b"},
		},
		"a host that is late by less holds it up": {
			{sample("b", 1), ""}, {sample("a", 1, 39), ""}, {sample("b", 9), ""}, {sample("b", 11), "0: 0 to 10, 1 samples/a, 2 samples/b"},
		},
		"who has gone is not waited for": {
			{worker("w0"), ""}, {worker("w1"), ""}, {step("w0", 0, 11), ""}, {step("w0", 11, 12), ""}, {step("w1", 0, 2), ""}, {gone("w1"), "0: 0 to 10, 1 times/w1"},
		},
		"a host that has gone": {{host("b"), ""}, {sample("a", 5, 10), ""}, {hostGone("b"), "0: 0 to 10, 1 samples/a"}},
		"an event closes nothing": {
			{worker("w0"), ""}, {event("w0", 1, 12), ""}, {step("w0", 0, 9), ""}, {step("w0", 9, 10), "0: 0 to 10, 1 times/w0"}, {step("w0", 10, 20), "1: 10 to 20, 1 times/w0, 1 events/w0"},
		},
		"a span of which nothing came has none": {{sample("a", 5, 86405), "0: 0 to 10, 1 samples/a"}, {sample("a", 86410), "8640: 86400 to 86410, 1 samples/a"}},
		"what comes late is in the next": {
			{sample("b", 5), ""}, {sample("a", 45), "0: 0 to 10, 1 samples/b, late b"}, {sample("b", 6, 7), "1: 10 to 20, 2 samples/b, late b"}, {sample("a", 50), "4: 40 to 50, 1 samples/a, late b"},
		},
		"the last one ends with its last row": {{sample("a", 5, 13.5), "0: 0 to 10, 1 samples/a"}, {step("w0", 0, 12), ""}, {end, "1: 10 to 13.5, 1 samples/a, 1 times/w0"}, {end, ""}},
		"the first ones are short":            {{first, ""}, {sample("a", -119, -117), "-60: -120 to -118, 1 samples/a"}, {sample("a", -1, 1, 11), "-59: -118 to -116, 1 samples/a; -1: -2 to 0, 1 samples/a; 0: 0 to 10, 1 samples/a"}},
		"before the run":                      {{first, ""}, {sample("a", -200, -118), "-60: -120 to -118, 1 samples/a"}},
		"a clock that is off by 200 years": {
			{worker("w0"), ""}, {step("w0", 0, 5), ""}, {sample("a", 5), ""}, {sample("a", 200*365*86400), "0: 0 to 10, 1 samples/a, 1 times/w0, late w0"},
			{step("w0", 5, 15), "1: 10 to 20, 1 times/w0, late w0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := closer()
			for i, a := range list {
				if got := spelt(a.act(c)); got != a.want {
					t.Fatalf("act %d closes %q, want %q", i, got, a.want)
				}
			}
		})
	}
}

// recorded is a run in memory: the rows of each source as they are stored, and the
// decisions on windows.
type recorded struct {
	rows      map[record.RowSource][]record.Row
	decisions []*record.Window
}

func (r *recorded) store(s record.RowSource, row record.Row) { r.rows[s] = append(r.rows[s], row) }

// from are the windows after a cursor, and the rows that are in none.
func (r *recorded) from(at record.Cursor, window func(*record.Window), row func(record.RowSource, record.Row)) {
	taken := at.Rows.Clone()
	for _, d := range r.decisions {
		if d.Index < at.Window {
			continue
		}
		rows := map[record.RowSource][]record.Row{}
		for s, n := range d.Rows {
			rows[s] = r.rows[s][taken[s] : taken[s]+n]
		}
		taken.Add(d.Rows)
		window(record.NewWindow(d.Index, d.From, d.To, d.Late, rows))
	}
	for s, list := range r.rows {
		for _, x := range list[taken[s]:] {
			row(s, x)
		}
	}
}

// However rows come, and wherever the evaluator dies, the windows of a replay are
// those that were judged; each row is in one of them; and nothing waits for longer
// than it may.
func TestWindowsInReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := &recorded{rows: map[record.RowSource][]record.Row{}}
		c := rules.NewWindowCloser(epoch)
		var live []*record.Window
		judge := func(list []*record.Window) {
			run.decisions = append(run.decisions, list...)
			live = append(live, list...)
		}
		kinds := []record.RowSource{
			{Kind: record.SampleRows, Name: "a"}, {Kind: record.SampleRows, Name: "b"},
			{Kind: record.TimeRows, Name: "w0"}, {Kind: record.TimeRows, Name: "w1"}, {Kind: record.EventRows, Name: "w0"},
		}
		c.Worker("w0")
		saved := record.NewCursor()
		clock, at := 0.0, map[record.RowSource]float64{}
		for range rapid.IntRange(0, 80).Draw(t, "rows") {
			clock += rapid.Float64Range(0, 4).Draw(t, "seconds")
			s := rapid.SampledFrom(kinds).Draw(t, "source")
			end := min(clock, at[s]+rapid.Float64Range(0, 45).Draw(t, "length")) // it lags, or not
			if s.Kind == record.EventRows {
				end = rapid.Float64Range(0, clock).Draw(t, "end")
			}
			var row record.Row
			switch s.Kind {
			case record.SampleRows:
				x := sampled(s.Name, end)
				row.Sample = &x
			case record.TimeRows:
				x := timed(s.Name, at[s], end)
				row.Time = &x
			default:
				row.Event = &record.Event{Worker: s.Name, Start: after(at[s]), End: after(end)}
			}
			at[s] = end
			run.store(s, row)
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0: // it dies before the row is judged
				c = rules.NewWindowCloser(epoch)
				c.Worker("w0")
				c.From(saved)
				run.from(saved, c.Resume, func(s record.RowSource, r record.Row) { c.Put(s, r) })
			case 1:
				c.Put(s, row)
				c.Mark(&saved)
			case 2:
				c.Put(s, row)
				judge(c.WorkerGone("w1"))
			default:
				c.Put(s, row)
			}
			judge(c.Close(after(clock)))
			if again := c.Close(after(clock)); len(again) > 0 {
				t.Fatalf("closed only by asking again: %s", spelt(again))
			}
			taken, over := record.Rows{}, epoch
			for _, w := range run.decisions {
				taken.Add(w.Rows)
				over = w.To
			}
			for s, list := range run.rows {
				for _, r := range list[taken[s]:][:min(1, len(list[taken[s]:]))] { // the one that waits longest
					if behind := after(clock).Sub(r.At()); behind >= rules.LateBound+record.WindowLength && !r.At().Before(over) {
						t.Fatalf("at %v a row of %s still waits since %v", clock, s, behind)
					}
				}
			}
		}
		judge(c.End())

		var again []*record.Window
		run.from(record.NewCursor(), func(w *record.Window) { again = append(again, w) }, func(s record.RowSource, r record.Row) {
			t.Fatalf("a row of %s is in no window: %+v", s, r)
		})
		if d := cmp.Diff(live, again); d != "" {
			t.Fatalf("the windows of the replay differ: %s", d)
		}
		all := record.Rows{}
		for i, w := range again {
			if i > 0 && w.Index <= again[i-1].Index || !w.From.Equal(epoch.Add(record.WindowBegins(w.Index))) {
				t.Fatalf("window %d is %s", i, spelt([]*record.Window{w}))
			}
			all.Add(w.Rows)
		}
		for s, list := range run.rows {
			if all[s] != int64(len(list)) {
				t.Fatalf("%d of %d rows of %s are in windows", all[s], len(list), s)
			}
		}
	})
}
