package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

// What scripts say of collections: which are in force then, and what belongs
// to them.
func TestCollectionsOfAScript(t *testing.T) {
	set := settings(t)
	set.Config.Rules, set.Config.Every = "none", 10
	a := startAgent(t, set)
	c := dial(t, set, record.TensorInfo{Name: "loss", Kind: record.Loss, DType: "F64", Shape: []int64{}})
	for _, m := range []capture.Collection{
		{Name: "losses", Names: []string{"mine"}, Joins: true},
		{Name: "weights", Names: []string{"mine"}, Joins: true},
		{Name: "weights", Names: []string{"other"}, Joins: true},
		{Name: "weights", Names: []string{"other"}, Joins: true}, // said again, as after a takeover
		{Name: "shown", Names: []string{"mine"}, Joins: true},
		{Name: "gradients", Off: true},
		{Name: "own", Regex: []string{"^mine$"}, Every: 3, Start: 6, Raw: true, Mode: "TRAIN/EVAL"},
		{Name: "listed", Names: []string{"other"}, Steps: []int64{4}, Hist: true},
		{Name: "odd", Regex: []string{"x"}, Mode: "trian"},
		{Name: "negative", Regex: []string{"x"}, Every: -1},
		{Name: "nothing"},
	} {
		c.Say(capture.TypeCollection, m)
	}
	c.Say(capture.TypeTensors, capture.Tensors{Tensors: []capture.TensorInfo{
		{ID: 1, TensorInfo: record.TensorInfo{Name: "mine", Kind: record.Custom, DType: "F32", Shape: []int64{1}}},
		{ID: 2, TensorInfo: record.TensorInfo{Name: "other", Kind: record.Custom, DType: "F32", Shape: []int64{1}}},
	}})
	c.Publish(capture.Record{Kind: capture.Step, Value: 0.1})
	if !c.Wait(waitTime) {
		t.Fatal("not acknowledged")
	}
	c.Close()
	a.completed()
	tr := openTrial(t, set)
	for _, info := range tr.Announced() {
		want := map[string][]string{
			"loss": {"losses"}, "mine": {"losses", "own", "shown", "weights"}, "other": {"listed", "weights"},
		}[info.Name]
		if !slices.Equal(info.Collections, want) {
			t.Errorf("%s belongs to %v, want %v", info.Name, info.Collections, want)
		}
	}
	run := tr.Run()
	var last struct{ Collections []plan.Collection }
	if err := json.Unmarshal(run.Plan[len(run.Plan)-1].Plan, &last); err != nil {
		t.Fatal(err)
	}
	inForce := map[string]plan.Collection{}
	for _, one := range last.Collections {
		if !slices.Contains(one.By, plan.Curves) { // what the size of updates takes comes besides
			inForce[one.Name] = one
		}
	}
	off := plan.ModeSchedule{Off: true}
	third := plan.ModeSchedule{Every: 3, Start: 6}
	fourth := plan.ModeSchedule{Steps: []int64{4}, Off: true}
	for name, want := range map[string]struct {
		schedule plan.Schedule
		want     plan.Want
	}{
		"losses":  {plan.Every(1), plan.Stats},
		"weights": {plan.Every(10, record.Train, record.Global), plan.Stats | plan.Hist},
		"biases":  {plan.Every(10, record.Train, record.Global), plan.Stats | plan.Hist},
		"own":     {plan.Schedule{third, third, off, off}, plan.Stats | plan.Raw},
		"listed":  {plan.Schedule{fourth, fourth, fourth, fourth}, plan.Stats | plan.Hist},
	} {
		got, ok := inForce[name]
		if !ok || !got.Schedule.Equal(want.schedule) || got.Want != want.want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		delete(inForce, name)
	}
	for name := range inForce {
		t.Errorf("%s is in force", name)
	}
	var notices []string
	for _, e := range a.list() {
		if e.Notice != nil {
			notices = append(notices, e.Notice.Text)
		}
	}
	all := strings.Join(notices, "\n")
	for _, want := range []string{`"odd" was ignored`, `"negative" was ignored: every, start, end and steps must not be negative`, `"nothing" was ignored`} {
		if !strings.Contains(all, want) {
			t.Errorf("nobody is told that the collection %s; said: %s", want, all)
		}
	}
}
