package measure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
	_ "github.com/vigil-ml/vigil/internal/testenv/seeded"
)

// Whatever byte of the file is wrong, a value is either compared rightly or
// treated as never kept, and later steps are measured.
func TestDamagedSpill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spill")
	d := pairsOf(every(1), plan.Pair{Lag: 1})
	m := open(t, path)
	at(t, m, d, 0, vector(1, 2, 3, 4))
	at(t, m, d, 1, vector(1, 2, 3, 5))
	m.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{
		"mean_abs_diff@1=0.25 max_abs_diff@1=1 mean_abs_from@1=2.75": true,
		"mean_abs_diff@0=0.5 max_abs_diff@0=2 mean_abs_from@0=2.5":   true, // step 1 is torn
		"": true,
	}
	damage := func(what string, at0 int, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		m := open(t, path)
		if got := at(t, m, d, 2, vector(1, 2, 3, 6)); !want[got] {
			t.Errorf("%s at %d: %s", what, at0, got)
		}
		if got := at(t, m, d, 3, vector(1, 2, 3, 6)); got != "mean_abs_diff@2=0 max_abs_diff@2=0 mean_abs_from@2=3" {
			t.Errorf("%s at %d, one step later: %s", what, at0, got)
		}
		m.Close()
	}
	for i := range whole {
		b := append([]byte(nil), whole...)
		b[i] ^= 0x41
		damage("flipped", i, b)
	}
	for i := 0; i < len(whole); i += 7 {
		damage("cut", i, whole[:i])
	}
}

func TestSpillLimit(t *testing.T) {
	m, err := New(Options{Spill: filepath.Join(t.TempDir(), "spill"), Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	d := pairsOf(every(1), plan.Pair{Lag: 1})
	v := tensor.View{DType: tensor.U8, Shape: []int64{5000}, Data: make([]byte, 5000)}
	s, _, err := m.Tensor(record.TensorInfo{Name: "w"}, d, record.Train, 0, v)
	if err == nil || !strings.Contains(err.Error(), "limit of 1000 bytes") || !strings.Contains(err.Error(), `"w"`) {
		t.Errorf("error %v", err)
	}
	if s.Count != 5000 {
		t.Error("no statistics beside the error")
	}
}

func TestSpillCannotBeMade(t *testing.T) {
	m := open(t, filepath.Join(t.TempDir(), "no", "such", "folder"))
	_, _, err := m.Tensor(record.TensorInfo{Name: "w"}, pairsOf(every(1), plan.Pair{Lag: 1}), record.Train, 0, vector(1))
	if err == nil || !strings.Contains(err.Error(), "create spill file") {
		t.Errorf("error %v", err)
	}
}

// Large values go through the file in pieces.
func TestLargeValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spill")
	d := pairsOf(every(1), plan.Pair{Lag: 1, Close: true})
	n := chunk/4*2 + 77
	xs := make([]float32, n)
	m := open(t, path)
	at(t, m, d, 0, vector(xs...))
	for _, i := range []int{0, chunk / 4, n - 1} {
		xs[i] = 3
	}
	m = open(t, path)
	_, derived, err := m.Tensor(record.TensorInfo{Name: "w"}, d, record.Train, 1, vector(xs...))
	if err != nil || len(derived) != 4 || derived[0].Value != 9/float64(n) || derived[3].Value != 3 {
		t.Errorf("%v %v", derived, err)
	}
}

// TestAnyOrder holds the Meter, which forgets what it can, to one that keeps
// everything: any requests, captured steps, sizes and restarts.
func TestAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "spill")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "spill")
		var d plan.Decision
		for range rapid.IntRange(1, 3).Draw(t, "requests") {
			r := plan.Request{Schedule: every(rapid.Int64Range(0, 3).Draw(t, "every"))}
			if rapid.Bool().Draw(t, "lag") {
				r.Pairs = []plan.Pair{{Lag: rapid.Int64Range(1, 3).Draw(t, "n")}}
			} else {
				r.Pairs = []plan.Pair{{Within: rapid.Int64Range(1, 9).Draw(t, "n")}}
			}
			d.Requests = append(d.Requests, r)
		}
		m, err := New(Options{Spill: path})
		if err != nil {
			t.Fatal(err)
		}
		var steps []int64
		for step := range int64(25) {
			if rapid.IntRange(0, 3).Draw(t, "skip") == 0 {
				continue
			}
			size := rapid.IntRange(1, 2).Draw(t, "size") * 60
			v := tensor.View{DType: tensor.U8, Shape: []int64{int64(size)}, Data: make([]byte, size)}
			for range rapid.IntRange(1, 2).Draw(t, "times") {
				_, derived, err := m.Tensor(record.TensorInfo{Name: "w"}, d, record.Train, step, v)
				if err != nil {
					t.Fatal(err)
				}
				got := map[string]int64{}
				for _, x := range derived {
					got[x.Stat[:strings.IndexByte(x.Stat, ']')+1]] = x.From
				}
				for key, from := range expected(d, steps, step) {
					if g, ok := got[key]; !ok || g != from {
						t.Fatalf("step %d %s: got %d (%t), want %d", step, key, g, ok, from)
					}
					delete(got, key)
				}
				if len(got) > 0 {
					t.Fatalf("step %d: too many pairs %v", step, got)
				}
				if rapid.IntRange(0, 4).Draw(t, "restart") == 0 {
					if m, err = New(Options{Spill: path}); err != nil {
						t.Fatal(err)
					}
				}
			}
			steps = append(steps, step)
		}
		m.Close()
	})
}

// expected are the steps to compare with, found the plain way.
func expected(d plan.Decision, steps []int64, step int64) map[string]int64 {
	want := map[string]int64{}
	for _, r := range d.Requests {
		s := r.Schedule[record.Train]
		if !due(s, step) {
			continue
		}
		var mine []int64
		for _, p := range steps {
			if due(s, p) {
				mine = append(mine, p)
			}
		}
		p := r.Pairs[0]
		if p.Within > 0 {
			for _, c := range mine {
				if c >= step-p.Within {
					want[p.Key(r.Schedule)] = c
					break
				}
			}
		} else if n := int64(len(mine)); n >= p.Lag {
			want[p.Key(r.Schedule)] = mine[n-p.Lag]
		}
	}
	return want
}
