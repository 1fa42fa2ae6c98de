package hook_test

import (
	"testing"
	"time"

	"github.com/vigil-ml/vigil/hook"
	"github.com/vigil-ml/vigil/internal/profile"
	"github.com/vigil-ml/vigil/internal/record"
)

// TestParts: a program says what it does, and the time goes there.
func TestParts(t *testing.T) {
	r := newReader(0)
	serve(t, r)
	h := hook.Start(hook.Options{})
	if err := h.Err(); err != nil {
		t.Fatal(err)
	}
	const steps = 20
	for range steps {
		h.Part(hook.WaitForData)
		time.Sleep(8 * time.Millisecond)
		s := h.Begin(hook.Train)
		h.Part(hook.Forward)
		time.Sleep(4 * time.Millisecond)
		h.Part(hook.Backward)
		time.Sleep(6 * time.Millisecond)
		h.Part(hook.Other)
		time.Sleep(2 * time.Millisecond)
		s.End()
		h.Part(99) // there is none
	}
	h.Close()
	h.Part(hook.Forward)
	<-r.closed
	w := profile.New("worker_0", time.Time{})
	var sum record.StepTime
	for _, data := range r.marks {
		b, err := profile.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		rows, missed := w.Add(b)
		if missed != 0 {
			t.Errorf("%d marks are missing", missed)
		}
		for _, row := range rows.Times {
			sum.Steps += row.Steps
			sum.Gap += row.Gap
			for p, ns := range row.Parts {
				sum.Parts[p] += ns
			}
		}
	}
	if sum.Steps != steps || len(r.marks) < 2 {
		t.Errorf("%d steps in %d records", sum.Steps, len(r.marks))
	}
	least := map[record.StepPart]int64{record.WaitForData: 8, record.Forward: 4, record.Backward: 6, record.Other: 2}
	for p, ns := range sum.Parts {
		if want := least[record.StepPart(p)] * steps * 1e6; ns < want || want == 0 && ns > 0 {
			t.Errorf("%s took %v, at least %v", record.StepPart(p), time.Duration(ns), time.Duration(want))
		}
	}
	if sum.Gap < 8*steps*1e6 || sum.Gap > sum.Parts[record.WaitForData]+sum.Parts[record.Other] {
		t.Errorf("%v between steps, %v waiting for data", time.Duration(sum.Gap), time.Duration(sum.Parts[record.WaitForData]))
	}
}

// TestPartOfNothing: an inert hook takes parts and does nothing.
func TestPartOfNothing(t *testing.T) {
	var h *hook.Hook
	h.Part(hook.Forward)
	t.Setenv("VIGIL", "0")
	hook.Start(hook.Options{}).Part(hook.Forward)
}
