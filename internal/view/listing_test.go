package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// What a run has of each name, found in one pass, is what it says of one name.
func TestList(t *testing.T) {
	r := theRun(t)
	list := List(r)
	var got []string
	for _, l := range list {
		if !slices.Equal(l.Stats, r.StatNames(l.Name)) {
			t.Errorf("%s: %v, want %v", l.Name, l.Stats, r.StatNames(l.Name))
		}
		got = append(got, fmt.Sprintf("%s %s %v train %d eval %d", l.Name, l.Kind, l.Modes, l.Points[record.Train], l.Points[record.Eval]))
	}
	want := []string{
		"loss loss [TRAIN EVAL] train 120 eval 30", "accuracy scalar [EVAL] train 0 eval 30",
		"fc.weight weight [TRAIN] train 60 eval 0", "gradient/fc.weight gradient [TRAIN] train 60 eval 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var charts []string
	for _, c := range Charts(list) {
		charts = append(charts, fmt.Sprintf("%s %s %s: %s, %d", c.Name, c.Ask.Stat, c.Ask.Mode, c.Group, c.Points))
	}
	want = []string{
		"loss  TRAIN: losses, 120", "loss  EVAL: losses, 30", "accuracy  EVAL: metrics, 30",
		"fc.weight l2 TRAIN: collection weights, 60", "gradient/fc.weight l2 TRAIN: collection gradients, 60",
	}
	if !slices.Equal(charts, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(charts, "\n"), strings.Join(want, "\n"))
	}
	if got := fmt.Sprint(CollectionCounts(list)); got != "[{all 4} {losses 1} {metrics 1} {weights 1} {gradients 1}]" {
		t.Errorf("collections %s", got)
	}
}

// Weights and gradients are shown by their size, as far as it was captured, all
// else by its value or mean.
func TestStatisticOfACurve(t *testing.T) {
	for _, tt := range []struct {
		kind  record.Kind
		stats []string
		want  string
	}{
		{record.Gradient, []string{"min", "mean", "std", "abs_mean", "l2"}, "[l2]"},
		{record.Weight, []string{"mean", "std", "abs_mean"}, "[std]"},
		{record.Bias, []string{"mean", "abs_mean"}, "[abs_mean]"},
		{record.Gradient, []string{"mean"}, "[mean]"},
		{record.Gradient, []string{"min", "max"}, "[]"},
		{record.Output, []string{"mean", "std", "l2"}, "[mean]"},
		{record.Output, []string{"l2"}, "[]"},
		{record.Loss, []string{"value"}, "[]"},
		{record.Weight, []string{"value", "mean"}, "[]"},
	} {
		l := Listed{TensorInfo: record.TensorInfo{Name: "x", Kind: tt.kind}}
		l.Stats, l.Modes = tt.stats, []record.Mode{record.Train}
		stats := []string{}
		charts := Charts([]Listed{l})
		for _, c := range charts {
			if c.Ask.Stat != "" {
				stats = append(stats, c.Ask.Stat)
			}
		}
		if got := fmt.Sprint(stats); got != tt.want || len(charts) != 1 && slices.Contains(tt.stats, "value") {
			t.Errorf("%s with %v: %s, want %s; %d curves", tt.kind, tt.stats, got, tt.want, len(charts))
		}
	}
}

func TestEpochMarks(t *testing.T) {
	for _, tt := range []struct {
		epochs string
		steps  int64
		want   string
	}{
		{`{"stretches":[{"at":0,"number":1,"updates":40}]}`, 120, "[{1 0} {2 40} {3 80}]"},
		{`{"stretches":[{"at":0,"number":1,"updates":40}]}`, 121, "[{1 0} {2 40} {3 80} {4 120}]"},
		{`{"stretches":[{"at":0,"number":1,"updates":40},{"at":80,"number":3,"updates":20}]}`, 120, "[{1 0} {2 40} {3 80} {4 100}]"},
		{`{"stretches":[{"at":0,"number":1,"updates":40}],"until":60}`, 120, "[{1 0} {2 40}]"},
		{`{"batches":100,"stretches":[{"at":0,"number":1,"updates":0}]}`, 20, "[{1 0}]"},
		{`null`, 20, "[]"},
	} {
		run := record.Run{Steps: map[string]int64{"TRAIN": tt.steps}, Facts: []byte(`{"epochs":` + tt.epochs + `}`)}
		if got := fmt.Sprint(EpochMarks(run)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.epochs, got, tt.want)
		}
	}
	long := record.Run{Steps: map[string]int64{"TRAIN": 1e6}, Facts: []byte(`{"epochs":{"stretches":[{"at":0,"number":1,"updates":2}]}}`)}
	if n := len(EpochMarks(long)); n > 2*mostMarks+1 {
		t.Errorf("%d marks", n)
	}
}
