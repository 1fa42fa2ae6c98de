package config

import (
	"encoding/json"
	"testing"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

func all(s plan.ModeSchedule) plan.Schedule { return plan.Schedule{s, s, s, s} }

func TestParseCollect(t *testing.T) {
	off := plan.ModeSchedule{Off: true}
	by := []string{"--collect"}
	for _, c := range []struct {
		spec string
		want plan.Collection
	}{
		{"weights", plan.Collection{Name: "weights", By: by}},
		{"weights:every=10", plan.Collection{Name: "weights", Schedule: all(plan.ModeSchedule{Every: 10}), By: by}},
		{"w:every=10,start=5,end=100,steps=1/5/9/5,raw", plan.Collection{
			Name: "w", Schedule: all(plan.ModeSchedule{Every: 10, Start: 5, End: 100, Steps: []int64{1, 5, 9}}), Want: plan.Raw, By: by,
		}},
		{"w:steps=9,1", plan.Collection{Name: "w", Schedule: all(plan.ModeSchedule{Off: true, Steps: []int64{1, 9}}), By: by}},
		{"w:steps=9,start=3", plan.Collection{Name: "w", Schedule: all(plan.ModeSchedule{Start: 3, Steps: []int64{9}}), By: by}},
		{"w:regex=a{2,3}.*,raw,hist", plan.Collection{Name: "w", Selector: plan.Selector{Regex: []string{"a{2,3}.*"}}, Want: plan.Raw | plan.Hist | plan.Stats, By: by}},
		{"w:regex=a,regex=b,stats", plan.Collection{Name: "w", Selector: plan.Selector{Regex: []string{"a", "b"}}, Want: plan.Stats, By: by}},
		{"weights:median,prod,every=5", plan.Collection{Name: "weights", Schedule: all(plan.ModeSchedule{Every: 5}), Want: plan.Median | plan.Prod, By: by}},
		{"weights:median=false", plan.Collection{Name: "weights", By: by}},
		{`w:regex="a,raw"`, plan.Collection{Name: "w", Selector: plan.Selector{Regex: []string{"a,raw"}}, By: by}},
		{"w:raw=true,stats=false", plan.Collection{Name: "w", Want: plan.Raw, By: by}},
		{"gradients:end=0", plan.Collection{Name: "gradients", Schedule: all(plan.ModeSchedule{Off: true}), By: by}},
		{"w:every=3,mode=train", plan.Collection{Name: "w", Schedule: plan.Schedule{{Every: 3}, off, off, off}, By: by}},
		{"w:every=3,mode=TRAIN/eval", plan.Collection{Name: "w", Schedule: plan.Schedule{{Every: 3}, {Every: 3}, off, off}, By: by}},
		{"w:every=3,mode=train,eval,raw", plan.Collection{Name: "w", Schedule: plan.Schedule{{Every: 3}, {Every: 3}, off, off}, Want: plan.Raw, By: by}},
		{"layer1:0", plan.Collection{}},
	} {
		got, err := ParseCollect(c.spec, "--collect")
		if c.want.Name == "" {
			if err == nil {
				t.Errorf("%q: accepted", c.spec)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.spec, err)
			continue
		}
		equal(t, got, c.want)
	}
}

func TestParseCollectErrors(t *testing.T) {
	for _, c := range []struct{ spec, message, hint string }{
		{"", "does not name a collection", ""},
		{":raw", "does not name a collection", ""},
		{"w:every=0", `every: "0" is not a whole number of at least 1`, ""},
		{"w:every=ten", `every: "ten"`, ""},
		{"w:start=-1", `start: "-1"`, ""},
		{"w:every=10,strat=5", "contains what looks like another parameter", `did you mean "start"`},
		{"w:evry=10", `unknown parameter "evry"`, `did you mean "every"`},
		{"w:rawr", `unknown parameter "rawr"`, `did you mean "raw"`},
		{"w:mode=trian", `"trian" is not a mode`, `did you mean "train"`},
		{"w:start=10,end=5", "start 10 is not below end 5", ""},
		{"w:regex=(", `"(" is not a regular expression: missing ), unterminated subpattern at position 0`, "Python"},
		{"w:every", "has no value", ""},
		{"w:every=1,every=2", "given twice", ""},
		{"w:raw=maybe", "neither true nor false", ""},
		{"w:steps=1/x", `steps: "x"`, ""},
	} {
		_, err := ParseCollect(c.spec, "--collect")
		t.Run(c.spec, func(t *testing.T) { refused(t, err, c.message, c.hint) })
	}
}

// A Run travels as JSON; collections with their schedules must survive it.
func TestCollectionAsJSON(t *testing.T) {
	c, err := ParseCollect("w:regex=x,every=3,steps=7,mode=train,raw,hist", "--collect")
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back plan.Collection
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	equal(t, back, c)
	if !back.Schedule.Due(record.Train, 7, 0) || back.Schedule.Due(record.Eval, 3, 0) {
		t.Error("the schedule changed")
	}
}

func FuzzParseCollect(f *testing.F) {
	for _, s := range []string{"w", "w:every=1,raw", "w:regex=a{2,3},mode=train", `w:regex="(?<=x)",steps=1/2`, "w:end=0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCollect(s, "--collect")
		if err == nil && c.Name == "" {
			t.Errorf("%q gives a collection without a name", s)
		}
	})
}
