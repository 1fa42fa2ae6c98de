package boosting

import (
	"strings"
	"testing"
)

func TestSentencesOfAMetric(t *testing.T) {
	rounds := func(values ...float64) ([]int64, []float64) {
		steps := make([]int64, len(values))
		for i := range steps {
			steps[i] = int64(i)
		}
		return steps, values
	}
	for _, c := range []struct {
		name, metric    string
		training, other []float64
		want, not       string
	}{
		{"all right from the first round on", "auc", []float64{0.99, 1, 1, 1}, []float64{0.98, 0.99, 0.99, 0.99}, "near its best", "underfits"},
		{"nothing is learnt", "auc", []float64{0.5, 0.51, 0.51, 0.51}, []float64{0.5, 0.5, 0.5, 0.5}, "underfits", ""},
		{"it gets worse again", "logloss", []float64{0.6, 0.3, 0.2, 0.1}, []float64{0.6, 0.4, 0.5, 0.6}, "overfits", "underfits"},
		{"it goes on", "logloss", []float64{0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25}, []float64{0.6, 0.56, 0.52, 0.48, 0.44, 0.42, 0.41, 0.36}, "train longer", "underfits"},
	} {
		a, b := set{name: "train", training: true}, set{name: "validation"}
		a.steps, a.values = rounds(c.training...)
		b.steps, b.values = rounds(c.other...)
		text := strings.Join((&metric{name: c.metric, sets: []set{a, b}}).sentences(), " ")
		if !strings.Contains(text, c.want) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}
