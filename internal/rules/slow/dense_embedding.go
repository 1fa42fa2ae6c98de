package slow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

const (
	// fewRows is the share of an embedding's rows up to which an update of these rows
	// alone is surely the faster one.
	fewRows = 0.05
	// perTensor is what an optimiser needs for a tensor besides its elements, as elements.
	perTensor = 20_000
)

// tables are embeddings of which a step uses few rows, and whose gradients and updates
// are about all of them.
type tables struct {
	names        []string
	used, rows   float64
	share, saved float64 // of the optimiser's work: that for the tables, that for their unused rows
}

// tablesOf finds them; nil where there are none, or not all parameters are known. How
// much an update costs goes by the number of elements.
func tablesOf(f *rule.Facts) *tables {
	if f == nil || f.Parameters == nil || f.Parameters.More > 0 {
		return nil
	}
	var t tables
	var work, all float64
	for _, p := range parametersOf(f) {
		if !p.Held {
			continue
		}
		n := elementsOf(p.Shape)
		all += n + perTensor
		if p.Kind != record.EmbeddingModule || p.Rows == nil || len(p.Shape) != 2 || p.Shape[0] == 0 {
			continue
		}
		used, rows := float64(*p.Rows), float64(p.Shape[0])
		if used == 0 || used > fewRows*rows {
			continue
		}
		t.names = append(t.names, cmp.Or(p.Module, p.Name)) // an embedding that is called by itself is a model
		t.used += used
		t.rows += rows
		work += n
		t.saved += n * (1 - used/rows)
	}
	if len(t.names) == 0 {
		return nil
	}
	t.share, t.saved = work/all, t.saved/all
	return &t
}

// takesSparse are optimisers that take sparse gradients as they are.
var takesSparse = []string{"SGD", "Adagrad", "SparseAdam"}

// denseEmbedding: an optimiser goes through all rows of an embedding of which a step
// uses few.
var denseEmbedding = check{
	Check: rule.Check{
		ID: "slow_training/dense_embedding", Files: []string{"slow/dense_embedding.go"}, Severity: rule.Warning, CauseClass: "dense-gradients", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The optimiser takes a large share of the time, most of it for embeddings whose gradients are zero in 95 % of the rows or more, and not sparse.",
		Evidence:        "updates of embeddings: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "the gradient of an embedding is dense by default: the optimiser goes through all rows in each step, though most of them were not used",
		Remedy:          "make these embeddings with sparse=True, and train their weights by a second optimiser, torch.optim.SparseAdam",
	},
	claim: func(c *Case, s *Span) *Claim {
		t := tablesOf(c.Facts)
		if t == nil {
			return nil
		}
		updates := inUpdates(s, rule.Optimizer)
		claim := &Claim{
			Seconds: t.saved * updates, CPU: t.saved * updates, Device: true, Takes: rule.Optimizer, Subject: t.names[0],
			Message: fmt.Sprintf("The optimiser takes %.0f %%%% of the time, %.0f %%%% of that for embeddings of which a step uses %s (%s): this is %%s of the training's time",
				100*updates/s.Seconds, 100*t.share, usedRows(t), strings.ReplaceAll(firstNames(t.names), "%", "%%")),
			Context: map[string]any{"rows": t.rows, "used_rows": t.used, "embeddings": t.names[:min(len(t.names), 20)], "optimizer_seconds": updates},
		}
		if len(c.Facts.Optimisers) > 0 && !slices.ContainsFunc(c.Facts.Optimisers, func(o rule.OptimiserFacts) bool { return !slices.Contains(takesSparse, o.Class) }) {
			claim.Remedy = "make these embeddings with sparse=True: " + c.Facts.Optimisers[0].Class + " takes sparse gradients as they are"
		}
		return claim
	},
}

// usedRows says how many rows a step uses, for a message.
func usedRows(t *tables) string {
	share := 100 * t.used / t.rows
	if share < 0.1 {
		return "less than 0.1 %% of the rows"
	}
	return fmt.Sprintf("%.1f %%%% of the rows", share)
}
