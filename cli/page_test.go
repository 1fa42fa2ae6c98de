package cli

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestTensorsAreCalledAsInTheScript(t *testing.T) {
	name := called([]record.TensorInfo{
		{Name: "Net_fc.weight", Kind: record.Weight, Module: "fc", ModuleType: "Linear"},
		{Name: "gradient/Net_fc.weight", Kind: record.Gradient, Module: "fc", ModuleType: "Linear"},
		{Name: "act_output_0", Kind: record.Output, Module: "act", ModuleType: "ReLU"},
		{Name: "loss", Kind: record.Loss},
	})
	for stored, want := range map[string]string{
		"Net_fc.weight": "`fc.weight`", "gradient/Net_fc.weight": "gradient of `fc.weight`", "act_output_0": "output of ReLU `act`", "loss": "loss", "GPU 0": "GPU 0",
	} {
		if got := name(stored); got != want {
			t.Errorf("%s is called %q, want %q", stored, got, want)
		}
	}
}

// The command that explains a finding is one that works.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		f    record.Finding
		want string
	}{
		{record.Finding{Rule: "zero_grad", Check: "kept"}, " rules describe zero_grad/kept"},
		{record.Finding{Rule: "zero_grad", Check: "of an earlier version"}, " rules describe zero_grad"},
		{record.Finding{Rule: "mine", Check: "expression"}, ""},
	} {
		got := explain(&c.f)
		if len(got) > len(c.want) && c.want != "" {
			got = got[len(got)-len(c.want):]
		}
		if got != c.want {
			t.Errorf("%s/%s: %q, want %q", c.f.Rule, c.f.Check, got, c.want)
		}
	}
}
