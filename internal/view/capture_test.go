package view

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// One thing is no plural.
func TestCaptured(t *testing.T) {
	infos := []record.TensorInfo{{Name: "loss", Kind: record.Loss}, {Name: "a.weight", Kind: record.Weight}, {Name: "b.weight", Kind: record.Weight}, {Name: "a.bias", Kind: record.Bias}}
	for _, tt := range []struct {
		name  string
		run   record.Run
		infos []record.TensorInfo
		want  string
	}{
		{"some", record.Run{}, infos, "Series of 1 loss, 2 weights, 1 bias."},
		{"none", record.Run{}, nil, "Nothing was captured."},
		{"one dropped", record.Run{Dropped: map[string]int64{"ring full": 1}}, infos[:1], "Series of 1 loss. 1 value was dropped because there was no room for it."},
		{"some dropped", record.Run{Dropped: map[string]int64{"ring full": 1, "too late": 1200}}, infos[:1], "Series of 1 loss. 1,201 values were dropped because there was no room for them."},
	} {
		if got := Captured(tt.run, tt.infos); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
