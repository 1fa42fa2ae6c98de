package builtin

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// meanLoss is one loss at one step, averaged over the workers that saved it.
type meanLoss struct {
	name   string
	value  float64
	vector bool // it had several values; their mean stands for it
}

// meanLosses gives the losses that a selector selects, sorted by name. A loss
// with one value for each sample enters by its mean.
func meanLosses(v *rule.View, selector int) []meanLoss {
	var out []meanLoss
	average := func(items []rule.Item, value func(*rule.Item) float64, vector bool) {
		for i := 0; i < len(items); {
			name, sum, n := items[i].Info.Name, 0.0, 0
			for ; i < len(items) && items[i].Info.Name == name; i++ {
				sum += value(&items[i])
				n++
			}
			out = append(out, meanLoss{name, sum / float64(n), vector})
		}
	}
	average(v.Scalars(selector), func(it *rule.Item) float64 { return it.Value }, false)
	var vectors []rule.Item
	for _, it := range v.Tensors(selector) {
		if it.Stats != nil && it.Stats.Count > 0 && it.Info.Kind == rule.Loss {
			vectors = append(vectors, it)
		}
	}
	if len(vectors) > 0 {
		slices.SortStableFunc(vectors, func(a, b rule.Item) int { return strings.Compare(a.Info.Name, b.Info.Name) })
		average(vectors, func(it *rule.Item) float64 { return it.Stats.MeanValue() }, true)
		slices.SortStableFunc(out, func(a, b meanLoss) int { return strings.Compare(a.name, b.name) })
	}
	return out
}

// eachWorker hands over the items of one worker after another; they come
// sorted by worker.
func eachWorker(items []rule.Item, each func([]rule.Item)) {
	for len(items) > 0 {
		n := 1
		for n < len(items) && items[n].Worker == items[0].Worker {
			n++
		}
		each(items[:n])
		items = items[n:]
	}
}
