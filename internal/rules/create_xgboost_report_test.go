package rules_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// The report is written a minute after the rule began, then whenever there is
// something new and a minute has passed, and once at the end. The rule finds
// nothing; it fails only when the report cannot be written.
func TestCreateXgboostReport(t *testing.T) {
	written := func(err error) (*[]string, func(*rules.Options)) {
		var kinds []string
		return &kinds, func(o *rules.Options) {
			o.Document = func(kind string) error {
				kinds = append(kinds, kind)
				return err
			}
		}
	}
	metric := func(step int64) input {
		return input{step: step, scalars: map[string]float64{"train-rmse": 1}}
	}
	kinds, option := written(nil)
	j := newJobWith(t, option, config("CreateXgboostReport"))
	for _, at := range []struct {
		seconds int
		step    int64 // -1: none
		want    int   // reports so far
	}{{0, 0, 0}, {59, 1, 0}, {60, -1, 1}, {130, -1, 1}, {131, 2, 2}, {132, -1, 2}, {150, 3, 2}, {190, -1, 2}, {191, -1, 3}} {
		if at.step >= 0 {
			j.feed(metric(at.step))
		}
		j.engine.Tick(epoch.Add(time.Duration(at.seconds) * time.Second))
		if len(*kinds) != at.want {
			t.Fatalf("after %d s: %d reports, want %d", at.seconds, len(*kinds), at.want)
		}
	}
	j.engine.Finish(record.Completed)
	if !slices.Equal(*kinds, []string{rule.XgboostReport, rule.XgboostReport, rule.XgboostReport, rule.XgboostReport}) {
		t.Errorf("reports are %v", *kinds)
	}
	if s := j.engine.Statuses()[0]; s.Status != rules.NoIssuesFound || s.Findings != 0 || s.Datapoints != 4 {
		t.Errorf("status is %+v", s)
	}

	kinds, option = written(nil)
	j = newJobWith(t, option, config("create_xgboost_report"))
	j.feed(input{scalars: map[string]float64{"loss": 1}})
	j.engine.Finish(record.Completed)
	if s := j.engine.Statuses()[0]; len(*kinds) != 0 || s.Status != rules.NoIssuesFound || !strings.Contains(s.Details, "there is nothing to report") {
		t.Errorf("of a job without boosting: %v, %+v", *kinds, s)
	}

	_, option = written(errors.New("the disk is full"))
	j = newJobWith(t, option, config("xgboost_report"))
	j.feed(metric(0))
	j.engine.Finish(record.Completed)
	if s := j.engine.Statuses()[0]; s.Status != rules.StatusError || !strings.Contains(s.Details, "the disk is full") {
		t.Errorf("where it cannot be written: %+v", s)
	}
}

// What the rule has saved: labels and predictions with their values every five
// rounds, and the settings once.
func TestNeedsOfCreateXgboostReport(t *testing.T) {
	for _, name := range []string{"CreateXgboostReport", "create_xgboost_report", "createxgboostreport", "CreateXGBoostReport", "XgboostReport", "xgboost_report"} {
		if d, ok := rules.Lookup(name); !ok || d.Name != "create_xgboost_report" {
			t.Errorf("%q finds no rule", name)
		}
	}
	j := newJob(t, config("CreateXgboostReport"))
	due := func(info record.TensorInfo, step int64) (raw bool, any bool) {
		d := j.plan.Decide(info)
		for _, r := range d.Due(record.Train, step) {
			raw, any = raw || r.Want&rule.WantRaw != 0, true
		}
		return raw, any
	}
	for _, step := range []int64{0, 3, 5} {
		fifth := step%5 == 0
		if raw, any := due(record.TensorInfo{Name: "labels", Kind: record.Label}, step); raw != fifth || any != fifth {
			t.Errorf("labels at step %d: raw %t, %t", step, raw, any)
		}
		if raw, any := due(record.TensorInfo{Name: "feature_importance/gain/a", Kind: record.Metric}, step); raw || any != fifth {
			t.Errorf("importance at step %d: raw %t, %t", step, raw, any)
		}
		if _, any := due(record.TensorInfo{Name: "hyperparameters/eta", Kind: record.Metric}, step); any != (step == 0) {
			t.Errorf("settings at step %d: %t", step, any)
		}
		if _, any := due(record.TensorInfo{Name: "trees/Node", Kind: record.Custom}, step); any {
			t.Errorf("trees are due at step %d", step)
		}
	}
}
