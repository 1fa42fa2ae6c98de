package rules

import (
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// Messages call tensors as the script knows them; all else stays as the rule has
// written it.
func TestMessagesNameTensorsAsTheScriptDoes(t *testing.T) {
	known := newTensors()
	for _, i := range []record.TensorInfo{
		{Name: "Sequential_0.weight", Kind: record.Weight, Module: "0", ModuleType: "Linear"},
		{Name: "gradient/Sequential_0.weight", Kind: record.Gradient, Module: "0", ModuleType: "Linear"},
		{Name: "3_output_0", Kind: record.Output, Module: "3", ModuleType: "ReLU"},
		{Name: "loss", Kind: record.Loss},
		{Name: "gradient/a", Kind: record.Gradient},
	} {
		known.announce(i)
	}
	for _, c := range []struct{ message, want string }{
		{"3 of 3 weights have grown (Sequential_0.weight 5,210 times), and the loss is higher.", "3 of 3 weights have grown (`0.weight` 5,210 times), and the loss is higher."},
		{"100 % of the 64 units of 3_output_0 are dead.", "100 % of the 64 units of the output of ReLU `3` are dead."},
		{"3_output_0 is constant.", "The output of ReLU `3` is constant."},
		{"The output of 3_output_0: all zero.", "The output of ReLU `3`: all zero."},
		{"The gradient of gradient/Sequential_0.weight vanishes.", "The gradient of `0.weight` vanishes."},
		{"The gradient gradient/Sequential_0.weight has no spread.", "The gradient of `0.weight` has no spread."},
		{"that of gradient/Sequential_0.weight has mean 1e-09.", "that of `0.weight` has mean 1e-09."},
		{"All values of gradient/Sequential_0.weight.", "All values of the gradient of `0.weight`."},
		{"It began in Sequential_0.weight, gradient/Sequential_0.weight and loss.", "It began in `0.weight`, the gradient of `0.weight` and loss."},
		{"gradient/a vanishes at 0.weight.", "gradient/a vanishes at 0.weight."},
	} {
		if got := known.named(c.message); got != c.want {
			t.Errorf("%q\nis %q\nwant %q", c.message, got, c.want)
		}
	}
}
