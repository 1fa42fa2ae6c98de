package rules_test

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// Labels of one class of two are told when the loss shows that the other never
// comes.
func TestOneClassOfTwo(t *testing.T) {
	binary := func(n int64, do func(*record.Facts)) *record.Facts {
		one, zero := int64(1), 0.0
		f := network("fc1 Linear 20 64", "act ReLU", "fc2 Linear 64 1")
		f.Loss = &record.LossFacts{Name: "loss", Function: "binary_cross_entropy_with_logits", Reduction: "mean"}
		f.Graph.Head = []string{"binary_cross_entropy_with_logits", "linear"}
		f.Labels = &record.LabelFacts{DType: "F32", Shape: []int64{32, 1}, Range: []float64{0, 0}, Distinct: &one, Elements: n, Mean: &zero, Std: &zero}
		f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{32, 1}}, Classes: 1, Axis: 1, Steps: 8, LabelShape: []int64{32, 1}}
		if do != nil {
			do(f)
		}
		return f
	}
	down := noisy(0.05, falling(0.7, 0.003, 15))
	rare := func(n int64) float64 { // the other class comes at every fortieth step, until it is known
		x := falling(0.7, 0.003, 15)(n)
		if n%40 == 39 {
			x += 0.15
		}
		return x
	}
	products := func(calls int64, ops ...string) *record.Facts { // of users and items
		return binary(256, func(f *record.Facts) {
			f.Graph.Head = append([]string{"binary_cross_entropy_with_logits"}, ops...)
			for _, path := range []string{"user", "item"} {
				f.Network.Modules = append(f.Network.Modules, record.ModuleFacts{Path: path, Type: "Embedding", Kind: record.EmbeddingModule, Calls: calls})
			}
		})
	}
	cases := []struct {
		name string
		c    curve
		want string
	}{
		{"the loss falls to nothing", curve{steps: 200, loss: down, facts: binary(256, nil)}, "constant"},
		{"products of embeddings", curve{steps: 200, loss: down, facts: products(1, "add", "sum", "mul", "embedding")}, "constant"},
		{"pairs of items that one user likes", curve{steps: 200, loss: down, facts: products(2, "sum", "mul", "embedding")}, ""},
		{"differences of products", curve{steps: 200, loss: down, facts: products(1, "sub", "sum", "mul", "embedding")}, ""},
		{"it falls to nothing and trembles there", curve{steps: 200, loss: func(n int64) float64 { return falling(0.7, 1e-5, 4)(n) + 1e-4*float64(n/50%2) }, facts: binary(256, nil)}, "constant"},
		{"the other class comes now and then", curve{steps: 200, loss: rare, facts: binary(256, nil)}, ""},
		{"data sorted by class", curve{steps: 200, loss: func(n int64) float64 { return down(n % 100) }, facts: binary(256, nil)}, ""},
		{"few labels", curve{steps: 200, loss: down, facts: binary(64, nil)}, ""},
		{"a short job", curve{steps: 60, loss: down, facts: binary(256, nil)}, ""},
		{"the loss stands", curve{steps: 200, loss: noisy(0.05, falling(0.7, 0.4, 15)), facts: binary(256, nil)}, ""},
		{"both labels", curve{steps: 200, loss: down, facts: binary(256, func(f *record.Facts) { f.Labels.Range = []float64{0, 1} })}, ""},
		{"pairs that are compared", curve{steps: 200, loss: down, facts: binary(256, func(f *record.Facts) {
			f.Graph.Head = []string{"binary_cross_entropy_with_logits", "sub", "linear"}
		})}, ""},
		{"one of two networks", curve{steps: 200, loss: down, facts: binary(256, func(f *record.Facts) { f.Optimisers = append(f.Optimisers, f.Optimisers[0]) })}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, f := range c.c.judge(t, "labels_fit") {
				got += f.Check
			}
			if got != c.want {
				t.Errorf("findings are %q, want %q", got, c.want)
			}
		})
	}
}

// Labels of ctc_loss that are its blank.
func TestBlankAmongLabels(t *testing.T) {
	ctc := func(labels, named, pairs int64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Loss = &record.LossFacts{Name: "CTCLoss", Function: "ctc_loss", Module: "CTCLoss", Reduction: "mean"}
			head(f, "mean", "div", "ctc_loss", "log_softmax", "linear")
			f.Labels = &record.LabelFacts{Loss: "CTCLoss", DType: "I64", Shape: []int64{46}, Range: []float64{0, 4}, Elements: labels}
			f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{DType: "F32", Shape: []int64{26, 16, 6}}, LabelShape: []int64{46}}
			if named > 0 {
				f.Labels.Blanks = &record.BlankFacts{Labels: labels, Named: named, Pairs: pairs}
			}
		}
	}
	runFacts(t, "labels_fit", []factCase{
		{"a label is the blank", classifier(), ctc(300, 40, 200), "error ctc_blank labels CTCLoss", "40 of the 300 labels"},
		{"none is", classifier(), ctc(300, 0, 200), "", ""},
		{"one is put between all labels", classifier(), ctc(300, 150, 0), "", ""},
		{"a sign or two that the alphabet lacks", classifier(), ctc(800, 4, 700), "", ""},
	})
}

// One token ends sequences and fills them up, and is left out as what fills them up.
func TestEndNeverCounts(t *testing.T) {
	of := func(ended, labels, counted int64) func(*record.Facts) {
		return func(f *record.Facts) {
			f.Labels = &record.LabelFacts{
				Loss: "cross_entropy", DType: "I64", Shape: []int64{640}, Range: []float64{0, 90}, Elements: labels, Ignored: 400,
				UnlabelledEnd: &record.UnlabelledEndFacts{Token: 1, Rows: 100, Ended: ended, Labels: labels, Counted: counted},
			}
		}
	}
	runFacts(t, "labels_fit", []factCase{
		{"never", lstm(), of(98, 900, 0), "warning end_of_sequence_never_counts loss cross_entropy", "98 of 100 padded sequences end with token 1, which is also their padding; cross_entropy ignores it everywhere"},
		{"it counts once", lstm(), of(98, 900, 1), "", ""},
		{"most are cut off", lstm(), of(20, 900, 0), "", ""},
		{"few", lstm(), of(8, 900, 0), "", ""},
		{"few labels", lstm(), of(98, 20, 0), "", ""},
	})
}

// The end of sequences is left out, and what fills them up counts.
func TestEndIgnored(t *testing.T) {
	ends := func(f *record.Facts) {
		f.Labels = &record.LabelFacts{
			Loss: "CrossEntropyLoss", DType: "I64", Shape: []int64{64}, Range: []float64{0, 9}, Elements: 479, Ignored: 33,
			Ends: &record.EndFacts{Token: 2, Filler: 0, Rows: 64, After: 354},
		}
	}
	runFacts(t, "labels_fit", []factCase{
		{"the end", lstm(), ends, "warning end_of_sequence_ignored loss cross_entropy", "ignores label 2, which occurs once at the end of each of 64 sequences, but counts label 0, the padding after it (354 times)"},
		{"padding is left out afterwards", lstm(), func(f *record.Facts) {
			ends(f)
			f.Loss.Reduction = "none"
		}, "", ""},
		{"none", lstm(), func(f *record.Facts) {
			ends(f)
			f.Labels.Ends = nil
		}, "", ""},
	})
}
