package timeline

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/timeline/tracecheck"
)

// written is the timeline of a run, which must be one that a viewer shows all of.
func written(t testing.TB, r Run, o Options) (string, Result, tracecheck.Counts) {
	t.Helper()
	var b bytes.Buffer
	result, err := Write(&b, r, o)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := tracecheck.Check(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatalf("the trace is not as it should be:\n%v\n%.3000s", err, b.String())
	}
	return b.String(), result, counts
}

// lines are the events of a trace without its names.
func lines(trace string) (list []string) {
	for line := range strings.Lines(trace) {
		if line = strings.TrimSuffix(strings.TrimSpace(line), ","); strings.HasPrefix(line, `{"ph"`) && !strings.HasPrefix(line, `{"ph":"M"`) {
			list = append(list, line)
		}
	}
	return list
}

func TestTimeline(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  func() Run
		o    Options
		want []string
		note string
	}{
		{name: "steps with the sums of their parts", run: func() Run {
			return run(&fake{times: map[string][]record.StepTime{"worker_0": {
				row("worker_0", record.Train, 7, 1, 1, 60, 0, 30, 10), row("worker_0", record.Eval, 8, 20, 1.1, 0, 0, 0.0005, 0, 0, 0, 0, 100),
			}}}, "worker_0")
		}, want: []string{
			`{"ph":"X","name":"training step","pid":10,"tid":1,"ts":1000000,"dur":100000,"args":{"step":7,"global_step":7,"parts":"sums"}}`,
			`{"ph":"X","name":"data","pid":10,"tid":1,"ts":1000000,"dur":60000}`,
			`{"ph":"X","name":"forward","pid":10,"tid":1,"ts":1060000,"dur":30000}`,
			`{"ph":"X","name":"backward","pid":10,"tid":1,"ts":1090000,"dur":10000}`,
			`{"ph":"X","name":"evaluation steps","pid":10,"tid":1,"ts":1100000,"dur":100000.5,"args":{"step":8,"global_step":8,"steps":20,"longest_ms":5.00002,"longest_step":8,"parts":"sums"}}`,
			`{"ph":"X","name":"forward","pid":10,"tid":1,"ts":1100000,"dur":0.5}`,
			`{"ph":"X","name":"other","pid":10,"tid":1,"ts":1100000.5,"dur":100000}`,
		}},
		{name: "steps in detail in place of their row", run: func() Run {
			r := run(&fake{times: map[string][]record.StepTime{"worker_0": {
				row("worker_0", record.Train, 0, 2, 0, 20), row("worker_0", record.Train, 2, 2, 0.02, 20),
			}}}, "worker_0")
			r.Details = map[string][]Detail{"worker_0": stored(append(detail(0, 0, 4, 0, 6), detail(1, 0.01, 10)...))}
			return r
		}, want: []string{
			`{"ph":"X","name":"training step","pid":10,"tid":1,"ts":0,"dur":10000,"args":{"step":0,"global_step":0}}`,
			`{"ph":"X","name":"data","pid":10,"tid":1,"ts":0,"dur":4000}`,
			`{"ph":"X","name":"forward","pid":10,"tid":1,"ts":4000,"dur":6000}`,
			`{"ph":"X","name":"training step","pid":10,"tid":1,"ts":10000,"dur":10000,"args":{"step":1,"global_step":1}}`,
			`{"ph":"X","name":"data","pid":10,"tid":1,"ts":10000,"dur":10000}`,
			`{"ph":"X","name":"training steps","pid":10,"tid":1,"ts":20000,"dur":20000,"args":{"step":2,"global_step":2,"steps":2,"longest_ms":10,"longest_step":2,"parts":"sums"}}`,
			`{"ph":"X","name":"data","pid":10,"tid":1,"ts":20000,"dur":20000}`,
		}},
		{name: "detail of some steps of a row", run: func() Run {
			r := run(&fake{times: map[string][]record.StepTime{"worker_0": {row("worker_0", record.Train, 0, 2, 0, 20)}}}, "worker_0")
			r.Details = map[string][]Detail{"worker_0": stored(detail(1, 0.01, 10))}
			return r
		}, want: []string{
			`{"ph":"X","name":"training steps","pid":10,"tid":1,"ts":0,"dur":20000,"args":{"step":0,"global_step":0,"steps":2,"longest_ms":10,"longest_step":0,"parts":"sums"}}`,
			`{"ph":"X","name":"data","pid":10,"tid":1,"ts":0,"dur":20000}`,
			`{"ph":"X","name":"training step","pid":10,"tid":2,"ts":10000,"dur":10000,"args":{"step":1,"global_step":1}}`,
			`{"ph":"X","name":"data","pid":10,"tid":2,"ts":10000,"dur":10000}`,
		}},
		{name: "too many steps", run: func() Run {
			m := &fake{times: map[string][]record.StepTime{}}
			for i := range 1000 {
				m.times["worker_0"] = append(m.times["worker_0"], row("worker_0", record.Train, int64(i), 1, float64(i)/100, 10))
			}
			return run(m, "worker_0")
		}, o: Options{Rows: 100}, want: []string{`"steps":16,`}, note: "Steps of worker_0 are shown in groups: one slice for up to 16 of the 1000 stored rows, with the sums of their parts."},
		{name: "too many changes of mode", run: func() Run {
			m := &fake{times: map[string][]record.StepTime{}}
			for i := range 1000 {
				m.times["worker_0"] = append(m.times["worker_0"], row("worker_0", record.Mode(i%2), int64(i), 1, float64(i)/100, 10))
			}
			return run(m, "worker_0")
		}, o: Options{Rows: 100}, want: []string{`"ts":100000,`}, note: "Of 1000 groups of steps of worker_0 every 10th is shown."},
		{name: "detail that cannot be read", run: func() Run {
			r := run(&fake{times: map[string][]record.StepTime{"worker_0": {row("worker_0", record.Train, 0, 1, 0, 20)}}}, "worker_0")
			r.Details = map[string][]Detail{"worker_0": {{Bytes: 1, Read: func() ([]record.Interval, error) { return nil, errors.New("the checksum differs") }}}}
			return r
		}, want: []string{`"training step"`, `"data"`}, note: "A piece of the detail of worker_0 cannot be read: the checksum differs."},
		{name: "machine, gaps and events", run: func() Run {
			m := &fake{hosts: []string{"here"}, samples: map[string][]record.Sample{"here": {}}, events: []record.Event{
				{Worker: "worker_0", Kind: record.PhaseEvent, Name: record.StartUpPhase, Start: after(-2), End: after(0)},
				{Worker: "worker_0", Kind: record.CheckpointEvent, Start: after(1), End: after(2), Step: 3},
				{Worker: "worker_0", Kind: record.CheckpointEvent, Start: after(1.5), End: after(1.75)},
				{Host: "here", Kind: record.ClockEvent, Start: after(3), End: after(3), Facts: []byte(`{"seconds":-5}`)},
			}}
			for _, at := range []float64{0, 1, 60} {
				m.samples["here"] = append(m.samples["here"], record.Sample{Host: "here", Time: after(at), Values: []record.Scalar{{Name: "cpu/total", Value: 50.5}, {Name: "memory/used_bytes", Value: 1e9}, {Name: "cpu/0", Value: at}}})
			}
			return run(m, "worker_0")
		}, want: []string{
			`{"ph":"X","name":"start-up","pid":1,"tid":10,"ts":0,"dur":2000000}`,
			`{"ph":"X","name":"checkpoint","pid":10,"tid":10,"ts":3000000,"dur":1000000,"args":{"global_step":3}}`,
			`{"ph":"X","name":"checkpoint","pid":10,"tid":11,"ts":3500000,"dur":250000}`,
			`{"ph":"C","name":"cpu","pid":100000,"ts":2000000,"args":{"total":50.5,"0":0}}`,
			`{"ph":"C","name":"memory","pid":100000,"ts":2000000,"args":{"used_bytes":1000000000}}`,
			`{"ph":"C","name":"cpu","pid":100000,"ts":3000000,"args":{"total":50.5,"0":1}}`,
			`{"ph":"C","name":"memory","pid":100000,"ts":3000000,"args":{"used_bytes":1000000000}}`,
			`{"ph":"C","name":"cpu","pid":100000,"ts":62000000,"args":{"total":50.5,"0":60}}`,
			`{"ph":"C","name":"memory","pid":100000,"ts":62000000,"args":{"used_bytes":1000000000}}`,
			`{"ph":"i","name":"clock","pid":100000,"tid":10,"ts":5000000,"s":"t","args":{"facts":{"seconds":-5}}}`,
			`{"ph":"X","name":"no samples","pid":100000,"tid":11,"ts":4000000,"dur":58000000}`,
		}},
		{name: "too many figures", run: func() Run {
			m := &fake{hosts: []string{"here"}, samples: map[string][]record.Sample{}}
			for i := range 1000 {
				m.samples["here"] = append(m.samples["here"], record.Sample{Host: "here", Time: after(float64(i)), Values: []record.Scalar{{Name: "cpu/total", Value: float64(i % 10)}}})
			}
			return run(m)
		}, o: Options{Values: 100}, want: []string{`{"ph":"C","name":"cpu","pid":100000,"ts":0,"args":{"total":4.5}}`}, note: "Machine metrics of here are means of 10 samples each."},
		{name: "a window of stacks", run: func() Run {
			r := run(&fake{times: map[string][]record.StepTime{"worker_0": {row("worker_0", record.Train, 0, 1, 0, 4000)}}}, "worker_0")
			main, load, train := Call{"<module>", "train.py:40"}, Call{"load", "data.py:7"}, Call{"train", "train.py:31"}
			r.Stacks = []Stacks{{Worker: "worker_0", Title: "main thread", Start: after(1), Length: 2 * time.Second, Stacks: []Stack{
				{[]Call{main, load}, time.Second}, {[]Call{main, train}, 3 * time.Second}, {[]Call{main}, 2 * time.Millisecond}, {[]Call{load}, time.Millisecond}, {nil, -1},
			}}}
			return r
		}, want: []string{
			`"training step"`, `"data"`,
			`{"ph":"X","name":"<module>","pid":10,"tid":1000,"ts":1000000,"dur":1999500.374,"args":{"place":"train.py:40","share":"100.0 %"}}`,
			`{"ph":"X","name":"train","pid":10,"tid":1000,"ts":1000000,"dur":1498875.843,"args":{"place":"train.py:31","share":"74.9 %"}}`,
			`{"ph":"X","name":"load","pid":10,"tid":1000,"ts":2498875.843,"dur":499625.281,"args":{"place":"data.py:7","share":"25.0 %"}}`,
		}},
		{name: "findings at the end of their steps", run: func() Run {
			r := run(&fake{times: map[string][]record.StepTime{"worker_0": {row("worker_0", record.Train, 5, 1, 1, 1000)}}}, "worker_0")
			r.Findings = []record.Finding{
				{Rule: "exploding", Check: "norm", Severity: record.Error, Mode: record.Train, ModeStep: 9, Step: 9, Worker: "worker_0", Time: after(30), Message: "late"},
				{Rule: "dead_relu", Check: "dead", Severity: record.Warning, Mode: record.Train, ModeStep: 5, Step: 5, Worker: "worker_0", Time: after(20), Message: "It \"died\"."},
				{Rule: "muted", Muted: true, Time: after(20)},
			}
			return r
		}, want: []string{
			`{"ph":"i","name":"dead_relu/dead","pid":1,"tid":1,"ts":2000000,"s":"t","args":{"severity":"warning","message":"It \"died\".","at":"step 5","worker":"worker_0"}}`,
			`{"ph":"i","name":"exploding/norm","pid":1,"tid":1,"ts":30000000,"s":"t","args":{"severity":"error","message":"late","at":"step 9","worker":"worker_0"}}`,
			`"training step"`, `"data"`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trace, result, _ := written(t, tt.run(), tt.o)
			got := lines(trace)
			if tt.o == (Options{}) && len(got) != len(tt.want) {
				t.Errorf("there are %d events, want %d:\n%s", len(got), len(tt.want), strings.Join(got, "\n"))
			}
			for _, want := range tt.want {
				if !strings.Contains(trace, want) {
					t.Errorf("the trace lacks\n%s\nit has\n%.3000s", want, strings.Join(got, "\n"))
				}
			}
			if notes := strings.Join(result.Notes, "\n"); notes != tt.note {
				t.Errorf("the notes are %q, want %q", notes, tt.note)
			}
		})
	}
}

func TestNothingToShow(t *testing.T) {
	_, err := Write(&bytes.Buffer{}, run(&fake{}, "worker_0"), Options{})
	if !errors.Is(err, ErrNothing) {
		t.Errorf("got %v", err)
	}
}

// What fails while it is written or read is the error.
func TestFailures(t *testing.T) {
	r := run(&fake{times: map[string][]record.StepTime{"worker_0": {row("worker_0", record.Train, 0, 1, 0, 10)}}}, "worker_0")
	full := errors.New("no space left on device")
	if _, err := Write(failing{full}, r, Options{}); !errors.Is(err, full) {
		t.Errorf("a full disk gives %v", err)
	}
	broken := errors.New("broken")
	r.Metrics.(*fake).failing = broken
	if _, err := Write(&bytes.Buffer{}, r, Options{}); !errors.Is(err, broken) {
		t.Errorf("times that cannot be read give %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// random is a run of any shape: rows, detail, events and samples that touch,
// overlap and go back.
func random(r *rand.Rand) (Run, Options) {
	m := &fake{samples: map[string][]record.Sample{}, times: map[string][]record.StepTime{}}
	var workers []string
	details := map[string][]Detail{}
	for w := range 1 + r.IntN(3) {
		name := fmt.Sprintf("worker_%d", w)
		workers = append(workers, name)
		at, step := r.Float64(), int64(0)
		for range r.IntN(60) {
			steps := 1 + r.Int64N(4)
			one := row(name, record.Mode(r.IntN(4)), step, steps, at, r.Float64()*10, 0, r.Float64()*10, r.Float64(), 0, r.Float64())
			m.times[name] = append(m.times[name], one)
			if r.IntN(2) == 0 {
				d := detail(step, at+(r.Float64()-0.5)*0.004*float64(r.IntN(2)), r.Float64()*10, 0, r.Float64()*10, r.Float64(), r.Float64()*4)
				details[name] = append(details[name], stored(d)...)
			}
			step += steps
			at += one.End.Sub(one.Start).Seconds() + float64(r.IntN(3)-1)*r.Float64()*0.01
		}
	}
	for range r.IntN(40) {
		from := r.Float64() * 5
		e := record.Event{Kind: []string{record.PhaseEvent, record.CheckpointEvent, record.ClockEvent, "else", ""}[r.IntN(5)], Start: after(from - 1), End: after(from - 1 + r.Float64()*2*float64(r.IntN(2)))}
		if r.IntN(3) == 0 {
			e.Host = "here"
		} else {
			e.Worker = fmt.Sprintf("worker_%d", r.IntN(3))
		}
		m.events = append(m.events, e)
	}
	for h := range r.IntN(3) {
		host := []string{"here", "\x00th\"ere"}[h%2]
		m.hosts = append(m.hosts, host)
		at := 0.0
		for range r.IntN(50) {
			at += r.Float64() * float64(1+r.IntN(20))
			m.samples[host] = append(m.samples[host], record.Sample{Host: host, Time: after(at), Values: []record.Scalar{{Name: "cpu/total", Value: r.Float64()}, {Name: "odd", Value: r.NormFloat64()}, {Name: "a/", Value: 1}, {Name: "gpu/0/x", Value: 1e300}}})
		}
	}
	if len(m.hosts) == 2 && m.hosts[0] == m.hosts[1] {
		m.hosts = m.hosts[:1]
	}
	all := run(m, workers...)
	all.Details = details
	for range r.IntN(4) {
		s := Stacks{Worker: "worker_0", Title: []string{"a", "", "\n"}[r.IntN(3)], Start: after(r.Float64() * 3), Length: time.Duration(r.Float64() * 2e9)}
		for range r.IntN(20) {
			k := Stack{Time: time.Duration(r.Float64()*1e9) - 1e7}
			for range r.IntN(6) {
				k.Calls = append(k.Calls, Call{string(rune('a' + r.IntN(3))), "f.py:1"})
			}
			s.Stacks = append(s.Stacks, k)
		}
		all.Stacks = append(all.Stacks, s)
	}
	for range r.IntN(5) {
		all.Findings = append(all.Findings, record.Finding{Rule: "r", Mode: record.Mode(r.IntN(4)), ModeStep: r.Int64N(50) - 1, Worker: "worker_0", Time: after(r.Float64() * 10)})
	}
	return all, Options{Rows: r.IntN(200), Values: r.IntN(300), Events: r.IntN(20), Detail: r.Int64N(2000)}
}

// Whatever a run holds, a viewer shows all that is written of it.
func TestAnyRunIsShown(t *testing.T) {
	for seed := range uint64(100) {
		r, o := random(rand.New(rand.NewPCG(seed, 1)))
		var b bytes.Buffer
		if _, err := Write(&b, r, o); errors.Is(err, ErrNothing) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		if _, err := tracecheck.Check(&b); err != nil {
			t.Fatalf("run %d: %v", seed, err)
		}
	}
}

func FuzzTimeline(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		r, o := random(rand.New(rand.NewPCG(a, b)))
		var out bytes.Buffer
		if _, err := Write(&out, r, o); err != nil {
			if errors.Is(err, ErrNothing) {
				return
			}
			t.Fatal(err)
		}
		if _, err := tracecheck.Check(&out); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzParseDetail(f *testing.F) {
	f.Add([]byte(`{"traceEvents":[{"ph":"X","name":"forward","ts":1.5,"dur":2,"args":{"step":1,"mode":"TRAIN","mode_step":1}}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := ParseDetail(b)
		if err != nil {
			return
		}
		for _, v := range list {
			if v.Part >= record.StepParts || v.End.Before(v.Start) {
				t.Fatalf("%+v", v)
			}
		}
	})
}

func TestParseDetail(t *testing.T) {
	list, err := ParseDetail([]byte(`{"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","name":"process_name","pid":1,"args":{"name":"worker_0"}},
{"ph":"X","name":"forward","pid":1,"tid":1,"ts":1767323045000000.001,"dur":2.5,"args":{"step":3,"mode":"EVAL","mode_step":4,"micro_batch":1}}]}`))
	want := record.Interval{Part: record.Forward, Start: begun.Add(1), End: begun.Add(2501), Step: 3, Mode: record.Eval, ModeStep: 4, MicroBatch: 1}
	if err != nil || len(list) != 1 || list[0] != want {
		t.Errorf("got %+v, %v, want %+v", list, err, want)
	}
	for _, bad := range []string{"", "[]", `{"traceEvents":[{"ph":"X","name":"lunch","ts":1,"dur":1}]}`, `{"traceEvents":[{"ph":"X","name":"data","ts":-1,"dur":1}]}`, `{"traceEvents":[{"ph":"X","name":"data","ts":1}]}`} {
		if _, err := ParseDetail([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// Two workers with steps of 30 ms, machine metrics of 100 series every 100 ms and
// the detail of all steps: the bounds hold at 50 MB for an hour, at a twentieth of
// them for three minutes.
func TestAnHourIsSmall(t *testing.T) {
	const part = 20
	const hour = 3600 / part
	r := rand.New(rand.NewPCG(1, 1))
	m := &fake{hosts: []string{"here"}, samples: map[string][]record.Sample{}, times: map[string][]record.StepTime{}}
	all := run(m, "worker_0", "worker_1")
	all.Details = map[string][]Detail{}
	took := func() float64 { return 8 * r.Float64() }
	for _, w := range all.Workers {
		for at, step := 0.0, int64(0); at < hour; step++ {
			one := row(w, record.Train, step, 1, at, took(), took(), took(), took(), took(), took(), took(), took())
			m.times[w] = append(m.times[w], one)
			at = one.End.Sub(begun).Seconds()
		}
		var piece []record.Interval
		for step, rows := 0, m.times[w]; step < len(rows); step++ {
			one := rows[step]
			at := one.Start
			for p, ns := range one.Parts {
				end := at.Add(time.Duration(ns))
				piece = append(piece, record.Interval{Part: record.StepPart(p), Start: at, End: end, Step: one.Step, ModeStep: one.ModeStep})
				at = end
			}
			if step%100 == 99 {
				l := piece
				all.Details[w] = append(all.Details[w], Detail{Bytes: int64(len(piece)) * 16, Read: func() ([]record.Interval, error) { return l, nil }})
				piece = nil
			}
		}
	}
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("group%d/%d", i/10, i)
	}
	for i := range hour * 10 {
		s := record.Sample{Host: "here", Time: after(float64(i) / 10)}
		for _, name := range names {
			s.Values = append(s.Values, record.Scalar{Name: name, Value: record.Duration(100 * r.Float64())})
		}
		m.samples["here"] = append(m.samples["here"], s)
	}
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	result, err := Write(zip, all, Options{Rows: mostRows / part, Values: mostValues / part, Detail: mostDetail / part})
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d events in %.1f MB; %q", result.Events, float64(b.Len())/1e6, result.Notes)
	if b.Len() > 50e6/part {
		t.Errorf("the trace has %d bytes", b.Len())
	}
	back, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tracecheck.Check(back); err != nil {
		t.Error(err)
	}
}
