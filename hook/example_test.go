package hook_test

import (
	"fmt"

	"github.com/vigil-ml/vigil/hook"
)

// A training of one weight, captured when it is started by `vigil run`. Started
// alone it runs just the same.
func Example() {
	h := hook.Start(hook.Options{Model: "Line", Optimizer: "SGD", LearningRate: 0.1, Loss: "MSELoss"})
	defer h.Close()
	weight, gradient := h.Parameter("line", "Linear", "weight", 1)
	output := h.Output("line", "Linear", 1)

	w, x, y := []float32{0}, float32(2), float32(6)
	for range 100 {
		s := h.Begin(hook.Train)
		out := w[0] * x
		s.Loss(float64((out - y) * (out - y)))
		g := []float32{2 * (out - y) * x}
		if s.Due(output) { // only when a rule or a collection asks for it
			s.Float32(output, []float32{out})
		}
		s.Float32(weight, w)
		s.Float32(gradient, g)
		w[0] -= 0.1 * g[0]
		s.End()
	}
	fmt.Printf("weight %.3f\n", w[0])
	// Output: weight 3.000
}
