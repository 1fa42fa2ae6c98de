package demo

import (
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// activation is the non-linearity after a dense layer.
type activation string

const (
	relu    activation = "ReLU"
	sigmoid activation = "Sigmoid"
	linear  activation = ""
)

// dense is a fully connected layer: y = x·Wᵀ + b, W of shape [out, in].
type dense struct {
	name          string
	in, out       int
	weight, bias  []float32
	gradW, gradB  []float32
	act           activation
	input, output []float32 // of the last forward pass; output is after the activation
	delta         []float32 // gradient with respect to the output
}

// network is a stack of dense layers with a softmax cross-entropy loss.
type network struct {
	layers []*dense
	batch  int
	prob   []float32
}

// initial says how weights begin: the standard deviation for a given fan-in.
type initial func(fanIn int) float64

// he is the initialisation for ReLU (He et al., 2015): variance 2/fan-in.
func he(fanIn int) float64 { return math.Sqrt(2 / float64(fanIn)) }

// lecun keeps the variance for near-linear units: variance 1/fan-in.
func lecun(fanIn int) float64 { return math.Sqrt(1 / float64(fanIn)) }

func newNetwork(rng *rand.Rand, sizes []int, act activation, start initial, batch int) *network {
	n := &network{batch: batch, prob: make([]float32, batch*sizes[len(sizes)-1])}
	for i := range len(sizes) - 1 {
		in, out := sizes[i], sizes[i+1]
		l := &dense{
			name: "fc" + strconv.Itoa(i+1), in: in, out: out, act: act,
			weight: make([]float32, in*out), bias: make([]float32, out),
			gradW: make([]float32, in*out), gradB: make([]float32, out),
			output: make([]float32, batch*out), delta: make([]float32, batch*out),
		}
		if i == len(sizes)-2 {
			l.act = linear
		}
		std := start(in)
		for j := range l.weight {
			l.weight[j] = float32(rng.NormFloat64() * std)
		}
		n.layers = append(n.layers, l)
	}
	return n
}

func matrix(rows, cols int, data []float32) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// forward runs the batch x, of shape [batch, features], and returns the scores.
func (n *network) forward(x []float32) []float32 {
	for _, l := range n.layers {
		l.input = x
		for r := range n.batch {
			copy(l.output[r*l.out:(r+1)*l.out], l.bias)
		}
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, matrix(n.batch, l.in, x), matrix(l.out, l.in, l.weight), 1, matrix(n.batch, l.out, l.output))
		switch l.act {
		case relu:
			for i, v := range l.output {
				l.output[i] = max(v, 0)
			}
		case sigmoid:
			for i, v := range l.output {
				l.output[i] = float32(1 / (1 + math.Exp(-float64(v))))
			}
		}
		x = l.output
	}
	return x
}

// loss is the mean cross-entropy of the softmax of the last forward's scores,
// in nats, computed with the largest score subtracted.
func (n *network) loss(labels []int) float64 {
	last := n.layers[len(n.layers)-1]
	classes := last.out
	total := 0.0
	for r := range n.batch {
		scores, prob := last.output[r*classes:(r+1)*classes], n.prob[r*classes:(r+1)*classes]
		top := math.Inf(-1)
		for _, s := range scores {
			top = math.Max(top, float64(s))
		}
		sum := 0.0
		for c, s := range scores {
			e := math.Exp(float64(s) - top)
			prob[c] = float32(e)
			sum += e
		}
		for c := range prob {
			prob[c] /= float32(sum)
		}
		total += math.Log(sum) + top - float64(scores[labels[r]])
	}
	return total / float64(n.batch)
}

// backward fills the gradients of the mean loss.
func (n *network) backward(labels []int) {
	last := n.layers[len(n.layers)-1]
	scale := 1 / float32(n.batch)
	for r := range n.batch {
		for c := range last.out {
			d := n.prob[r*last.out+c]
			if c == labels[r] {
				d--
			}
			last.delta[r*last.out+c] = d * scale
		}
	}
	for i := len(n.layers) - 1; i >= 0; i-- {
		l := n.layers[i]
		switch l.act {
		case relu:
			for j, v := range l.output {
				if v <= 0 {
					l.delta[j] = 0
				}
			}
		case sigmoid:
			for j, v := range l.output {
				l.delta[j] *= v * (1 - v)
			}
		}
		blas32.Gemm(blas.Trans, blas.NoTrans, 1, matrix(n.batch, l.out, l.delta), matrix(n.batch, l.in, l.input), 0, matrix(l.out, l.in, l.gradW))
		clear(l.gradB)
		for r := range n.batch {
			for c := range l.out {
				l.gradB[c] += l.delta[r*l.out+c]
			}
		}
		if i > 0 {
			below := n.layers[i-1]
			blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, matrix(n.batch, l.out, l.delta), matrix(l.out, l.in, l.weight), 0, matrix(n.batch, l.in, below.delta))
		}
	}
}

// update is plain stochastic gradient descent.
func (n *network) update(rate float32) {
	for _, l := range n.layers {
		for i, g := range l.gradW {
			l.weight[i] -= rate * g
		}
		for i, g := range l.gradB {
			l.bias[i] -= rate * g
		}
	}
}
