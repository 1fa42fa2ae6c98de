package rules_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/testenv"
)

var update = flag.Bool("update", false, "write docs/rules.md and the golden files anew")

func TestDocumentation(t *testing.T) {
	for name, want := range map[string]string{"rules.md": rules.Markdown(), "checks.md": rules.ChecksMarkdown()} {
		path := filepath.Join(testenv.Root(), "docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("docs/%s is not what the definitions say (write it with -update): %s", name, d)
		}
	}
}

// What a finding means is said of every check: what was seen, why it matters,
// causes, remedies, and how to mute it.
func TestExplain(t *testing.T) {
	page := rules.ChecksMarkdown()
	for _, d := range rules.Catalogue() {
		// A finding without a remedy of the check has all of the rule.
		if n := len(strings.Fields(strings.Join(d.Remedies, "; "))); n > 40 {
			t.Errorf("%s: the remedies have %d words, 40 is the most", d.Name, n)
		}
		for i := range d.Checks {
			c := &d.Checks[i]
			e := rules.Explain(d, c)
			if e.Seen == "" || e.Why == "" || len(e.Causes) == 0 || len(e.Remedies) == 0 || e.FalseAlarm == "" || !strings.Contains(e.Mute, d.Name) {
				t.Errorf("%s is explained by %+v", c.ID, e)
			}
			if !strings.Contains(page, "\n### "+c.ID+"\n") {
				t.Errorf("docs/checks.md does not have %s", c.ID)
			}
		}
	}
	d, _ := rules.Lookup("dead_relu")
	c, _ := d.Check("layer")
	want := "threshold_layer (50.0, in the default set 70, percent): a layer fires when more than this share of its units is dead"
	var got []string
	for _, x := range rules.Explain(d, c).Thresholds {
		got = append(got, x.Text())
	}
	if !slices.Contains(got, want) {
		t.Errorf("thresholds of dead_relu/layer are %q", got)
	}
}

func TestDescribe(t *testing.T) {
	for _, d := range rules.Catalogue() {
		var fields map[string]any
		if err := json.Unmarshal([]byte(asJSON(t, rules.Describe(d))), &fields); err != nil {
			t.Fatal(err)
		}
		for _, f := range []string{"rule", "rule_class", "family", "severity", "in_default_set", "summary", "parameters", "needs", "cost", "causes", "remedies"} {
			if _, ok := fields[f]; !ok {
				t.Errorf("%s: no %q", d.Name, f)
			}
		}
	}
	d, _ := rules.Lookup("dead_relu")
	if n := strings.Join(rules.Describe(d).Needs, "\n"); n != `names that match ".*relu_output", outputs of ReLU and ReLU6 modules: statistics, activity of units; every 500 steps and at step 1 in every mode` {
		t.Errorf("needs are %s", n)
	}
	for name, want := range map[string][]string{
		"network_structure": {"nothing is captured for it"},
		"dead_relu": {
			"in training: one copy of each of these tensors at each of these steps, also where that is more than the overhead budget",
			"in the agent: one pass over each copy; a count for each unit",
			"on disk: some 60 bytes and the name for the statistics of each tensor at each step, and a number of 8 bytes with its name for each thing computed; no values",
		},
		"tree_depth": {
			"in training: one copy of each of these tensors at each of these steps, also where that is more than the overhead budget",
			"in the agent: one pass over each copy",
			"on disk: some 60 bytes and the name for the statistics of each tensor at each step; all values, in the tensor's own type",
		},
	} {
		d, _ := rules.Lookup(name)
		if got := rules.Describe(d).Cost; !slices.Equal(got, want) {
			t.Errorf("cost of %s is %q", name, got)
		}
	}
}
