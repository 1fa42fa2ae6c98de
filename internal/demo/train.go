package demo

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/vigil-ml/vigil/hook"
)

// Script is the same training as an ordinary PyTorch program; its arguments
// are the fault and the number of seconds.
//
//go:embed demo.py
var Script []byte

const batch = 64

// pace is how long a step takes at least: a person has to be able to follow.
const pace = 25 * time.Millisecond

// layerTaps are what the hook knows of one layer.
type layerTaps struct {
	weight, gradWeight, bias, gradBias *hook.Tensor
	output                             *hook.Tensor // nil for the last layer
}

// Train runs the training for some time, or until ctx is done, through the
// public hook as any Go program would, and prints the loss now and then.
func Train(ctx context.Context, f Fault, length time.Duration, out io.Writer) error {
	rng := rand.New(rand.NewPCG(7, 11))
	net, data := f.network(rng, batch), newClouds(rng)
	h := hook.Start(hook.Options{
		Model: "MLP with " + strconv.Itoa(len(net.layers)) + " layers", Optimizer: "SGD", LearningRate: f.rate, Loss: "cross-entropy",
		Facts: map[string]any{"batch_size": batch, "activation": string(f.act)},
	})
	defer h.Close()
	taps := register(h, net)

	x, labels := make([]float32, batch*features), make([]int, batch)
	end := time.Now().Add(length)
	for step := 0; time.Now().Before(end) && ctx.Err() == nil; step++ {
		begin := time.Now()
		s := h.Begin(hook.Train)
		data.batch(x, labels)
		net.forward(x)
		loss := net.loss(labels)
		net.backward(labels)
		s.Loss(loss)
		for i, l := range net.layers {
			t := taps[i]
			s.Float32(t.weight, l.weight)
			s.Float32(t.bias, l.bias)
			s.Float32(t.gradWeight, l.gradW)
			s.Float32(t.gradBias, l.gradB)
			if t.output != nil {
				s.Float32(t.output, l.output)
			}
		}
		net.update(float32(f.rate))
		s.End()
		if step%50 == 0 {
			if _, err := fmt.Fprintf(out, "step %d, loss %.4f\n", step, loss); err != nil {
				return fmt.Errorf("print loss: %w", err)
			}
		}
		if rest := pace - time.Since(begin); rest > 0 {
			time.Sleep(rest)
		}
	}
	return nil
}

func register(h *hook.Hook, net *network) []layerTaps {
	taps := make([]layerTaps, len(net.layers))
	for i, l := range net.layers {
		t := &taps[i]
		t.weight, t.gradWeight = h.Parameter(l.name, "Linear", "weight", l.out, l.in)
		t.bias, t.gradBias = h.Parameter(l.name, "Linear", "bias", l.out)
		if l.act != linear {
			t.output = h.Output("act"+strconv.Itoa(i+1), string(l.act), batch, l.out)
		}
	}
	return taps
}
