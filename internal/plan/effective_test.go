package plan

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestEffective(t *testing.T) {
	p := must(t, Options{Every: 50}, []Collection{
		{Name: Weights, Schedule: Every(100), Want: Raw, By: []string{"--collect"}},
		{Name: Weights, Schedule: Every(30, record.Eval), By: []string{"vigil.yaml:3:5"}},
	},
		Need{By: "vanishing_gradient", Selector: Selector{Collections: []string{Gradients}}, Schedule: Every(100), Want: Stats},
		Need{By: "exploding_tensor", Selector: Selector{Collections: []string{Gradients}}, Schedule: Every(20), Want: Stats},
		Need{By: "all_zero", Selector: Selector{Regex: []string{"mask"}}, Schedule: Every(5), Want: Stats},
	)
	type row struct {
		Name     string
		Schedule Schedule
		Want     Want
		By       []string
	}
	train := func(n int64) Schedule { return Every(n, record.Train, record.Global) }
	var got []row
	for _, c := range p.Effective() {
		s := c.Schedule.with(ModeSchedule.normal)
		got = append(got, row{c.Name, s, c.Want, c.By})
	}
	want := []row{
		{Losses, Every(1), Stats, []string{"default"}},
		{Weights, Every(100), Stats | Hist | Raw, []string{"--collect"}},
		{Weights, Every(30, record.Eval).with(ModeSchedule.normal), Stats | Hist | Raw, []string{"vigil.yaml:3:5"}},
		{Biases, train(50).with(ModeSchedule.normal), Stats | Hist, []string{"default"}},
		{Gradients, train(50).with(ModeSchedule.normal), Stats | Hist, []string{"default", "rule vanishing_gradient"}},
		{Gradients, train(20).with(ModeSchedule.normal), Stats, []string{"rule exploding_tensor"}},
		{"all_zero", Every(5), Stats, []string{"rule all_zero"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// The form that run.json keeps and other programs read.
func TestPlanAsJSON(t *testing.T) {
	p := must(t, Options{Budget: 0.02, Framework: "pytorch"}, []Collection{regex("attention", Every(10, record.Train), Raw, `attn.*weight`)},
		Need{
			By: "dead_relu", Selector: Selector{Collections: []string{"relu_output"}}, Schedule: Every(100), Want: Stats,
			Units: []Units{{Below: math.Inf(1), Inactivity: 1, Window: 1}},
		},
		Need{By: "unchanged_tensor", Selector: Selector{Collections: []string{Weights}}, Schedule: Every(50), Want: Stats, Pairs: []Pair{{Lag: 1, Close: true, RTol: 1e-5}}},
	)
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, '\n')
	golden := filepath.Join("testdata", "plan.json")
	if *update {
		if err := os.WriteFile(golden, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, want) {
		t.Errorf("the plan's form changed (-update writes it anew):\n%s", cmp.Diff(string(want), string(b)))
	}
	var back struct {
		Collections []Collection `json:"collections"`
	}
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(back.Collections, func(c Collection) bool { return c.Name == "attention" }); i < 0 || !back.Collections[i].Schedule.Due(record.Train, 10, 0) {
		t.Errorf("read back as %+v", back)
	}
}

func TestWire(t *testing.T) {
	p := must(t, Options{Every: 10}, []Collection{{Name: "relu_output", Schedule: Every(3)}},
		Need{By: "vanishing_gradient", Selector: Selector{Collections: []string{Gradients}}, Schedule: Every(4), Want: Stats},
		Need{By: "exploding_tensor", Selector: Selector{Collections: []string{Gradients}}, Schedule: Every(20), Want: Stats},
	)
	w := p.Wire([]WireTensor{{0, weight}, {1, gradW}, {2, rootOut}, {3, loss}, {9, relu}}, []WireModule{{"", "Net"}, {"act", "ReLU"}})
	train := func(n int64) Schedule { return Every(n, record.Train, record.Global) }
	want := Wire{
		Schedules: []Schedule{train(10), train(4).yielding(), Every(1), Every(3)},
		Tensors:   [][2]int64{{0, 0}, {1, 0}, {1, 1}, {2, -1}, {3, 2}, {9, 3}},
		Values:    [][2]int64{},
		Modules:   []WireWatch{{"act", record.Output, 3}},
		Losses:    true,
	}
	for i := range w.Schedules {
		w.Schedules[i] = w.Schedules[i].with(ModeSchedule.normal)
	}
	for i := range want.Schedules {
		want.Schedules[i] = want.Schedules[i].with(ModeSchedule.normal)
	}
	if d := cmp.Diff(want, w); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestEmptyWireHasLists(t *testing.T) {
	b, err := json.Marshal(must(t, Options{}, nil).Wire(nil, nil))
	if err != nil || bytes.Contains(b, []byte("null")) {
		t.Errorf("%s, %v", b, err)
	}
}

// Equal requests have equal keys, and unequal ones differ.
func TestKeys(t *testing.T) {
	s := Every(50, record.Train)
	for key, got := range map[string]string{
		"pair[lag=1,every=50]":                                           Pair{Lag: 1}.Key(s),
		"pair[within=10,every=50]":                                       Pair{Within: 10}.Key(s),
		"pair[lag=2,every=50,rtol=1e-05,atol=1e-08,nan=true]":            Pair{Lag: 2, Close: true, RTol: 1e-5, ATol: 1e-8, EqualNaN: true}.Key(s),
		"pair[lag=1,every=0,start=2,end=0,steps=[1]]":                    Pair{Lag: 1}.Key(Schedule{{Start: 2, Steps: []int64{1}}}),
		"units[element,above=0,below=+Inf,inactivity=1,window=1]":        Units{Below: math.Inf(1), Inactivity: 1, Window: 1}.Key(),
		"units[channel,above=-0.9,below=0.9,inactivity=100,window=1000]": Units{Channel: true, Above: -0.9, Below: 0.9, Inactivity: 100, Window: 1000}.Key(),
	} {
		if got != key {
			t.Errorf("key %s, want %s", got, key)
		}
	}
}
