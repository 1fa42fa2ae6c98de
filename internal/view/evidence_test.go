package view

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestEvidence(t *testing.T) {
	for _, tt := range []struct {
		f    record.Finding
		want string
	}{
		{record.Finding{Subject: "fc.weight", Observed: 3, Comparator: ">", Threshold: 2}, "fc.weight: 3 > 2"},
		{record.Finding{Subject: "loss", Comparator: "=", Context: map[string]any{"batch_size": 8}}, "loss; batch size 8"},
		{record.Finding{Subject: "loss", Comparator: "=", Context: map[string]any{"mean": 9.088340330309919e-9, "largest": record.Number(0.0306014645), "steps": 120.0}}, "loss; largest 0.0306; mean 9.09e-09; steps 120"},
	} {
		if got := Evidence(tt.f); got != tt.want {
			t.Errorf("evidence is %q, want %q", got, tt.want)
		}
	}
}
