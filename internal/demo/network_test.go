package demo

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The gradients that backward computes agree with those of finite differences.
func TestGradients(t *testing.T) {
	for _, act := range []activation{relu, sigmoid} {
		t.Run(string(act), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			const batch = 6
			n := newNetwork(rng, []int{features, 8, 7, classes}, act, lecun, batch)
			x, labels := make([]float32, batch*features), make([]int, batch)
			newClouds(rng).batch(x, labels)
			n.forward(x)
			n.loss(labels)
			n.backward(labels)
			for _, l := range n.layers {
				for _, i := range []int{0, len(l.weight) / 2, len(l.weight) - 1} {
					const h = 1e-2
					was := l.weight[i]
					l.weight[i] = was + h
					n.forward(x)
					up := n.loss(labels)
					l.weight[i] = was - h
					n.forward(x)
					down := n.loss(labels)
					l.weight[i] = was
					want, got := (up-down)/(2*h), float64(l.gradW[i])
					if math.Abs(want-got) > 2e-3+0.05*math.Abs(want) {
						t.Errorf("%s weight %d: gradient %g, by differences %g", l.name, i, got, want)
					}
				}
			}
		})
	}
}

// A network in order learns the task, so that the demo's healthy run is one.
func TestHealthyLearns(t *testing.T) {
	first, last := train(t, "none", 300)
	if last > first/2 {
		t.Errorf("loss went from %g to %g", first, last)
	}
}

// Each fault shows in the loss the way its description says.
func TestFaultsAreFaults(t *testing.T) {
	for _, tt := range []struct {
		name string
		ok   func(first, last float64) bool
	}{
		{"vanishing", func(first, last float64) bool { return last > 0.9*first }},
		{"exploding", func(_, last float64) bool { return math.IsNaN(last) || math.IsInf(last, 0) || last > 100 }},
		{"plateau", func(first, last float64) bool { return math.Abs(last-first) < 0.2*first }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if first, last := train(t, tt.name, 200); !tt.ok(first, last) {
				t.Errorf("loss went from %g to %g", first, last)
			}
		})
	}
}

func train(t *testing.T, name string, steps int) (first, last float64) {
	t.Helper()
	f, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	const batch = 64
	n, data := f.network(rng, batch), newClouds(rng)
	x, labels := make([]float32, batch*features), make([]int, batch)
	for s := range steps {
		data.batch(x, labels)
		n.forward(x)
		loss := n.loss(labels)
		if s == 0 {
			first = loss
		}
		last = loss
		n.backward(labels)
		n.update(float32(f.rate))
	}
	return first, last
}
