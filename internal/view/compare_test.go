package view

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// trained stores a run with series and opens it.
func trained(t *testing.T, root string, run record.Run, series map[string][]float64) source.Run {
	t.Helper()
	run.Started, run.Status = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC), record.Completed
	w, err := store.Create(vfs.OS, root, run.Name, run)
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(series))
	var infos []record.TensorInfo
	longest := 0
	for i, name := range names {
		kind := record.Metric
		if name == "loss" {
			kind = record.Loss
		}
		infos = append(infos, record.TensorInfo{Name: name, Kind: kind, Order: i})
		longest = max(longest, len(series[name]))
	}
	if err := w.Announce("worker_0", infos); err != nil {
		t.Fatal(err)
	}
	for step := range int64(longest) {
		s := &record.Step{Worker: "worker_0", Step: step, Mode: record.Train, ModeStep: step}
		for _, name := range names {
			if values := series[name]; step < int64(len(values)) {
				s.Scalars = append(s.Scalars, record.Scalar{Name: name, Value: values[step]})
			}
		}
		if err := w.Append("worker_0", "", 0, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.WriteLabels(vfs.OS, w.Path(), record.Labels{Tags: run.Tags}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tr, err := trial.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// Runs are compared by what they were made of and by the series that they share.
func TestCompare(t *testing.T) {
	root := t.TempDir()
	facts := func(lr string) json.RawMessage {
		return json.RawMessage(`{"v":1,"framework":"pytorch","step":"one update","models":[{"name":"model","class":"Net","parameters":10,"trained":10}],` +
			`"optimisers":[{"class":"SGD","lr":` + lr + `,"groups":[{"lr":` + lr + `,"momentum":0.9}]}],"loss":{"name":"loss","function":"mse_loss","reduction":"mean"}}`)
	}
	a := trained(t, root, record.Run{
		Name: "a", Command: []string{"python", "train.py", "--lr", "0.1", "--amp", "--sizes=64,32"}, Facts: facts("0.1"), Host: "here", Tags: map[string]string{"exp": "x"},
	}, map[string][]float64{"loss": {3, 2, 1}, "acc": {0.1, 0.2}, "only_a": {1}})
	b := trained(t, root, record.Run{
		Name: "b", Command: []string{"python", "train.py", "--lr", "1", "--sizes=64,32", "--seed", "-3"}, Facts: facts("1"), Host: "here", Tags: map[string]string{"exp": "x"},
	}, map[string][]float64{"loss": {3, math.NaN(), math.Inf(1), 5}, "acc": {0.3, 0.1}})
	c, err := Compare([]source.Run{a, b}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range c.Differences {
		line := d.Section + " " + d.Name
		for _, v := range d.Values {
			if v == nil {
				line += " | -"
			} else {
				line += " | " + *v
			}
		}
		got = append(got, line)
	}
	want := []string{
		"configuration amp | true | -",
		"configuration lr | 0.1 | 1",
		"configuration seed | - | -3",
		"training optimiser lr | 0.1 | 1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("differences\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !slices.ContainsFunc(c.Alike, func(d Difference) bool { return d.Name == "tag exp" && *d.Values[0] == "x" }) || c.Same != len(c.Alike) {
		t.Errorf("%d the same: %+v", c.Same, c.Alike)
	}
	if len(c.Series) != 2 || c.Series[0].Name != "loss" || c.Series[1].Name != "acc" || !slices.Equal(c.Alone, []string{"only_a (TRAIN)"}) {
		t.Fatalf("series %+v, alone %q", c.Series, c.Alone)
	}
	if l := c.Series[0].Of[1]; l.Points != 4 || l.Last != 5 || l.At != 3 || l.Min != 3 || l.Max != 5 {
		t.Errorf("the loss of b: %+v", l)
	}
	if _, err := json.Marshal(c); err != nil {
		t.Errorf("as JSON: %v", err)
	}
}

// A value that is not finite anywhere has no least and no greatest.
func TestCourseOfNothingFinite(t *testing.T) {
	c := newCourse(course{steps: []int64{0, 1}, values: []float64{math.NaN(), math.Inf(1)}}, 0)
	if !math.IsNaN(float64(c.Min)) || !math.IsNaN(float64(c.Max)) {
		t.Errorf("%+v", c)
	}
}

// What a run says under provenance becomes properties by the names that lead to them.
func TestFlatten(t *testing.T) {
	var value any
	if err := json.Unmarshal([]byte(`{"optimizer":{"lr":0.001,"betas":[0.9,0.999]},"amp":true,"name":"x","none":null,"devices":[{"type":"cuda"},{"type":"cpu"}]}`), &value); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	flatten("config", value, func(name, text string) { got[name] = text })
	want := map[string]string{
		"config.optimizer.lr": "0.001", "config.optimizer.betas": "[0.9,0.999]", "config.amp": "true", "config.name": "x",
		"config.devices.0.type": "cuda", "config.devices.1.type": "cpu",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestScriptOf(t *testing.T) {
	for command, want := range map[string]string{
		"python train.py": "train.py", "torchrun --nproc-per-node 2 train.py --lr 0.1 --amp": "train.py",
		"python -m pkg.train model.depth=3 data": "pkg.train", "./job -n -3": "./job", "": "",
	} {
		if got := scriptOf(strings.Fields(command)); got != want {
			t.Errorf("%q: script %q, want %q", command, got, want)
		}
	}
}

// changed is a run that keeps what differed from its commit.
type changed struct {
	stored
	diff string
}

type stored interface{ source.Run }

func (c changed) Diff() []byte { return []byte(c.diff) }

// Runs of one commit may differ in what was not committed.
func TestCompareUncommittedChanges(t *testing.T) {
	root := t.TempDir()
	a, b := trained(t, root, record.Run{Name: "a"}, nil), trained(t, root, record.Run{Name: "b"}, nil)
	for _, tt := range []struct {
		a, b string
		want []string
	}{
		{"+x\n", "+x\n", nil},
		{"+x\n", "+y\n-z\n", []string{"1 line (", "2 lines ("}},
		{"", "+y\n", []string{"", "1 line ("}},
	} {
		c, err := Compare([]source.Run{changed{a, tt.a}, changed{b, tt.b}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []*string
		for _, d := range c.Differences {
			if d.Name == "uncommitted changes" {
				got = d.Values
			}
		}
		if len(got) != len(tt.want) {
			t.Errorf("%q and %q: %v, want %q", tt.a, tt.b, got, tt.want)
			continue
		}
		for i, want := range tt.want {
			if text := ""; got[i] != nil {
				text = *got[i]
				if want == "" || !strings.HasPrefix(text, want) {
					t.Errorf("%q and %q: %q, want %q", tt.a, tt.b, text, want)
				}
			} else if want != "" {
				t.Errorf("%q and %q: nothing, want %q", tt.a, tt.b, want)
			}
		}
	}
}

// A run that knows which options its script was given names the script as well as
// one that has the command alone.
func TestCompareScript(t *testing.T) {
	root, loss := t.TempDir(), map[string][]float64{"loss": {1}}
	a := trained(t, root, record.Run{Name: "a", Command: []string{"python", "train.py"}}, loss)
	b := trained(t, root, record.Run{Name: "b", Command: []string{"python", "train.py", "--lr", "1"}, Provenance: &record.Provenance{Hyperparameters: map[string]string{"lr": "1"}}}, loss)
	c, err := Compare([]source.Run{a, b}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.Differences {
		if d.Section != InConfiguration || d.Name != "lr" {
			t.Errorf("%s %s differs: %v", d.Section, d.Name, d.Values)
		}
	}
}
