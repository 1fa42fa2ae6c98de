package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	_ "github.com/vigil-ml/vigil/internal/testenv/seeded"
)

func spell(cs []*record.Complete) []string {
	out := []string{}
	for _, c := range cs {
		s := fmt.Sprint(c.Step, ":")
		for _, p := range c.Parts {
			s += p.Worker
		}
		out = append(out, s)
	}
	return out
}

func TestCompleter(t *testing.T) {
	type event struct {
		worker string // "" ends the job; "-a" says that a is gone
		step   int64
		want   []string
	}
	cases := map[string]struct {
		window  int
		workers []string
		events  []event
	}{
		"one worker":             {0, []string{"a"}, []event{{"a", 0, []string{"0:a"}}, {"a", 2, []string{"2:a"}}}},
		"all workers are in":     {0, []string{"a", "b"}, []event{{"b", 0, nil}, {"a", 0, []string{"0:ab"}}}},
		"a later step is whole":  {0, []string{"a", "b"}, []event{{"a", 0, nil}, {"a", 1, nil}, {"b", 1, []string{"0:a", "1:ab"}}, {"b", 0, nil}}},
		"the job ends":           {0, []string{"a", "b"}, []event{{"a", 3, nil}, {"b", 1, nil}, {"", 0, []string{"1:b", "3:a"}}}},
		"a worker goes":          {0, []string{"a", "b"}, []event{{"a", 0, nil}, {"a", 1, nil}, {"-b", 0, []string{"0:a", "1:a"}}, {"a", 2, []string{"2:a"}}}},
		"a gone worker's part":   {0, []string{"a", "b"}, []event{{"b", 1, nil}, {"-b", 0, nil}, {"a", 0, []string{"0:a"}}, {"a", 1, []string{"1:ab"}}}},
		"too many wait":          {3, []string{"a", "b"}, []event{{"a", 0, nil}, {"a", 1, nil}, {"a", 2, nil}, {"a", 3, []string{"0:a", "1:a"}}, {"b", 1, nil}, {"b", 3, []string{"2:a", "3:ab"}}}},
		"a worker nobody named":  {0, nil, []event{{"a", 0, []string{"0:a"}}, {"b", 1, nil}, {"a", 1, []string{"1:ab"}}}},
		"a part that is doubled": {0, []string{"a", "b"}, []event{{"a", 0, nil}, {"a", 0, nil}, {"b", 0, []string{"0:ab"}}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			k := rules.NewCompleter(c.window)
			for _, w := range c.workers {
				k.Worker(w)
			}
			for i, e := range c.events {
				var got []*record.Complete
				switch {
				case e.worker == "":
					got = k.End()
				case e.worker[0] == '-':
					got = k.Gone(e.worker[1:])
				default:
					got = k.Add(&record.Step{Worker: e.worker, Step: e.step, ModeStep: e.step})
				}
				if !slices.Equal(spell(got), append([]string{}, e.want...)) {
					t.Fatalf("event %d gives %v, want %v", i, spell(got), e.want)
				}
			}
		})
	}
}

// part makes a worker's part of a step from "worker mode modestep@step".
func part(t *testing.T, text string) *record.Step {
	t.Helper()
	p := &record.Step{}
	var mode byte
	if _, err := fmt.Sscanf(text, "%s %c%d@%d", &p.Worker, &mode, &p.ModeStep, &p.Step); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	p.Mode = map[byte]record.Mode{'T': record.Train, 'E': record.Eval, 'P': record.Predict, 'G': record.Global}[mode]
	return p
}

// Ranks that evaluate differently number their global steps differently: what
// belongs together is told by mode and mode step.
func TestCompleterOfDifferentRanks(t *testing.T) {
	type event struct {
		text string   // a part; "-a": a is gone; "": the job ends
		want []string // mode and mode step, global step, workers
	}
	cases := map[string]struct {
		window int
		events []event
	}{
		"one rank evaluates": {0, []event{
			{"a T0@0", nil}, {"b T0@0", []string{"T0@0 ab"}}, {"a E0@1", nil}, {"a E1@2", nil}, {"b T1@1", nil},
			{"a T1@3", []string{"E0@1 a", "E1@2 a", "T1@3 ab"}}, {"b T2@2", nil}, {"a T2@4", []string{"T2@4 ab"}},
		}},
		"the other rank evaluates, and is slower": {0, []event{
			{"a T0@0", nil}, {"a T1@1", nil}, {"a T2@2", nil}, {"b T0@0", []string{"T0@0 ab"}}, {"b E0@1", nil},
			{"b T1@2", []string{"E0@1 b", "T1@2 ab"}}, {"b T2@3", []string{"T2@3 ab"}},
		}},
		"both evaluate, one more than the other, whose next is too late": {0, []event{
			{"a T0@0", nil}, {"b T0@0", []string{"T0@0 ab"}}, {"a E0@1", nil}, {"b E0@1", []string{"E0@1 ab"}}, {"a E1@2", nil},
			{"b T1@2", nil}, {"a T1@3", []string{"E1@2 a", "T1@3 ab"}}, {"b E1@3", nil},
		}},
		"a whole evaluation does not end the waiting for an update": {0, []event{
			{"a E0@0", nil}, {"b T0@0", nil}, {"b E0@1", []string{"E0@1 ab"}}, {"a T0@1", []string{"T0@2 ab"}},
		}},
		"an evaluation that one of its ranks has not left": {0, []event{
			{"c T0@0", nil}, {"a E0@0", nil}, {"b E0@0", nil}, {"a T0@1", nil}, {"b T0@1", []string{"E0@0 ab", "T0@1 abc"}},
		}},
		"who evaluated goes": {0, []event{
			{"a T0@0", nil}, {"b T0@0", []string{"T0@0 ab"}}, {"a E0@1", nil}, {"-a", nil}, {"b T1@1", []string{"T1@1 b", "E0@2 a"}},
		}},
		"who evaluated goes, and the other is behind": {0, []event{
			{"a T0@0", nil}, {"a E0@1", nil}, {"-a", nil}, {"b T0@0", []string{"T0@0 ab"}}, {"b E0@1", []string{"E0@1 ab"}},
		}},
		"the other goes": {0, []event{
			{"a T0@0", nil}, {"b T0@0", []string{"T0@0 ab"}}, {"a E0@1", nil}, {"-b", []string{"E0@1 a"}}, {"a T1@2", []string{"T1@2 a"}},
		}},
		"numbers run apart when the larger goes": {0, []event{
			{"a T0@0", nil}, {"b T0@50", []string{"T0@50 ab"}}, {"-b", nil}, {"a T1@1", []string{"T1@51 a"}}, {"a T2@2", []string{"T2@52 a"}},
		}},
		"steps of no mode": {0, []event{
			{"a G0@0", nil}, {"a P0@1", nil}, {"b G0@0", []string{"G0@0 ab"}}, {"a G1@2", nil}, {"b G1@1", []string{"P0@1 a", "G1@2 ab"}},
		}},
		"nothing in common": {2, []event{
			{"a T0@0", nil}, {"b E0@0", nil}, {"a T1@1", []string{"T0@0 a", "E0@1 b"}}, {"b E1@1", nil}, {"", []string{"T1@2 a", "E1@3 b"}},
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			k := rules.NewCompleter(c.window)
			for _, w := range []string{"a", "b"} {
				k.Worker(w)
			}
			for _, e := range c.events {
				var got []*record.Complete
				switch {
				case e.text == "":
					got = k.End()
				case e.text[0] == '-':
					got = k.Gone(e.text[1:])
				default:
					got = k.Add(part(t, e.text))
				}
				list := []string{}
				for _, s := range got {
					text := fmt.Sprintf("%c%d@%d ", s.Mode.String()[0], s.ModeStep, s.Step)
					for _, p := range s.Parts {
						text += p.Worker
					}
					list = append(list, text)
				}
				if !slices.Equal(list, append([]string{}, e.want...)) {
					t.Fatalf("%q gives %q, want %q", e.text, list, e.want)
				}
			}
			if late := int64(strings.Count(name, "too late")); k.Late() != late {
				t.Errorf("%d parts were too late, not %d", k.Late(), late)
			}
		})
	}
}

// A step that is held waits for what is given to it, until its worker begins the
// next one, or goes.
func TestCompleterHolds(t *testing.T) {
	k := rules.NewCompleter(0)
	k.Worker("a")
	k.Worker("b")
	check := func(what string, got []*record.Complete, want ...string) {
		t.Helper()
		list := []string{}
		for _, s := range got {
			for _, p := range s.Parts {
				list = append(list, fmt.Sprintf("%s%d%v%d", p.Worker, p.ModeStep, p.Scalars, p.Joined))
			}
		}
		if !slices.Equal(list, append([]string{}, want...)) {
			t.Errorf("%s gives %q, want %q", what, list, want)
		}
	}
	step := func(text string, scalars ...record.Scalar) *record.Step {
		p := part(t, text)
		p.Scalars, p.Time = scalars, time.Unix(100*p.Step, 0)
		return p
	}
	check("a part", k.Hold(step("a T0@0", record.Scalar{Name: "loss", Value: 3})))
	check("the other one", k.Hold(step("b T0@0")))
	k.Give(step("a T0@0", record.Scalar{Name: "acc", Value: 0.5}))
	k.Give(step("a T0@0", record.Scalar{Name: "acc", Value: 0.75}, record.Scalar{Name: "loss", Value: 4}))
	k.Give(step("a T7@7", record.Scalar{Name: "acc", Value: 1})) // of a step that is not there
	check("the next step of a", k.Next("a"))
	check("the next step of b", k.Next("b"), "a0[{loss 4} {acc 0.75}]2", "b0[]0")
	check("another next step", k.Next("b"))
	k.Give(step("a T0@0", record.Scalar{Name: "acc", Value: 2})) // too late
	check("a part of the next step", k.Hold(step("a T1@1")))
	check("its other part", k.Hold(step("b T1@1")))
	if got := k.Held(time.Unix(100, 0)); len(got) > 0 {
		t.Errorf("%v have been held since before they came", got)
	}
	if got := k.Held(time.Unix(101, 0)); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%v are held, not both", got)
	}
	check("b's step after", k.Hold(step("b T2@2")))
	check("a goes", k.Gone("a"), "a1[]0", "b1[]0")
	k.Give(step("b T2@2", record.Scalar{Name: "acc", Value: 1}))
	check("the end", k.End(), "b2[{acc 1}]1")
}

// Whatever the order in which parts come, steps leave in increasing order,
// each once, and none is lost but those whose only part came too late. Updates
// that all workers make are never judged with fewer.
func TestCompleterOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.SampledFrom([]int{1, 4, 8, 1000}).Draw(t, "window")
		k := rules.NewCompleter(window)
		workers := []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "workers")]
		next, modeSteps := map[string]int64{}, map[string]map[record.Mode]int64{}
		for _, w := range workers {
			k.Worker(w)
			modeSteps[w] = map[record.Mode]int64{}
		}
		var out []*record.Complete
		gone := map[string]bool{}
		sent := map[string]int{}
		spell := func(m record.Mode, n int64) string { return fmt.Sprint(m, " ", n) }
		for range rapid.IntRange(0, 80).Draw(t, "events") {
			w := rapid.SampledFrom(workers).Draw(t, "worker")
			if gone[w] {
				continue
			}
			if rapid.IntRange(0, 40).Draw(t, "go") == 0 {
				gone[w] = true
				out = append(out, k.Gone(w)...)
				continue
			}
			mode := rapid.SampledFrom([]record.Mode{record.Train, record.Train, record.Eval, record.Global}).Draw(t, "mode")
			p := &record.Step{Worker: w, Step: next[w], Mode: mode, ModeStep: modeSteps[w][mode]}
			next[w] += rapid.Int64Range(1, 2).Draw(t, "step")
			modeSteps[w][mode]++
			sent[spell(mode, p.ModeStep)]++
			out = append(out, k.Add(p)...)
		}
		out = append(out, k.End()...)
		seen := map[string]int{}
		last := map[record.Mode]int64{}
		parts := 0
		for i, c := range out {
			if i > 0 && out[i-1].Step >= c.Step {
				t.Fatalf("step %d comes after %d", c.Step, out[i-1].Step)
			}
			if n, ok := last[c.Mode]; ok && n >= c.ModeStep {
				t.Fatalf("%s step %d comes after %d", c.Mode, c.ModeStep, n)
			}
			last[c.Mode] = c.ModeStep
			if !slices.IsSortedFunc(c.Parts, func(a, b *record.Step) int { return int(a.Worker[0]) - int(b.Worker[0]) }) {
				t.Fatalf("parts of step %d are not sorted", c.Step)
			}
			seen[spell(c.Mode, c.ModeStep)]++
			parts += len(c.Parts)
			if c.Mode == record.Train && window == 1000 && len(c.Parts) != sent[spell(c.Mode, c.ModeStep)] {
				t.Fatalf("TRAIN step %d is judged with %d parts of %d", c.ModeStep, len(c.Parts), sent[spell(c.Mode, c.ModeStep)])
			}
		}
		all, lost := 0, int64(0)
		for s, n := range sent {
			all += n
			if seen[s] == 0 {
				lost++
			}
		}
		if lost > k.Late() || int64(all-parts) != k.Late() {
			t.Fatalf("%d steps are lost, %d parts of %d came out, %d were too late", lost, parts, all, k.Late())
		}
	})
}
