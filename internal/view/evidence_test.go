package view

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestEvidence(t *testing.T) {
	type context = map[string]any
	words := TensorWords([]record.TensorInfo{
		{Name: "Net_fc1.weight", Kind: record.Weight, Module: "fc1", ModuleType: "Linear"},
		{Name: "gradient/Net_fc1.weight", Kind: record.Gradient, Module: "fc1", ModuleType: "Linear"},
		{Name: "act_output_0", Kind: record.Output, Module: "act", ModuleType: "ReLU"},
		{Name: "loss", Kind: record.Loss},
	}, "`")
	for _, tt := range []struct {
		name string
		f    record.Finding
		want string
	}{
		{"a number and its limit", record.Finding{Subject: "fc.weight", Observed: 3, Comparator: ">", Threshold: 2}, "fc.weight: 3 is above 2."},
		{"at most", record.Finding{Observed: 0.012345, Comparator: "<=", Threshold: 0.5}, "0.0123 is at or below 0.5."},
		{"a fact, with a number", record.Finding{Subject: "loss", Comparator: "=", Context: context{"batch_size": 8}}, "loss. Batch size: 8."},
		{"fractions have three digits", record.Finding{Subject: "loss", Context: context{"mean": 9.088340330309919e-9, "largest": record.Number(0.0306014645), "steps": 120.0}}, "loss. Largest: 0.0306. Mean: 9.09e-09. Steps: 120."},
		{"a list", record.Finding{Subject: "loss", Context: context{"norms": []any{"1", "1"}}}, "loss. Norms: 1 and 1."},
		{"a list of one", record.Finding{Subject: "loss", Context: context{"kinds": []string{"dropout"}}}, "loss. Kinds: dropout."},
		{"a long list", record.Finding{Subject: "loss", Context: context{"last_values": []record.Number{1, 2, 3, 4, 5, 6, 7, 8, 9, 0.1234567}}}, "loss. Last values: 1, 2, 3 … 9, 0.123 (10 in all)."},
		{"yes and no", record.Finding{Subject: "loss", Context: context{"constant": true, "known": false}}, "loss. Constant. Not known."},
		{"counts by name", record.Finding{Subject: "labels", Context: context{"counts": map[string]int{"0": 9, "1": 1}}}, "labels. Counts: 0 9, 1 1."},
		{"a tensor in words", record.Finding{Subject: "gradient/Net_fc1.weight", Observed: 3, Comparator: ">", Threshold: 2}, "Gradient of `fc1.weight`: 3 is above 2."},
		{"a weight", record.Finding{Subject: "Net_fc1.weight", Observed: 3, Comparator: ">", Threshold: 2}, "`fc1.weight`: 3 is above 2."},
		{"tensors of the context", record.Finding{Subject: "loss", Context: context{"largest": "gradient/Net_fc1.weight", "others": []string{"act_output_0", "train.py"}}}, "loss. Largest: gradient of `fc1.weight`. Others: output of ReLU `act` and train.py."},
		{"what has parts of parts is left out", record.Finding{Subject: "x", Context: context{"deep": []any{[]any{1.0}}}}, "x."},
	} {
		if got := Evidence(tt.f, words); got != tt.want {
			t.Errorf("%s: evidence is %q, want %q", tt.name, got, tt.want)
		}
	}
}
