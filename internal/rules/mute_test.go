package rules_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// A muted root covers what follows from it, whichever came first; what a baseline knows
// covers nothing.
func TestMutedRootCoversItsSymptoms(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*rules.Options)
		want   []string // what counts
	}{
		{"nothing is muted", func(*rules.Options) {}, []string{"loss_not_decreasing/rises", "loss_spike/spike"}},
		{"the root", func(o *rules.Options) { o.Mutes = []rules.Mute{{Rule: "loss_not_decreasing", Reason: "known"}} }, nil},
		{"the root, not what follows", func(o *rules.Options) {
			o.Mutes = []rules.Mute{{Rule: "loss_not_decreasing", Reason: "known", SymptomsCount: true}}
		}, []string{"loss_spike/spike"}},
		{"another subject", func(o *rules.Options) { o.Mutes = []rules.Mute{{Rule: "loss_not_decreasing", Subject: "other"}} }, []string{"loss_not_decreasing/rises", "loss_spike/spike"}},
		{"the symptom", func(o *rules.Options) { o.Mutes = []rules.Mute{{Rule: "loss_spike"}} }, []string{"loss_not_decreasing/rises"}},
		{"a baseline knows the root", func(o *rules.Options) {
			o.Accepted = func(f *record.Finding) string {
				if f.Rule == "loss_not_decreasing" {
					return "known from the baseline"
				}
				return ""
			}
		}, []string{"loss_spike/spike"}},
	} {
		var told []record.Finding // as they are stored, one after the other
		j := alone(t, record.Global, 300, func(o *rules.Options) {
			c.change(o)
			o.OnFinding = func(f record.Finding) { told = append(told, f) }
		}, func(i int64, _ float64) float64 { return 2 * math.Pow(1.2, float64(i)) })
		j.engine.Finish(record.Completed)
		record.Cover(told)
		for source, list := range map[string][]record.Finding{"stored": told, "at the end": j.engine.Findings()} {
			var got []string
			for _, f := range list {
				if name := f.Rule + "/" + f.Check; !f.Muted && !slices.Contains(got, name) {
					got = append(got, name)
				} else if f.Muted && f.Rule == "loss_spike" && c.name == "the root" && f.Context["muted_because"] != "follows from loss_not_decreasing/rises, which is muted: known" {
					t.Errorf("%s, %s: %v", c.name, source, f.Context["muted_because"])
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: %v counts, want %v", c.name, source, got, c.want)
			}
		}
		roots := 0
		for _, g := range j.engine.Groups() {
			roots += len(g.Symptoms) + 1
		}
		if (roots == 0) != (len(c.want) == 0) {
			t.Errorf("%s: %d findings in groups", c.name, roots)
		}
		for _, s := range j.engine.Statuses() {
			counts := slices.ContainsFunc(c.want, func(name string) bool { return strings.HasPrefix(name, s.Rule+"/") })
			if (s.Rule == "loss_spike" || s.Rule == "loss_not_decreasing") && (s.Findings > 0) != counts {
				t.Errorf("%s: %s has %d findings, status %s", c.name, s.Rule, s.Findings, s.Status)
			}
		}
	}
}
