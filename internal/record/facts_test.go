package record_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestUntilLeavesOutWhatComesLater(t *testing.T) {
	f, err := record.ParseFacts([]byte(`{"framework":"pytorch","labels":{"at":3},"graph":{"at":5,"head":["mse_loss"]},"later":1}`))
	if err != nil {
		t.Fatal(err)
	}
	for step, want := range map[int64]string{0: "", 2: "", 3: "labels", 4: "labels", 5: "labels graph", math.MaxInt64: "labels graph"} {
		g := f.Until(step)
		if got := strings.Join(g.Sections(), " "); got != want || g.Framework != "pytorch" {
			t.Errorf("until %d: %q, want %q", step, got, want)
		}
	}
	for step, want := range map[int64]int64{-1: 3, 3: 5, 4: 5, 5: math.MaxInt64} {
		if got := f.After(step); got != want {
			t.Errorf("after %d comes %d, want %d", step, got, want)
		}
	}
}

func TestBegunTrainings(t *testing.T) {
	f, err := record.ParseFacts([]byte(`{"trainings":[{"at":3},{"at":9}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for step, want := range map[int64]int{0: 0, 2: 0, 3: 1, 8: 1, 9: 2, math.MaxInt64: 2} {
		if got := f.Begun(step); got != want {
			t.Errorf("at %d: %d have begun, want %d", step, got, want)
		}
		if got := len(f.Until(step).Trainings); got != want {
			t.Errorf("until %d: %d, want %d", step, got, want)
		}
	}
	for step, want := range map[int64]int64{-1: 3, 3: 9, 9: math.MaxInt64} {
		if got := f.After(step); got != want {
			t.Errorf("after %d comes %d, want %d", step, got, want)
		}
	}
}

// Rules that judge a step of a later training get what that one showed, and what
// the one before showed as long as it was not looked at.
func TestFactsOfALaterTraining(t *testing.T) {
	f, err := record.ParseFacts([]byte(`{"framework":"pytorch","step":"a","labels":{"at":3,"dtype":"F32"},"graph":{"at":20},
		"trainings":[{"at":5,"facts":{"step":"b","labels":{"at":7,"dtype":"I64"},"graph":{"at":9}}},{"at":11},{"at":13,"facts":{}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for step, want := range map[int64]string{2: "", 3: "a labels", 4: "a labels", 5: "trainings", 7: "b labels trainings", 9: "b labels graph trainings", 11: "b labels graph trainings trainings", 13: "trainings trainings trainings"} {
		g := f.Until(step)
		got := strings.Join(g.Sections(), " ")
		if step == 2 {
			got = strings.TrimPrefix(got, "a")
		} else if g.Step != "" {
			got = g.Step + " " + got
		}
		if got != want || g.Framework != "pytorch" {
			t.Errorf("until %d: %q, want %q", step, got, want)
		}
	}
	for step, want := range map[int64]int64{3: 5, 5: 7, 7: 9, 9: 11, 11: 13, 13: math.MaxInt64} {
		if got := f.After(step); got != want {
			t.Errorf("after %d comes %d, want %d", step, got, want)
		}
	}
}

func TestSettleFacts(t *testing.T) {
	for _, c := range []struct {
		name, came, before string
		next               int64
		want               string
	}{
		{"in time", `{"framework":"pytorch","labels":{"at":3,"dtype":"I64"}}`, ``, 3, `{"framework":"pytorch","labels":{"at":3,"dtype":"I64"}}`},
		{"late", `{"labels":{"at":3,"dtype":"I64"}}`, ``, 8, `{"labels":{"at":8,"dtype":"I64"}}`},
		{"without a place", `{"labels":{"dtype":"I64"},"graph":null}`, ``, 8, `{"graph":null,"labels":{"at":8,"dtype":"I64"}}`},
		{"again", `{"labels":{"at":3}}`, `{"labels":{"at":8}}`, 9, `{"labels":{"at":8}}`},
		{"changed", `{"labels":{"at":3,"dtype":"F32"},"interval":5}`, `{"labels":{"at":3,"dtype":"I64"},"interval":1}`, 9, `{"interval":5,"labels":{"at":3,"dtype":"I64"}}`},
		{"more", `{"labels":{"at":3},"graph":{"at":4}}`, `{"labels":{"at":3}}`, 6, `{"graph":{"at":6},"labels":{"at":3}}`},
		{"gone", `{"labels":null}`, `{"labels":{"at":3}}`, 6, `{"labels":{"at":3}}`},
		{"a second training", `{"trainings":[{"at":7}]}`, `{"framework":"go"}`, 6, `{"trainings":[{"at":7}]}`},
		{"a third, late", `{"trainings":[{"at":3},{"at":7}]}`, `{"trainings":[{"at":4}]}`, 9, `{"trainings":[{"at":4},{"at":9}]}`},
		{"trainings gone", `{"framework":"go"}`, `{"trainings":[{"at":4}]}`, 9, `{"framework":"go","trainings":[{"at":4}]}`},
		{"a training to be looked at", `{"trainings":[{"at":4,"facts":{}}]}`, ``, 4, `{"trainings":[{"at":4,"facts":{}}]}`},
		{"its facts, late", `{"trainings":[{"at":4,"facts":{"labels":{"at":6}}}]}`, `{"trainings":[{"at":5,"facts":{}}]}`, 9, `{"trainings":[{"at":5,"facts":{"labels":{"at":9}}}]}`},
		{"its facts again", `{"trainings":[{"at":4,"facts":{"labels":{"at":8,"dtype":"I64"}}}]}`, `{"trainings":[{"at":5,"facts":{"labels":{"at":9}}}]}`, 12, `{"trainings":[{"at":5,"facts":{"labels":{"at":9}}}]}`},
		{"nothing", ``, `{"labels":{"at":3}}`, 6, `{"labels":{"at":3}}`},
		{"null", `null`, ``, 6, ``},
	} {
		got, f, err := record.SettleFacts([]byte(c.came), []byte(c.before), c.next)
		if err != nil || string(got) != c.want || (f == nil) != (c.came == "" || c.came == "null") {
			t.Errorf("%s: %s, %v, %v; want %s", c.name, got, f, err, c.want)
		}
	}
	for _, bad := range []string{`{"trainings":[{"facts":{"trainings":[{"at":1}]}}]}`, `{"trainings":[{"Facts":{}}]}`, `{"trainings":[{"facts":{"labels":3}}]}`} {
		if got, f, err := record.SettleFacts([]byte(bad), []byte(`{}`), 0); err == nil || f != nil || string(got) != `{}` {
			t.Errorf("%s gives %s, %v, %v", bad, got, f, err)
		}
	}
	if got, f, err := record.SettleFacts([]byte(`{"labels":[1]}`), []byte(`{}`), 0); err == nil || f != nil || string(got) != `{}` {
		t.Errorf("facts that cannot be read give %s, %v, %v", got, f, err)
	}
}

// Whatever comes: what is kept can be read again, does not change when it comes
// once more, and no new section lies before the next step.
func FuzzSettleFacts(f *testing.F) {
	f.Add([]byte(`{"labels":{"at":3},"graph":{"at":1}}`), []byte(`{"labels":{"at":2}}`), int64(5))
	f.Add([]byte(`{"Labels":{"at":3}}`), []byte(`null`), int64(5))
	f.Add([]byte(`{"trainings":[{"at":3},{"at":1}]}`), []byte(`{"trainings":[{"at":2}]}`), int64(5))
	f.Add([]byte(`{"trainings":[{"at":3,"facts":{"labels":{"at":1}}}]}`), []byte(`{"trainings":[{"at":2,"facts":{}}]}`), int64(5))
	f.Add([]byte(`[]`), []byte(`x`), int64(0))
	f.Fuzz(func(t *testing.T, came, before []byte, next int64) {
		old, err := record.ParseFacts(before)
		if err != nil {
			before, old = nil, nil
		}
		kept, facts, err := record.SettleFacts(came, before, next)
		if err != nil || facts == nil {
			if string(kept) != string(before) {
				t.Fatalf("kept %q instead of %q", kept, before)
			}
			return
		}
		if old == nil && facts.After(math.MinInt64) < next {
			t.Fatalf("a new section lies before step %d: %s", next, kept)
		}
		if !json.Valid(kept) {
			t.Fatalf("kept is %s", kept)
		}
		again, _, err := record.SettleFacts(came, kept, math.MaxInt64)
		if err != nil || string(again) != string(kept) {
			t.Fatalf("%s becomes %s: %v", kept, again, err)
		}
	})
}
