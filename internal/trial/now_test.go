package trial_test

import (
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// TailNow gives exactly the steps stored after it, wherever those before lie: in
// sealed chunks, in journals, or with parts that wait for their decision.
func TestTailNow(t *testing.T) {
	for _, c := range []struct {
		name   string
		before int64 // steps stored before
		sealAt int64
		parts  int64 // of them whose decision comes after
	}{
		{"nothing yet", 0, 1000, 0},
		{"all in journals", 40, 1000, 0},
		{"most in chunks", 40, 10, 0},
		{"a decision that comes later", 40, 1000, 3},
		{"at the end of a chunk", 40, 41, 0},
	} {
		w := create(t, vfs.OS, t.TempDir())
		w.SealAt(c.sealAt)
		tr := open(t, vfs.OS, w.Path())
		var steps []*record.Step
		for i := range c.before + 25 {
			steps = append(steps, small("w", i))
		}
		put := func(w *store.Writer, i, decided int64) {
			ok(t, w.Append("w", "s", uint64(i+1), steps[i]))
			for ; decided <= i; decided++ {
				ok(t, w.Complete(complete(steps[decided])))
			}
		}
		for i := range c.before {
			decided := i
			if i >= c.before-c.parts {
				decided = i + 1
			}
			put(w, i, decided)
		}
		tail, err := tr.TailNow()
		ok(t, err)
		var got, want []int64
		next := func() {
			ok(t, tail.Next(func(s *record.Complete) error {
				if len(s.Parts) != 1 || len(s.Parts[0].Stats) != int(s.Step%4) {
					t.Errorf("%s: step %d has %d parts", c.name, s.Step, len(s.Parts))
				}
				got = append(got, s.Step)
				return nil
			}))
		}
		next()
		if len(got) > 0 {
			t.Errorf("%s: steps %v come that were there", c.name, got)
		}
		for i := c.before - c.parts; i < c.before+25; i++ {
			want = append(want, i)
		}
		for i := c.before; i < c.before+25; i++ {
			decided := i
			if i == c.before {
				decided = c.before - c.parts
			}
			put(w, i, decided)
			if i%5 == 0 {
				next()
			}
		}
		next()
		if !slices.Equal(got, want) {
			t.Errorf("%s: steps %v, want %v", c.name, got, want)
		}
		ok(t, w.Close())
	}
}
