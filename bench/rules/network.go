package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// side is the number of rows and of columns of each tensor: what a step costs the rules
// depends on how many tensors there are, not on how large they are.
const side = 8

// samples is the number of rows of an activation.
const samples = 64

// network stands for a training of 1,000 tensors that is healthy: weights move
// a little at each step, gradients and activations are new ones.
type network struct {
	rng    *rand.Rand
	infos  []record.TensorInfo
	values [][]float32
}

// newNetwork makes layers of a weight, a bias, their gradients and an
// activation, until there are as many tensors as wanted.
func newNetwork() *network {
	n := &network{rng: rand.New(rand.NewPCG(1, 2))}
	add := func(info record.TensorInfo, shape ...int64) {
		if len(n.infos) == tensorCount {
			return
		}
		info.DType, info.Shape, info.Order = "F32", shape, len(n.infos)
		n.infos = append(n.infos, info)
		size := int64(1)
		for _, d := range shape {
			size *= d
		}
		v := make([]float32, size)
		for i := range v {
			v[i] = 0.1 * float32(n.rng.NormFloat64())
		}
		n.values = append(n.values, v)
	}
	for i := 0; len(n.infos) < tensorCount; i++ {
		layer, act := fmt.Sprintf("blocks.%d.%d.fc", i/4, i%4), fmt.Sprintf("blocks.%d.%d.act", i/4, i%4)
		of := func(name string, kind record.Kind) record.TensorInfo {
			return record.TensorInfo{Name: name, Kind: kind, Module: layer, ModuleType: "Linear"}
		}
		add(of(layer+".weight", record.Weight), side, side)
		add(of(layer+".bias", record.Bias), side)
		add(of("gradient/"+layer+".weight", record.Gradient), side, side)
		add(of("gradient/"+layer+".bias", record.Gradient), side)
		if i%2 == 0 {
			add(record.TensorInfo{Name: act + ".relu_output_0", Kind: record.Output, Module: act, ModuleType: "ReLU"}, samples, side)
		} else {
			add(record.TensorInfo{Name: act + ".tanh_input_0", Kind: record.Input, Module: act, ModuleType: "Tanh"}, samples, side)
		}
	}
	return n
}

// step makes the values of the next step.
func (n *network) step() {
	for i, v := range n.values {
		switch n.infos[i].Kind {
		case record.Gradient:
			for k := range v {
				v[k] = 1e-3 * float32(n.rng.NormFloat64())
			}
		case record.Weight, record.Bias:
			for k := range v {
				v[k] -= n.values[i+2][k] // its gradient comes two places later
			}
		default:
			for k := range v {
				v[k] = float32(n.rng.NormFloat64())
			}
		}
	}
}

// loss falls, with some noise.
func (n *network) loss(step int) float64 {
	return 2*math.Exp(-float64(step)/200) + 0.01*n.rng.Float64()
}

// view is one tensor's values as the hook would hand them over.
func (n *network) view(i int) (tensor.View, error) {
	b := make([]byte, 0, 4*len(n.values[i]))
	for _, x := range n.values[i] {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return tensor.NewView(tensor.F32, n.infos[i].Shape, b)
}
