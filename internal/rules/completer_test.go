package rules_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
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

// Whatever the order in which parts come, steps leave in increasing order,
// each once, and none is lost but those whose only part came too late.
func TestCompleterOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rules.NewCompleter(rapid.IntRange(1, 8).Draw(t, "window"))
		workers := []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "workers")]
		next := map[string]int64{}
		for _, w := range workers {
			k.Worker(w)
		}
		var out []*record.Complete
		gone := map[string]bool{}
		sent := map[int64]bool{}
		for range rapid.IntRange(0, 60).Draw(t, "events") {
			w := rapid.SampledFrom(workers).Draw(t, "worker")
			if gone[w] {
				continue
			}
			if rapid.IntRange(0, 30).Draw(t, "go") == 0 {
				gone[w] = true
				out = append(out, k.Gone(w)...)
				continue
			}
			next[w] += rapid.Int64Range(1, 2).Draw(t, "step")
			sent[next[w]] = true
			out = append(out, k.Add(&record.Step{Worker: w, Step: next[w]})...)
		}
		out = append(out, k.End()...)
		seen := map[int64]bool{}
		for i, c := range out {
			if i > 0 && out[i-1].Step >= c.Step {
				t.Fatalf("step %d comes after %d", c.Step, out[i-1].Step)
			}
			if !slices.IsSortedFunc(c.Parts, func(a, b *record.Step) int { return int(a.Worker[0]) - int(b.Worker[0]) }) {
				t.Fatalf("parts of step %d are not sorted", c.Step)
			}
			seen[c.Step] = true
		}
		lost := int64(0)
		for s := range sent {
			if !seen[s] {
				lost++
			}
		}
		if lost > k.Late() {
			t.Fatalf("%d steps are lost, %d parts were too late", lost, k.Late())
		}
	})
}
