package rules_test

import (
	"fmt"
	"math"
	"testing"
)

// importance logs the importance of features f0, f1, … at a step.
func importance(step int64, kind string, v ...float64) input {
	out := input{step: step, scalars: map[string]float64{}}
	for i, x := range v {
		out.scalars[fmt.Sprintf("feature_importance/%s/f%d", kind, i)] = x
	}
	return out
}

func TestFeatureImportanceOverweight(t *testing.T) {
	runGolden(t, []golden{
		{"FI1", "FeatureImportanceOverweight", nil, []input{importance(0, "weight", 0.5, 0.2, 0.11, 0.1, 0.09)}, []int64{0},
			func(t *testing.T, j *job) {
				observed(0.81)(t, j)
				if f := j.found[0]; f.Subject != "feature_importance/weight" || f.Context["used"] != 5 || f.Context["never_used"] != 0 {
					t.Errorf("finding is %+v", f)
				}
			}},
		{"FI2", "FeatureImportanceOverweight", nil, []input{importance(0, "weight", 0.5, 0.2, 0.1, 0.1, 0.1)}, nil, nil},
		{"normalised here", "FeatureImportanceOverweight", nil, []input{importance(0, "weight", 50, 20, 11, 10, 9)}, []int64{0}, observed(0.81)},
		{"features that are not used", "FeatureImportanceOverweight", nil, []input{importance(0, "weight", 0.5, 0.2, 0.11, 0.1, 0.09, 0, 0)}, []int64{0},
			func(t *testing.T, j *job) {
				if f := j.found[0]; f.Context["never_used"] != 2 {
					t.Errorf("finding is %+v", f)
				}
			}},
		{"too few features", "FeatureImportanceOverweight", nil, []input{importance(0, "weight", 0.5, 0.3, 0.2)}, nil, skips("too_few_features")},
		{"nfeatures", "FeatureImportanceOverweight", []string{"nfeatures", "1", "threshold", "0.6"}, []input{importance(0, "weight", 0.7, 0.3)}, []int64{0}, observed(0.7)},
		{"threshold", "FeatureImportanceOverweight", []string{"threshold", "0.82"}, []input{importance(0, "weight", 0.5, 0.2, 0.11, 0.1, 0.09)}, nil, nil},
		{"another type is not looked at", "FeatureImportanceOverweight", nil, []input{importance(0, "gain", 0.9, 0.05, 0.03, 0.02)}, nil, nil},
		{"another type", "FeatureImportanceOverweight", []string{"tensor_regex", "feature_importance/(gain|cover)"}, []input{importance(0, "gain", 0.9, 0.05, 0.03, 0.02)}, []int64{0}, nil},
	})
}

func TestLowFeatureImportance(t *testing.T) {
	runGolden(t, []golden{
		{"most hardly matter", "LowFeatureImportance", nil, []input{importance(3, "weight", 0.999, 0.0005, 0.0005, 0)}, []int64{3}, observed(75)},
		{"half is not most", "LowFeatureImportance", nil, []input{importance(3, "weight", 0.5, 0.5, 0, 0)}, nil, nil},
		{"what comes last counts", "LowFeatureImportance", nil, []input{importance(0, "weight", 1, 0, 0, 0), importance(1, "weight", 1, 1, 1, 0)}, nil, nil},
		{"min_share_percent", "LowFeatureImportance", []string{"min_share_percent", "20"}, []input{importance(1, "weight", 1, 1, 1, 0)}, []int64{1}, nil},
		{"threshold", "LowFeatureImportance", []string{"threshold", "0.3"}, []input{importance(1, "weight", 0.8, 0.1, 0.1)}, []int64{1}, nil},
		{"another type", "LowFeatureImportance", []string{"tensor_regex", "gain"}, []input{importance(1, "gain", 1, 0, 0)}, []int64{1}, nil},
		{"nothing has any", "LowFeatureImportance", nil, []input{importance(1, "weight", 0, 0, 0)}, nil, skips("no_importance")},
		{"nothing was saved", "LowFeatureImportance", nil, scalarsAt("loss", 1, 1), nil, details("no feature importance was saved")},
	})
}

// heap is the table of a full tree with nodes 0 to last, with links or without.
func heap(step int64, last int, links bool) input {
	var node, yes, no []float64
	for i := 0; i <= last; i++ {
		node = append(node, float64(i))
		child := func(c int) float64 {
			if c > last {
				return math.NaN()
			}
			return float64(c)
		}
		yes, no = append(yes, child(2*i+1)), append(no, child(2*i+2))
	}
	out := input{step: step, tensors: map[string]values{"trees/Node": vec(node...)}}
	if links {
		out.tensors["trees/Yes"], out.tensors["trees/No"] = vec(yes...), vec(no...)
	}
	return out
}

func TestTreeDepth(t *testing.T) {
	every1 := []string{"every", "1"}
	deep := func(from string, n float64) func(*testing.T, *job) {
		return func(t *testing.T, j *job) {
			observed(n)(t, j)
			if got := j.found[0].Context["from"]; got != from {
				t.Errorf("from %v, want %s", got, from)
			}
		}
	}
	// A chain of five splits whose numbers say nothing, and a stump, as one
	// round of two trees.
	forest := input{tensors: map[string]values{
		"trees/Tree": vec(0, 0, 0, 0, 0, 0, 0, 1, 1, 1), "trees/Node": vec(0, 1, 2, 3, 4, 5, 6, 0, 1, 2),
		"trees/Yes": vec(1, 2, 3, 4, 5, -1, -1, 1, -1, -1), "trees/No": vec(6, -1, -1, -1, -1, -1, -1, 2, -1, -1),
		"trees/Feature": vec(7, 0, 0, 0, 0, 0, 0, 3, 0, 0),
	}}
	round := input{tensors: map[string]values{"trees/Node": vec(0, 1), "trees/Yes": vec(1, 0), "trees/No": vec(0, 1)}}
	runGolden(t, []golden{
		{"TD1 depth 4", "TreeDepth", every1, []input{heap(0, 30, true)}, nil, nil},
		{"TD1 depth 5", "TreeDepth", every1, []input{heap(0, 31, true)}, []int64{0}, deep("links", 5)},
		{"TD1 depth 4 without links", "TreeDepth", every1, []input{heap(0, 30, false)}, nil, nil},
		{"TD1 depth 5 without links", "TreeDepth", every1, []input{heap(0, 31, false)}, []int64{0}, deep("ids", 5)},
		{"TD1 depth 4 by statistics", "TreeDepth", []string{"every", "500"}, []input{heap(1, 30, true)}, nil, nil},
		{"TD1 depth 5 by statistics", "TreeDepth", []string{"every", "500"}, []input{heap(1, 31, true)}, []int64{1}, deep("ids", 5)},
		{"depth", "TreeDepth", []string{"every", "1", "depth", "5"}, []input{heap(0, 31, true)}, nil, nil},
		{"grown by loss, several trees", "TreeDepth", every1, []input{forest}, []int64{0},
			func(t *testing.T, j *job) {
				deep("links", 5)(t, j)
				if f := j.found[0]; len(j.found) != 1 || f.Subject != "tree 0" || f.Context["leaves"] != 2 || f.Context["root_feature"] != int64(7) {
					t.Errorf("findings are %+v", j.found)
				}
			}},
		{"links that go round", "TreeDepth", []string{"every", "1", "depth", "0"}, []input{round}, []int64{0}, observed(1)},
		{"no table of nodes", "TreeDepth", every1, []input{tensorAt("trees/Yes", 0, vec(1))}, nil, skips("no_nodes")},
	})
}
