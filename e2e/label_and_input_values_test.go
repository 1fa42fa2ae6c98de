package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// The rules on what labels, predictions and inputs mean, on real trainings:
// everything is found by what it is, and no values are stored for it.
func TestRulesOnMeaning(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		script, data string
		rules        []string
		found        []string // rule, check and subject
		labels       string   // in what show says
	}{
		{"images", "bad", []string{"class_imbalance:every=1,samples=300", "confusion:every=5", "check_input_images:every=1"}, []string{
			"check_input_images mean Pictures_input_0 channel 1", "class_imbalance imbalance class 2", "class_imbalance misprediction class 2", "confusion diag class 2",
		}, "I64 [64], 3 classes; counts 0: "},
		{"images", "good", []string{"class_imbalance:every=1,samples=300,start_step=10", "confusion:every=5,start_step=20", "check_input_images:every=1"}, nil, "; for CrossEntropyLoss"},
		{"text", "bad", []string{"class_imbalance:every=1,samples=300", "nlp_sequence_ratio:every=1"}, []string{
			"class_imbalance imbalance class 1", "nlp_sequence_ratio token words_input_0 token 0",
		}, "I64 [40], 2 classes; counts 0: 304, 1: 16; for cross_entropy"},
		{"text", "good", []string{"class_imbalance:every=1,samples=300", "nlp_sequence_ratio:every=1"}, nil, "2 classes; counts 0: 160, 1: 160"},
	} {
		t.Run(tt.script+" "+tt.data, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			argv := []string{binary, "run", "--name", "r", "--rules", "none"}
			for _, r := range tt.rules {
				argv = append(argv, "--rule", r)
			}
			argv = append(append(append(argv, "--"), forked(t, "meaning/"+tt.script)...), tt.data)
			if o := run(t, dir, nil, argv...); o.code != 0 {
				t.Fatalf("exit code %d: %s", o.code, o.stderr)
			}
			tr := open(t, filepath.Join(dir, "vigil-runs", "r"))
			var found []string
			for _, f := range tr.Findings() {
				if s := fmt.Sprintf("%s %s %s", f.Rule, f.Check, f.Subject); !slices.Contains(found, s) {
					found = append(found, s)
				}
			}
			for _, want := range tt.found {
				if !slices.Contains(found, want) {
					t.Errorf("nothing says %q; findings: %q", want, found)
				}
			}
			if len(tt.found) == 0 && len(found) > 0 {
				t.Errorf("findings %q in a training that is in order", found)
			}
			for _, s := range tr.Statuses() {
				if s.Datapoints == 0 || s.Status == "Error" {
					t.Errorf("rule %s saw nothing: %+v", s.Rule, s)
				}
			}
			if raw, err := filepath.Glob(filepath.Join(dir, "vigil-runs", "r", "tensors", "*", "*", "*")); len(raw) > 0 || err != nil {
				t.Errorf("values are stored: %q, %v", raw, err)
			}
			if n := tr.Run().Steps["TRAIN"]; n != 30 {
				t.Errorf("%d steps", n)
			}
			kinds := map[record.Kind]bool{}
			for _, info := range tr.Tensors() {
				kinds[info.Kind] = true
			}
			if !kinds[record.Label] || !kinds[record.Prediction] {
				t.Errorf("kinds are %v", kinds)
			}
			if o := run(t, dir, nil, binary, "show", "r"); !strings.Contains(o.stdout, tt.labels) {
				t.Errorf("show says %q, want %q in it", o.stdout, tt.labels)
			}
			// A check of the finished run says what was said live.
			o := run(t, dir, nil, binary, "check", "r", "--json")
			var checked struct {
				Findings []record.Finding `json:"findings"`
			}
			decode(t, o.stdout, &checked)
			if len(checked.Findings) != len(tr.Findings()) {
				t.Errorf("a check gives %d findings, live there were %d", len(checked.Findings), len(tr.Findings()))
			}
		})
	}
}
