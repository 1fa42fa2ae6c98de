package builtin

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// allZero judges the share of zeros of each selected tensor.
var allZero = rule.Definition{
	Name: "all_zero", Class: "AllZero", Family: rule.Tensors, Severity: rule.Warning,
	Checks:  allZeroChecks,
	Summary: "All values of a tensor, or a given share of them, are zero.",
	Why:     "Dead layers, missing inputs, broken masks and unused biases look like this.",
	Parameters: []rule.Parameter{
		collectionNames, tensorRegex,
		{Name: "threshold", Type: rule.Float, Default: "100", Range: rule.Between(0, 100).OpenMin(), Unit: "percent", Meaning: "share of zeros from which on it is reported"},
		every("500"),
	},
	CauseClass: "structure",
	Causes:     []string{"a dead layer", "a mask that hides everything", "an input that is missing", "zero initialisation"},
	Remedies:   []string{"look at the layer and at its input", "for biases at step 0, set start_step: most initialisers start them at zero"},
	Explains:   []string{"unchanged_tensor"},
	Needs: func(p rule.Params) []rule.Need {
		sel, everything := selector(p)
		if everything {
			return nil
		}
		return []rule.Need{{Selector: sel, Schedule: rule.AllModes(p.Int("every")), Want: rule.WantStats}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &zeros{threshold: p.Float("threshold")}
		r.sel, r.everything = selector(p)
		r.state = map[string]int64{}
		return r, nil
	},
}

type zeros struct {
	threshold  float64
	sel        rule.Selector
	everything bool
	state      map[string]int64 // by series: steps in a row in this state
}

func (r *zeros) Select() []rule.Selector   { return []rule.Selector{r.sel} }
func (r *zeros) Finish(*rule.Report)       {}
func (r *zeros) Save() ([]byte, error)     { return save(r.state) }
func (r *zeros) Restore(b []byte) error    { return restore(b, &r.state) }
func (r *zeros) series(i rule.Item) string { return key(i.Worker, i.Info.Name) }

func (r *zeros) Step(v *rule.View, rep *rule.Report) {
	if r.everything {
		rep.Note(noSelector)
	}
	for _, it := range v.Tensors(0) {
		switch s := it.Stats; {
		case s == nil:
		case s.Count == 0:
			rep.Skip(rule.SkipEmpty)
		default:
			r.judge(it, s.Zeros, s.Count, rep)
		}
	}
	for _, it := range v.Scalars(0) {
		if r.everything && mayBeZero(it.Info) {
			continue
		}
		n := int64(0)
		if it.Value == 0 {
			n = 1
		}
		r.judge(it, n, 1, rep)
	}
}

// mayBeZero tells the settings of a boosting and the shares of its features, of
// which many are zero in any training: they are judged only when asked for.
func mayBeZero(info *rule.TensorInfo) bool {
	return slices.Contains(info.Collections, "hyperparameters") || slices.Contains(info.Collections, "feature_importance")
}

func (r *zeros) judge(it rule.Item, n, size int64, rep *rule.Report) {
	rep.Inspect(1)
	share := 100 * float64(n) / float64(size)
	if share < r.threshold {
		if len(r.state) > 0 {
			delete(r.state, r.series(it))
		}
		return
	}
	k := r.series(it)
	r.state[k]++
	rep.Violate(rule.Violation{
		Check: "zeros", Subject: it.Info.Name, Worker: it.Worker, Observed: share, Threshold: r.threshold, Comparator: ">=", Steps: int(r.state[k]),
		Message: zerosText(share, size, it.Info.Name, r.state[k]),
		Context: map[string]any{"zeros": n, "size": size, "steps_in_a_row": r.state[k]},
	})
}

func zerosText(share float64, size int64, name string, steps int64) string {
	text := fmt.Sprintf("%s %% of the %d values of %s are zero", num(share), size, name)
	if size == 1 {
		text = name + " is zero"
	}
	if steps > 1 {
		text += fmt.Sprintf(", for %d analysed steps in a row", steps)
	}
	return text + "."
}
