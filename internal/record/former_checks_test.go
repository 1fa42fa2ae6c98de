package record

import (
	"encoding/json"
	"testing"
)

// A check has one name of today, which is none of before.
func TestFormerChecksAreNoNamesOfToday(t *testing.T) {
	for rule, names := range formerChecks {
		for former, now := range names {
			if names[now] != "" {
				t.Errorf("%s/%s is now %s, which is a former name itself", rule, former, now)
			}
		}
	}
}

func TestCheckIDNow(t *testing.T) {
	for id, want := range map[string]string{
		"learning_rate/thrown":   "learning_rate/loss_stuck_high",
		"learning_rate/thrown/2": "learning_rate/loss_stuck_high/2",
		"learning_rate/too_low":  "learning_rate/too_low",
		"learning_rate":          "learning_rate",
		"my_rule/thrown":         "my_rule/thrown", // of a user's own rule
		"":                       "",
	} {
		if got := CheckIDNow(id); got != want {
			t.Errorf("%q is now %q, want %q", id, got, want)
		}
	}
}

// What a muted finding covered before its check was renamed, it covers still.
func TestCoverUnderFormerNames(t *testing.T) {
	var list []Finding
	if err := json.Unmarshal([]byte(`[
		{"rule":"loss_flat","configuration":"flat","check":"guess","subject":"loss","step":50,"mode":"TRAIN","context":{}},
		{"rule":"not_updated","configuration":"not_updated","check":"strangers","step":60,"mode":"TRAIN","muted":true,"context":{"muted_because":"known","covers":["flat|guess|loss|50|"]}}
	]`), &list); err != nil {
		t.Fatal(err)
	}
	Cover(list)
	if f := list[0]; !f.Muted || f.Check != "chance_level" || f.Context["muted_because"] != "follows from not_updated/optimiser_of_another_model, which is muted: known" {
		t.Errorf("%s: muted %v: %v", f.Check, f.Muted, f.Context["muted_because"])
	}
}
