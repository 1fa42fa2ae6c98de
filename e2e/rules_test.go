package e2e

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// Rules that are asked for by name get from an ordinary script what they need,
// find its faults, and find the same when the stored run is judged again. A
// second run with another seed is told from the first.
func TestRulesByName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := forked(t, "rules")
	args := []string{binary, "run", "--name", "one", "--rules", "none"}
	for _, r := range []string{
		"PoorWeightInitialization", "saturated_activation:every=10", "Overfit", "overtraining:every=1,delta=0.1", "Underfitting:baseline=0.1,ratio_threshold=0.5", "tensor_variance:max_threshold=1e6,tensor_regex=weight,every=10",
		"gradient_clipping:max_norm=1e-3,every=2", "update_gradient_mismatch:every=10,small=1e-12", "input_drift:every=5,min_values=1000",
		"accuracy_drop:previous_accuracy=0.99",
	} {
		args = append(args, "--rule", r)
	}
	o := run(t, dir, nil, append(append(args, "--"), script...)...)
	if o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	tr := open(t, filepath.Join(dir, "vigil-runs", "one"))
	fired := map[string][]string{}
	for _, f := range tr.Findings() {
		if !slices.Contains(fired[f.Rule], f.Check) {
			fired[f.Rule] = append(fired[f.Rule], f.Check)
		}
	}
	for rule, check := range map[string]string{
		"poor_weight_initialization": "gradient_spread", "saturated_activation": "layer", "overtraining": "no_improvement", "tensor_variance": "high",
		"gradient_clipping": "always_clipped", "input_drift": "drift", "accuracy_drop": "drop", "underfit": "stands_still_high",
	} {
		if !slices.Contains(fired[rule], check) {
			t.Errorf("%s did not fire with %s: %v", rule, check, fired)
		}
	}
	for _, s := range tr.Statuses() {
		if s.Status == rules.StatusError || s.Datapoints == 0 {
			t.Errorf("%s judged nothing: %+v", s.Rule, s)
		}
	}
	c := run(t, dir, nil, binary, "check", "one", "--json")
	var judged struct{ Findings []record.Finding }
	if err := json.Unmarshal([]byte(c.stdout), &judged); err != nil {
		t.Fatalf("check: %v: %.300s%s", err, c.stdout, c.stderr)
	}
	if len(judged.Findings) != len(tr.Findings()) || c.code != 2 {
		t.Errorf("check: exit code %d, %d findings, live %d", c.code, len(judged.Findings), len(tr.Findings()))
	}

	args = append([]string{binary, "run", "--name", "two", "--rules", "none", "--rule", "similar_across_runs:other_trials=one,collection_names=losses", "--"}, script...)
	if o := run(t, dir, []string{"SEED=1"}, args...); o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	two := open(t, filepath.Join(dir, "vigil-runs", "two")).Findings()
	if len(two) == 0 || two[0].Step != 0 || two[0].Rule != "similar_across_runs" {
		t.Errorf("findings of another seed: %+v", two)
	}
	if c := run(t, dir, nil, binary, "check", "one", "--rule", "similar_across_runs:other_trials=one,collection_names=losses"); c.code != 0 {
		t.Errorf("a run differs from itself: %s", c.stdout)
	}
}
