// A training in Go with Vigil's hook: a line is fitted to noisy points.
//
//	vigil run -- go run ./examples/go
package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/vigil-ml/vigil/hook"
)

func main() {
	h := hook.Start(hook.Options{Model: "line", Optimizer: "SGD", LearningRate: 0.05, Loss: "mean squared error"})
	defer h.Close()
	weight, gradient := h.Parameter("line", "Linear", "weight", 2)

	rng := rand.New(rand.NewPCG(1, 2))
	w := []float32{0, 0} // slope and intercept
	for step := range 500 {
		s := h.Begin(hook.Train)
		var loss float64
		g := []float32{0, 0}
		const points = 32
		for range points {
			x := float32(rng.NormFloat64())
			y := 3*x - 1 + 0.1*float32(rng.NormFloat64())
			d := w[0]*x + w[1] - y
			loss += float64(d*d) / points
			g[0] += 2 * d * x / points
			g[1] += 2 * d / points
		}
		s.Loss(loss)
		s.Float32(weight, w)
		s.Float32(gradient, g)
		for i := range w {
			w[i] -= 0.05 * g[i]
		}
		s.End()
		if step%100 == 0 {
			fmt.Printf("step %d, loss %.4f, slope %.3f, intercept %.3f\n", step, loss, w[0], w[1])
		}
	}
}
