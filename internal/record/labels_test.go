package record

import (
	"fmt"
	"reflect"
	"testing"
)

// A mute covers findings of its rule, or configuration, about its subject, and what
// follows from a muted root, unless that is to count.
func TestMutesOfLabels(t *testing.T) {
	find := func(rule, check, subject string, severity Severity) Finding {
		return Finding{Rule: rule, Configuration: rule + "-1", Check: check, Subject: subject, Severity: severity, CauseClass: "of " + check}
	}
	root, again := find("lr", "high", "loss", Error), find("lr", "high", "loss", Error)
	again.Step = 5
	flat, dead := find("flat", "loss", "loss", Warning), find("dead", "layer", "relu1", Error)
	groups := []Group{{Root: root, Symptoms: []Finding{again, flat, dead}, CauseClass: "of high"}}
	for _, c := range []struct {
		name  string
		mutes []LabelMute
		want  []string // roots, each with the number of its symptoms
	}{
		{"none", nil, []string{"lr 3"}},
		{"another subject", []LabelMute{{Rule: "dead", Subject: "relu2"}}, []string{"lr 3"}},
		{"a symptom", []LabelMute{{Rule: "dead", Subject: "relu1"}}, []string{"lr 2"}},
		{"a symptom by its configuration", []LabelMute{{Rule: "dead-1"}}, []string{"lr 2"}},
		{"the root", []LabelMute{{Rule: "lr"}}, nil},
		{"the root, not what follows", []LabelMute{{Rule: "lr", SymptomsCount: true}}, []string{"dead 0", "flat 0"}},
		{"the root and a symptom", []LabelMute{{Rule: "lr", Subject: "loss", SymptomsCount: true}, {Rule: "dead"}}, []string{"flat 0"}},
		{"the root of another subject", []LabelMute{{Rule: "lr", Subject: "other"}}, []string{"lr 3"}},
		{"all", []LabelMute{{Rule: "lr"}, {Rule: "dead"}, {Rule: "flat"}}, nil},
	} {
		var got []string
		for _, g := range (Labels{Mutes: c.mutes}).Unmuted(groups) {
			got = append(got, fmt.Sprintf("%s %d", g.Root.Rule, len(g.Symptoms)))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if len(groups[0].Symptoms) != 3 {
		t.Error("the groups were changed")
	}

	all := []Finding{root, again, flat, dead, find("slow", "data", "", Warning)}
	Labels{Mutes: []LabelMute{{Rule: "lr", Reason: "known"}}}.Mute(all, groups)
	for i, why := range []any{"known", "known", "follows from lr/high, which is muted: known", "follows from lr/high, which is muted: known", nil} {
		if f := all[i]; f.Muted != (why != nil) || f.Context["muted_because"] != why {
			t.Errorf("%s/%s: muted %v because %v, want %v", f.Rule, f.Check, f.Muted, f.Context["muted_because"], why)
		}
	}
	other := again
	other.Subject = "loss/1"
	two := []Group{{Root: root, Symptoms: []Finding{other, flat}}}
	if got := (Labels{Mutes: []LabelMute{{Rule: "lr", Subject: "loss"}}}).Unmuted(two); len(got) != 1 || got[0].Root.Subject != "loss/1" || len(got[0].Symptoms) != 1 {
		t.Errorf("the same of another subject: %+v", got)
	}

	l := Labels{Mutes: []LabelMute{{Rule: "dead", Subject: "a.b[0]", Reason: "known"}}}
	list := []Finding{{Rule: "dead", Subject: "a.b[0]", Context: map[string]any{"x": 1}}}
	f, context := &list[0], list[0].Context
	if l.Mute(list, nil); !f.Muted || f.Context["muted_because"] != "known" || f.Context["x"] != 1 || len(context) != 1 {
		t.Errorf("%+v, before %v", *f, context)
	}
	if m := l.AsMutes(); len(m) != 1 || m[0].Tensor != `^a\.b\[0\]$` || m[0].Reason != "known" {
		t.Errorf("%+v", m)
	}
}
