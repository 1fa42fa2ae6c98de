package rules_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// Of each two checks that fired together in a program of the accuracy suite, the
// golden file says which is the root, and in how many programs; where neither
// follows from the other, both are. It was read by hand: a finding that follows from
// exactly zero gradients, exactly constant losses or parameters in no optimiser
// stands to the right of them.
func TestRecordedPairs(t *testing.T) {
	pairs := map[string]int{}
	for _, p := range suitePrograms(t) {
		for i, a := range p.Findings {
			for _, b := range p.Findings[:i] {
				if a.Rule != b.Rule {
					pairs[pairText(b, a)] += p.Runs
				}
			}
		}
	}
	var b strings.Builder
	for _, text := range slices.Sorted(maps.Keys(pairs)) {
		fmt.Fprintf(&b, "%s  %d\n", text, pairs[text])
	}
	const golden = "testdata/recorded_pairs.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("%s (write it with -update, and read what changed): %s", golden, d)
	}
}

// suiteProgram is what was found in programs of the suite that are alike in that.
type suiteProgram struct {
	Runs     int
	Findings []record.Finding
}

func suitePrograms(t *testing.T) (out []suiteProgram) {
	t.Helper()
	f, err := os.Open("testdata/suite_findings.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p suiteProgram
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		for i := range p.Findings {
			p.Findings[i].Configuration, p.Findings[i].Remedy = p.Findings[i].Rule, "r"
		}
		out = append(out, p)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// pairText says what two findings are to each other when they are all that was found.
func pairText(a, b record.Finding) string {
	name := func(f *record.Finding) string { return f.Rule + "/" + f.Check }
	groups := rules.GroupFindings([]record.Finding{a, b})
	if len(groups) == 2 {
		names := []string{name(&a), name(&b)}
		slices.Sort(names)
		return names[0] + " and " + names[1]
	}
	root, other := groups[0].Root, a
	if name(&root) == name(&a) {
		other = b
	}
	if len(groups[0].Outweighed) > 0 {
		return name(&root) + " outweighs " + name(&other)
	}
	return name(&root) + " -> " + name(&other)
}

// What is exact (no gradient, a loss that is the same to the bit, parameters that no
// optimiser holds) never is under what is judged by a course: not one of these
// pairs has to be in the suite.
func TestWhatIsExactFollowsFromNoCourse(t *testing.T) {
	courses := []string{"learning_rate", "vanishing_gradient", "exploding_tensor", "clipping", "impossible_loss", "too_few_updates", "loss_not_decreasing", "unchanged_tensor", "weight_update_ratio", "all_zero"}
	exact := []string{"loss_flat/zero_gradients", "loss_flat/constant", "not_updated/parameters_in_no_optimiser", "not_updated/in_two_optimisers", "not_updated/module_in_no_optimiser", "not_updated/optimiser_of_another_model", "not_updated/zero_gradients"}
	finding := func(name string, step int64) record.Finding {
		rule, check, _ := strings.Cut(name, "/")
		return record.Finding{Rule: rule, Check: check, Configuration: rule, CauseClass: rule, Severity: record.Error, Step: step, Remedy: "r"}
	}
	for _, e := range exact {
		for _, c := range courses {
			for _, steps := range [][2]int64{{9, 149}, {149, 60}} {
				groups := rules.GroupFindings([]record.Finding{finding(e, steps[0]), finding(c, steps[1])})
				if len(groups) == 1 && groups[0].Root.Rule != strings.Split(e, "/")[0] {
					t.Errorf("%s at step %d follows from %s at step %d", e, steps[0], c, steps[1])
				}
			}
		}
	}
}
