package builtin

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// linear finds networks that are linear although they have several layers.
func (r *structure) linear(f *rule.Facts, rep *rule.Report) {
	g := f.Graph
	norms := batchNorms(f)
	nothing, calls := passing(f)
	bent := g.NonLinear - calls // what is not linear but for them
	if g.Weighted < 2 || bent > norms || norms > 0 && (g.Weighted < 3 || bent != norms) || g.Parts > 1 || f.Parameters == nil || f.Parameters.More > 0 || len(f.Models) > 1 || nonLinear(f) || g.Weighted == 2 && autoencoder(f) {
		return
	}
	stack := stacked(layersOf(f))
	if len(stack) < 2 {
		return
	}
	var names []string
	for _, l := range stack {
		names = append(names, l.name())
	}
	between := ""
	if norms > 0 {
		between = " other than batch normalisation, which is linear in evaluation"
	}
	if len(nothing) > 0 {
		between += fmt.Sprintf(", because what is between them (%s) returns its input unchanged", nothing[0])
	}
	r.say(rep, rule.Violation{
		Check: "linear_stack", Subject: names[0], Observed: float64(len(stack)), Threshold: 1, Comparator: ">", Steps: int(updates(f)),
		Message: fmt.Sprintf("%d layers (%s) follow each other without an activation"+between+", so together they are equivalent to one linear layer. Put an activation such as ReLU between them.",
			len(stack), someNames(names)),
		Context: map[string]any{"layers": names, "weighted": g.Weighted, "non_linear": g.NonLinear},
	})
}

// batchNorms counts the calls of batch normalisation between the first layer and
// the last, where it is the only normalisation and in training mode: there the
// graph counts each of them as not linear. In evaluation it is affine.
func batchNorms(f *rule.Facts) (n int64) {
	if f.Network == nil || f.Network.More > 0 {
		return 0
	}
	first, last := int64(math.MaxInt64), lastWeighted(f)
	for _, m := range f.Network.Modules {
		if m.Kind == record.LinearModule || m.Kind == record.ConvModule {
			first = min(first, m.Order)
		}
	}
	for _, m := range f.Network.Modules {
		if m.Kind != record.NormModule {
			continue
		}
		if !strings.Contains(m.Type, "BatchNorm") || !m.Training || m.Order < first || m.Order > last {
			return 0
		}
		n += m.Calls
	}
	return n
}

// passing gives the activations that change nothing, as messages call them, and
// how many of their calls the graph took for non-linear ones.
func passing(f *rule.Facts) (names []string, calls int64) {
	if f.Network == nil || f.Network.More > 0 {
		return nil, 0
	}
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		if !passes(m) {
			continue
		}
		name := m.Type
		if x, ok := setting(m, "negative_slope"); ok {
			name += fmt.Sprintf(" with negative_slope=%s", num(x))
		} else if m.Type == "Hardtanh" {
			calls += m.Calls
		}
		names = append(names, name)
	}
	return names, calls
}

// passes reports whether an activation gives back what it gets: a leaky one whose
// slope is 1 on both sides, bounds that no value comes near, a function whose
// result is thrown away. A ReLU does so on what is positive, but not for good,
// and a slope that is learnt is none of them.
func passes(m *rule.ModuleFacts) bool {
	if m.Kind != record.ActivationKind || slices.Contains([]string{"ReLU", "ReLU6", "PReLU"}, m.Type) {
		return false
	}
	if x, ok := setting(m, "negative_slope"); ok {
		return x == 1
	}
	in, out := m.Input, m.Output
	if in == nil || out == nil || in.Values == nil || out.Values == nil || in.Values.Elements < leastPassing || in.Values.Min >= 0 || in.Values.Min == in.Values.Max {
		return false
	}
	return *in.Values == *out.Values
}

// leastPassing is how many values have to have passed.
const leastPassing = 64

// nonLinear reports whether the network calls a module that is no affine
// function, whatever the graph says of it.
func nonLinear(f *rule.Facts) bool {
	if f.Network == nil {
		return false
	}
	for _, m := range f.Network.Modules {
		switch m.Kind {
		case record.ActivationKind:
			// An output activation is part of the loss: the graph has not counted it.
			if m.Order < lastWeighted(f) && !passes(&m) {
				return true
			}
		case record.AttentionModule, record.RecurrentModule:
			return true
		case record.NormModule:
			if !strings.Contains(m.Type, "BatchNorm") {
				return true
			}
		}
	}
	return false
}

// lastWeighted is the place of the last linear or convolution module.
func lastWeighted(f *rule.Facts) (last int64) {
	for _, m := range f.Network.Modules {
		if m.Kind == record.LinearModule || m.Kind == record.ConvModule {
			last = max(last, m.Order)
		}
	}
	return last
}

// autoencoder reports whether the model gives back what it got: with one layer
// down and one up it finds principal components.
func autoencoder(f *rule.Facts) bool {
	return f.Predictions != nil && f.Inputs != nil && len(f.Inputs.Tensors) > 0 && len(f.Predictions.Shape) > 1 && slices.Equal(f.Predictions.Shape, f.Inputs.Tensors[0].Shape)
}

// stacked gives the longest row of linear and convolution layers of which each
// takes what the one before gives, without narrow places that make them factors
// of low rank.
func stacked(layers []layer) []layer {
	layers = slices.DeleteFunc(layers, func(l layer) bool { return l.kind != record.LinearModule && l.kind != record.ConvModule })
	var best, row []layer
	for _, l := range layers {
		if len(row) > 0 && !feeds(row, l) {
			row = nil
		}
		if row = append(row, l); len(row) > len(best) {
			best = slices.Clone(row)
		}
	}
	return best
}

// feeds reports whether a layer takes the output of the last of a row, by their
// sizes: channels that are spread out over positions make more inputs.
func feeds(row []layer, l layer) bool {
	last := row[len(row)-1]
	out, in := last.units(), l.weight.Shape[1]
	if last.path == l.path || out < 2 || in%out != 0 || in != out && last.kind != record.ConvModule {
		return false
	}
	return last.kind != record.LinearModule || out >= min(last.weight.Shape[1], l.units())
}
