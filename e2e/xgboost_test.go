package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
)

// boostingPython is an interpreter with XGBoost. The environments of old
// PyTorch releases have none, and the test command says so.
func boostingPython(t *testing.T) string {
	t.Helper()
	if without("xgboost") {
		t.Skip("VIGIL_TEST_WITHOUT names xgboost")
	}
	return testenv.Python(t)
}

// without says whether the tests run with an environment that lacks what: the
// variable VIGIL_TEST_WITHOUT names those, separated by commas.
func without(what string) bool {
	return what != "" && slices.Contains(strings.Split(os.Getenv("VIGIL_TEST_WITHOUT"), ","), what)
}

// The rules on boosting find the faults of a real training, made by
// xgboost.train and by scikit-learn's estimator, while it goes on and again
// afterwards, and the model is the same to the bit.
func TestBoostingRules(t *testing.T) {
	t.Parallel()
	python := boostingPython(t)
	for _, way := range []string{"train", "sklearn"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			bareOut, out := filepath.Join(dir, "bare"), filepath.Join(dir, "watched")
			bare := run(t, dir, []string{"VIGIL_E2E_OUT=" + bareOut}, python, script("boosting"), way)
			args := []string{binary, "run", "--name", "r", "--rules", "all"}
			for _, r := range []string{
				"FeatureImportanceOverweight:every=5,threshold=0.3", "TreeDepth:every=5", "Confusion:every=5", "low_feature_importance:every=5,threshold=0.02",
				"ClassImbalance:every=5", "LossNotDecreasing:every=1,num_steps=5,diff_percent=50", "Overfit:every=1,patience=3",
			} {
				args = append(args, "--rule", r)
			}
			watched := run(t, dir, []string{"VIGIL_E2E_OUT=" + out}, append(args, "--", python, script("boosting"), way)...)
			if bare.code != 0 || watched.code != 0 {
				t.Fatalf("exit codes %d and %d\n%s\n%s", bare.code, watched.code, bare.stderr, watched.stderr)
			}
			if bare.stdout != watched.stdout || read(t, bareOut) != read(t, out) {
				t.Errorf("another model or output than without Vigil: %q, %q", bare.stdout, watched.stdout)
			}
			tr := open(t, filepath.Join(dir, "vigil-runs", "r"))
			fired := map[string]record.Finding{}
			for _, f := range tr.Findings() {
				if _, known := fired[f.Rule+" "+f.Check]; !known {
					fired[f.Rule+" "+f.Check] = f
				}
			}
			for _, want := range []struct {
				what, subject string
				step          int64
			}{
				{"feature_importance_overweight overweight", "feature_importance/weight", 0},
				{"tree_depth depth", "tree 0", 0},
				{"confusion diag", "class 1", 0},
				{"confusion off_diag", "class 1 as 0", 0},
				{"class_imbalance imbalance", "class 1", 1}, // that step besides its interval
				{"low_feature_importance low", "feature_importance/weight", 19},
				{"overfit ratio", "", -1},
				{"loss_not_decreasing not_decreasing", "", -1},
			} {
				f, ok := fired[want.what]
				if !ok {
					t.Errorf("%s did not fire: %v", want.what, slices.Sorted(maps.Keys(fired)))
				} else if want.step >= 0 && (f.Step != want.step || f.Subject != want.subject) {
					t.Errorf("%s at step %d about %q, want step %d about %q", want.what, f.Step, f.Subject, want.step, want.subject)
				}
			}
			if f := fired["tree_depth depth"]; f.Context["root_feature_name"] == nil {
				t.Errorf("the finding on depth does not name the root's feature: %v", f.Context)
			}
			for _, s := range tr.Statuses() {
				if s.Status == rules.StatusError {
					t.Errorf("%s failed: %+v", s.Rule, s)
				}
			}
			c := run(t, dir, nil, binary, "check", "r", "--json")
			var judged struct{ Findings []record.Finding }
			if err := json.Unmarshal([]byte(c.stdout), &judged); err != nil {
				t.Fatalf("check: %v: %.300s%s", err, c.stdout, c.stderr)
			}
			if len(judged.Findings) != len(tr.Findings()) || c.code != 2 {
				t.Errorf("check: exit code %d, %d findings, live %d", c.code, len(judged.Findings), len(tr.Findings()))
			}
		})
	}
}

// A hook that the script makes starts the agent itself, also below scikit-learn.
func TestBoostingHookAlone(t *testing.T) {
	t.Parallel()
	python := boostingPython(t)
	dir := t.TempDir()
	env := []string{"PYTHONPATH=" + filepath.Join(testenv.Root(), "python"), "VIGIL_BIN=" + binary}
	if o := run(t, dir, env, python, script("boosting"), "sklearn", "hook"); o.code != 0 {
		t.Fatalf("exit code %d: %s", o.code, o.stderr)
	}
	root := filepath.Join(dir, "vigil-runs")
	waitEnded(t, root)
	tr := open(t, filepath.Join(root, "hooked"))
	if r := tr.Run(); r.Status != record.Completed || r.Steps["TRAIN"] != 20 || r.Framework.Name != "xgboost" {
		t.Errorf("status %q, %v steps, framework %v", r.Status, r.Steps, r.Framework)
	}
	if steps, _, err := tr.Series(trial.Query{Tensor: "feature_importance/gain/f3", Mode: record.Train}); err != nil || len(steps) == 0 {
		t.Errorf("importance at steps %v (%v)", steps, err)
	}
}

// The rule CreateXgboostReport leaves the report in the run while it is live,
// and `vigil report --xgboost` writes it of what is stored: each kind of problem
// with all its sections.
func TestBoostingReport(t *testing.T) {
	t.Parallel()
	python := boostingPython(t)
	both := []string{"labels", "metrics", "importance", "settings"}
	for kind, sections := range map[string][]string{
		"two":   append([]string{"confusion", "evaluation", "diagonal", "roc", "shap"}, both...),
		"three": append([]string{"confusion", "evaluation", "diagonal"}, both...),
		"real":  append([]string{"residuals", "bins"}, both...),
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			args := []string{binary, "run", "--name", "r", "--rule", "CreateXgboostReport"}
			if kind == "two" {
				args = append(args, "--collect", "full_shap:every=10,raw")
			}
			if o := run(t, dir, nil, append(args, "--", python, script("boosting"), kind)...); o.code != 0 {
				t.Fatalf("exit code %d: %s", o.code, o.stderr)
			}
			runDir := filepath.Join(dir, "vigil-runs", "r")
			live := read(t, filepath.Join(runDir, "rule-output", "CreateXgboostReport", "xgboost_report.html"))
			if o := run(t, dir, nil, binary, "report", "r", "--xgboost", "-o", "out.html"); o.code != 0 {
				t.Fatalf("exit code %d: %s", o.code, o.stderr)
			}
			for what, page := range map[string]string{"live": live, "afterwards": read(t, filepath.Join(dir, "out.html"))} {
				for _, s := range sections {
					if !strings.Contains(page, `<section id="`+s+`"`) {
						t.Errorf("%s: there is no section %q", what, s)
					}
				}
				if missing := strings.Contains(page, `<section id="missing"`); missing != (kind != "two") { // contributions, which take long
					t.Errorf("%s: something is missing: %t", what, missing)
				}
				if !strings.Contains(page, ">completed<") {
					t.Errorf("%s: the run is not said to be completed", what)
				}
			}
			if t.Failed() {
				t.Logf("run.json:\n%s", read(t, filepath.Join(runDir, "run.json")))
			}
			notebook := filepath.Join(runDir, "rule-output", "CreateXgboostReport", "xgboost_report.ipynb")
			env := []string{"PYTHONPATH=" + filepath.Join(testenv.Root(), "python"), "VIGIL_BIN=" + binary, "MPLBACKEND=agg"}
			o := run(t, filepath.Dir(notebook), env, python, script("notebook_cells"), notebook)
			if o.code != 0 {
				t.Fatalf("the notebook ends with %d: %s%s", o.code, o.stdout, o.stderr)
			}
			for _, s := range sections {
				if !strings.Contains(o.stdout, "== "+s+"\n") {
					t.Errorf("the notebook has no cell %q", s)
				}
			}
			for _, line := range strings.Split(o.stdout, "\n") { // what both say, they say alike
				area, roc := strings.CutPrefix(line, "area under the curve: ")
				if same := strings.TrimSuffix(line, " are right"); (roc || same != line) && !strings.Contains(live, area) && !strings.Contains(live, same) {
					t.Errorf("the notebook says %q, the page does not", line)
				}
			}
			for _, s := range open(t, runDir).Statuses() {
				if s.Rule == "create_xgboost_report" && s.Status != rules.NoIssuesFound {
					t.Errorf("status is %+v", s)
				}
			}
			if o := run(t, dir, nil, binary, "fsck", "r"); o.code != 0 {
				t.Errorf("fsck: exit code %d: %s%s", o.code, o.stdout, o.stderr)
			}
		})
	}
}
