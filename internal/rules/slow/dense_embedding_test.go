package slow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

// twoTowers are facts of two embeddings and a head; each update has a gradient in as many
// rows of both.
func twoTowers(rows int64, change ...func(*rule.Facts)) *rule.Facts {
	f := &rule.Facts{
		Optimisers: []rule.OptimiserFacts{{Class: "Adam"}},
		Parameters: &record.ParameterFacts{List: []rule.ParameterFact{
			{Name: "users.weight", Module: "users", Kind: record.EmbeddingModule, Shape: []int64{60000, 32}, Trained: true, Held: true, Rows: &rows},
			{Name: "items.weight", Module: "items", Kind: record.EmbeddingModule, Shape: []int64{120000, 32}, Trained: true, Held: true, Rows: &rows},
			{Name: "head.weight", Module: "head", Kind: record.LinearModule, Shape: []int64{64, 64}, Trained: true, Held: true},
		}},
	}
	for _, c := range change {
		c(f)
	}
	return f
}

// each changes all parameters.
func each(change func(*rule.ParameterFact)) func(*rule.Facts) {
	return func(f *rule.Facts) {
		for i := range f.Parameters.List {
			change(&f.Parameters.List[i])
		}
	}
}

func TestDenseEmbedding(t *testing.T) {
	for _, c := range []struct {
		name   string
		facts  *rule.Facts
		update float64 // seconds that the optimiser takes of a step, next to 0.05 that the passes take
		want   string  // "severity share gain"
	}{
		{"few rows of large tables", twoTowers(256), 0.35, "warning 0.86 7.4"},
		{"the optimiser takes little", twoTowers(256), 0, ""},
		{"a step uses a tenth of the rows", twoTowers(10000), 0.35, ""},
		{"no row is used", twoTowers(0), 0.35, ""},
		{"the output layer shares the weight, so that every row has a gradient", twoTowers(60000), 0.35, ""},
		{"sparse gradients, or none that were seen", twoTowers(256, each(func(p *rule.ParameterFact) { p.Rows = nil })), 0.35, ""},
		{"other layers have nearly all of the parameters", twoTowers(256, func(f *rule.Facts) { f.Parameters.List[2].Shape = []int64{20000, 20000} }), 0.35, ""},
		{"small tables among as many small tensors", twoTowers(1, each(func(p *rule.ParameterFact) { p.Shape = []int64{40, 32} })), 0.35, ""},
		{"no optimiser has them", twoTowers(256, each(func(p *rule.ParameterFact) { p.Held = false })), 0.35, ""},
		{"more parameters than are listed", twoTowers(256, func(f *rule.Facts) { f.Parameters.More = 3 }), 0.35, ""},
		{"nothing is known", nil, 0.35, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := training{parts: stepsWith(rule.Optimizer, c.update), used: 1, facts: c.facts}
			if got := checkReports(t, "dense_embedding", tr); got != c.want {
				t.Errorf("reported %q, want %q", got, c.want)
			}
		})
	}
}

// What is said of it, and what is proposed.
func TestRemedyOfDenseEmbeddings(t *testing.T) {
	for optimiser, remedy := range map[string]string{
		"Adam": "make these embeddings with sparse=True, and train their weights by a second optimiser, torch.optim.SparseAdam",
		"SGD":  "make these embeddings with sparse=True: SGD takes sparse gradients as they are",
	} {
		tr := training{cores: 2, seconds: 95, parts: stepsWith(rule.Optimizer, 0.35), used: 1}
		tr.facts = twoTowers(256, func(f *rule.Facts) { f.Optimisers[0].Class = optimiser })
		found, _ := judge(t, &slow.Training, tr)
		if len(found) != 1 {
			t.Fatalf("found %v", found)
		}
		v := found[0]
		if v.Remedy == "" {
			v.Remedy = remedyOf(v.Check)
		}
		got := fmt.Sprint(v.Message, "\n", v.Remedy)
		want := "The optimiser takes 88 % of the time, 99 % of that for embeddings of which a step uses 0.3 % of the rows (users and items): this is 86 % of the training's time; by estimate the training would be 7.4 times as fast without that: from step to step 54.9 ms instead of 405 ms.\n" + remedy
		if got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	}
}

// An embedding that is called by itself has no name within a model, but one of its own.
func TestEmbeddingThatIsAModel(t *testing.T) {
	tr := training{cores: 2, seconds: 95, parts: stepsWith(rule.Optimizer, 0.35), used: 1}
	tr.facts = twoTowers(256, each(func(p *rule.ParameterFact) { p.Module, p.Name = "", "Embedding_weight" }))
	if found, _ := judge(t, &slow.Training, tr); len(found) != 1 || !strings.Contains(found[0].Message, "(Embedding_weight") {
		t.Errorf("found %v", found)
	}
}

func remedyOf(check string) string {
	c, _ := slow.Training.Check(check)
	return c.Remedy
}
