package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// The rules that judged a run come first, those that found something before the
// others, then the rest of the catalogue with what would add it.
func TestRulesOf(t *testing.T) {
	r := theRun(t)
	list := RulesOf(r)
	if len(list) != len(rules.Catalogue()) {
		t.Fatalf("%d rules, want those of the catalogue, %d", len(list), len(rules.Catalogue()))
	}
	for i, want := range []string{"exploding_tensor true found 1 finding, 60 values judged exploding_tensor/magnitude/1", "overfit true quiet 3 values judged "} {
		x := list[i]
		id := ""
		if x.First != nil {
			id = x.First.ID
		}
		if got := fmt.Sprintf("%s %t %s %s %s", x.Rule, x.Active, x.Standing.Stand, x.Standing.Text, id); got != want || len(x.Add) != 0 {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
	for _, x := range list[2:] {
		if x.Active || len(x.Add) != 2 || !strings.HasPrefix(x.Add[0].Text, "vigil check /") || !strings.Contains(x.Add[1].Text, " -- python train.py --lr 0.1") {
			t.Errorf("%s: %+v", x.Rule, x)
		}
	}
}

// What is not active is added to a job that runs, judged afterwards, or asked for
// next time; each command is one that a shell takes as it stands.
func TestAdding(t *testing.T) {
	d, _ := rules.Lookup("hardware_utilization")
	for _, tt := range []struct {
		run  record.Run
		path string
		want []string
	}{
		{record.Run{Status: record.Running, Command: []string{"python", "train.py"}}, "/runs/night", []string{
			"vigil plan /runs/night --add-rule hardware_utilization:threshold=30", "vigil check /runs/night --rule hardware_utilization:threshold=30",
			"vigil run --rule hardware_utilization:threshold=30 -- python train.py"}},
		{record.Run{Status: record.Completed, Command: []string{"sh", "-c", "echo 'x' $HOME"}}, "/runs/it's $me", []string{
			`vigil check '/runs/it'\''s $me' --rule hardware_utilization:threshold=30`, `vigil run --rule hardware_utilization:threshold=30 -- sh -c 'echo '\''x'\'' $HOME'`}},
		{record.Run{Status: record.Completed}, "/r", []string{"vigil check /r --rule hardware_utilization:threshold=30", "vigil run --rule hardware_utilization:threshold=30 -- python train.py"}},
	} {
		var got []string
		for _, c := range adding(d, tt.run, tt.path) {
			got = append(got, c.Text)
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%q\nwant\n%q", got, tt.want)
		}
	}
}
