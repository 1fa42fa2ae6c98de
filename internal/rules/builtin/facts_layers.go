package builtin

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// layer is a module with a weight, as rules on facts see it.
type layer struct {
	path   string
	typ    string
	kind   string
	weight *rule.ParameterFact
	bias   *rule.ParameterFact
	module *rule.ModuleFacts // nil where the forward that was looked at did not call it
}

// name is how messages call the layer.
func (l *layer) name() string {
	if l.path == "" {
		return l.weight.Name
	}
	return l.path
}

// units is the number of units that the layer's weight makes.
func (l *layer) units() int64 { return l.weight.Shape[0] }

// depthwise reports whether every unit of a convolution looks at one channel of
// its own, so that its units need not differ.
func (l *layer) depthwise() bool {
	return l.kind == record.ConvModule && len(l.weight.Shape) > 2 && l.weight.Shape[1] == 1 && l.weight.Shape[0] > 1
}

// weightedKinds are the kinds of modules whose weight mixes features.
var weightedKinds = []string{record.LinearModule, record.ConvModule, record.RecurrentModule, record.AttentionModule}

// layersOf gives the layers whose weight mixes features, in the order in which
// they are called as far as that is known, otherwise as registered. A weight
// that is split into length and direction counts with its direction.
func layersOf(f *rule.Facts) []layer { return layersWith(f, false) }

// layersWith gives, with used, also weights that only their use in the graph
// shows as such: each is a layer of its own.
func layersWith(f *rule.Facts, used bool) []layer {
	if f.Parameters == nil {
		return nil
	}
	modules := map[string]*rule.ModuleFacts{}
	if f.Network != nil {
		for i := range f.Network.Modules {
			modules[f.Network.Modules[i].Path] = &f.Network.Modules[i]
		}
	}
	biases := map[string]*rule.ParameterFact{}
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Bias {
			biases[p.Module] = p
		}
	}
	var out []layer
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		if used && p.Use != "" && !p.Bias && len(p.Shape) > 1 && !slices.Contains(weightedKinds, p.Kind) {
			module := modules[p.Name]
			if module == nil {
				module = modules[p.Module]
			}
			out = append(out, layer{path: p.Name, typ: p.Type, kind: p.Use, weight: p, module: module})
			continue
		}
		if p.Bias || len(p.Shape) < 2 || !slices.Contains(weightedKinds, p.Kind) || strings.HasSuffix(p.Name, "weight_g") || strings.HasSuffix(p.Name, "original0") {
			continue
		}
		out = append(out, layer{path: p.Module, typ: p.Type, kind: p.Kind, weight: p, bias: biases[p.Module], module: modules[p.Module]})
	}
	for i := range out {
		if out[i].module == nil {
			return out
		}
	}
	slices.SortStableFunc(out, func(a, b layer) int { return cmp.Compare(a.module.Order, b.module.Order) })
	return out
}

// modelOf names the model that a parameter belongs to: the one whose name it
// begins with.
func modelOf(f *rule.Facts, p *rule.ParameterFact) string {
	if len(f.Models) == 1 {
		return f.Models[0].Name
	}
	best := ""
	for _, m := range f.Models {
		if strings.HasPrefix(p.Name, m.Name+"_") && len(m.Name) > len(best) {
			best = m.Name
		}
	}
	return best
}

// setting reads a number that a module's constructor was given.
func setting(m *rule.ModuleFacts, name string) (float64, bool) {
	switch x := m.Settings[name].(type) {
	case float64:
		return x, true
	case int:
		return float64(x), true
	case int64:
		return float64(x), true
	}
	return 0, false
}

// Whether values are those of an initialiser.
const (
	fresh   = 1
	worn    = -1 // they were trained before
	unknown = 0
)

// age reports whether parameters are as an initialiser leaves them: scales of
// normalisation exactly 1, biases 0, weights spread evenly between two limits.
// Values drawn from a normal distribution tell nothing.
func age(ps []*rule.ParameterFact) int {
	signs, plain := 0, plainBiases(ps)
	for _, p := range ps {
		v := p.First
		if loaded(p) {
			return worn
		}
		if v == nil || v.NonFinite > 0 {
			continue
		}
		constant, mean := v.Min == v.Max, float64(v.Mean)
		switch {
		case p.Kind == record.NormModule:
			if !constant || !p.Bias && mean != 1 && mean != 0 || p.Bias && mean != 0 {
				return worn
			}
			signs++
		case p.Bias && constant:
			signs++
		case p.Bias || len(p.Shape) < 2 || v.Elements < 64 || constant:
		case evenly(v):
			signs++
		case outgrown(p) && p.Kind != record.EmbeddingModule && !plain[p.Module]:
			return worn
		}
	}
	if signs > 0 {
		return fresh
	}
	return unknown
}

// drawnAlike is how much more the rows of a weight, or its columns, differ than those
// of values that were drawn one by one, at most, where they were: initialisers of all
// kinds give 4 at most, with the few rows of a small layer.
const drawnAlike = 5

// loaded reports whether the values of a parameter come from an earlier training: they
// were seen being loaded, or its rows differ as no initialiser makes them.
func loaded(p *rule.ParameterFact) bool {
	mixes := slices.Contains(weightedKinds, p.Kind) || p.Use != ""
	return p.Loaded || mixes && p.Uneven != nil && float64(*p.Uneven) >= drawnAlike
}

// someLoaded reports whether weights of a network come from an earlier training.
func someLoaded(f *rule.Facts) bool {
	return slices.ContainsFunc(layersWith(f, true), func(l layer) bool { return loaded(l.weight) })
}

// plainBiases gives the modules whose bias is zero all over: no training leaves that,
// so their weights were drawn as they are.
func plainBiases(ps []*rule.ParameterFact) map[string]bool {
	out := map[string]bool{}
	for _, p := range ps {
		if v := p.First; p.Bias && v != nil && v.NonFinite == 0 && v.Min == 0 && v.Max == 0 {
			out[p.Module] = true
		}
	}
	return out
}

// outgrown reports whether a weight has the deviation of the usual initialiser, but
// elements beyond its limits.
func outgrown(p *rule.ParameterFact) bool {
	limit := 1 / math.Sqrt(float64(p.FanIn))
	q := float64(p.First.Std) / limit * widest
	return q > 0.7 && q < 1.4 && max(float64(p.First.Max), -float64(p.First.Min)) > 1.02*limit
}

// widest is the limit of evenly spread values in deviations.
const widest = 1.7320508075688772

// evenly reports whether values fill an interval around 0 evenly: no trained
// weight does, because some of its elements stand out.
func evenly(v *rule.ValueFacts) bool {
	most := max(float64(v.Max), -float64(v.Min))
	slack := 1.03
	if v.Elements < 1000 {
		slack = 1.12
	}
	return most <= widest*slack*float64(v.Std)
}
