package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Network are the modules of a training's models, and what each holds.
type Network struct {
	Layers []Layer
	// More are modules that were not recorded: they hold no parameters.
	More int64
	// Parameters are those of all layers: each counts once, whatever shares it.
	Parameters int64
	// Called tells that a forward was looked at. Without it the layers are in the order
	// in which they are registered.
	Called bool
}

// Layer is a module of a network.
type Layer struct {
	Path, Type string // Path is "" of the model itself
	Output     string // element type and shape of what it returned; "" where that was not looked at
	Label      string // its path below the layer that it is in, as a list of all shows it
	Depth      int    // how many modules it is in
	Parameters int64  // its own: those of modules that are in it count there
}

// ShownLayers is how many layers a list for reading has.
const ShownLayers = 40

// inNoModule is what holds parameters that are in no module.
const inNoModule = "(in no module)"

// NetworkOf lists the modules in the order in which the first forward called them,
// each below what it is in; then those of further models; at the end those that were
// not called. All that hold parameters are among them, called or not.
func NetworkOf(f *record.Facts, announced []record.TensorInfo) Network {
	var n Network
	at := map[string]int{} // one more than the place of a path
	layer := func(path, kind, output string) *Layer {
		if at[path] == 0 {
			n.Layers = append(n.Layers, Layer{Path: path, Type: kind, Output: output})
			at[path] = len(n.Layers)
		}
		return &n.Layers[at[path]-1]
	}
	if f != nil && f.Network != nil {
		// Those that hold called ones, but were not called, come with the first of them.
		for i := range f.Network.Modules {
			m := &f.Network.Modules[i]
			output := ""
			if m.Output != nil {
				output = fmt.Sprintf("%s %v", m.Output.DType, m.Output.Shape)
			}
			layer(m.Path, m.Type, output)
		}
		for _, m := range f.Network.Uncalled {
			layer(m.Path, m.Type, "")
		}
		n.More, n.Called = f.Network.More, true
	}
	looked := len(n.Layers)
	for i := range announced {
		t := &announced[i]
		if t.Kind != record.Weight && t.Kind != record.Bias {
			continue
		}
		path, kind := t.Module, t.ModuleType
		if held(t) {
			if path, kind = t.Name, ""; at[path] == 0 { // a network without modules has its operations by the names of their weights
				path = inNoModule
			}
		}
		l := layer(path, kind, "")
		if t.AliasOf == "" {
			l.Parameters += elements(t)
			n.Parameters += elements(t)
		}
	}
	n.More = max(0, n.More-int64(len(n.Layers)-looked))
	n.order(callOrderOf(f))
	return n
}

// order puts the layers into their order, and says how deep each is.
func (n *Network) order(o callOrder) {
	slices.SortStableFunc(n.Layers, func(a, b Layer) int { return cmp.Compare(o.of(a.Path), o.of(b.Path)) })
	base := 0
	if len(n.Layers) > 0 && n.Layers[0].Path == "" {
		base = 1 // all are in the first one
	}
	var above []string // the layers that the last one is in, and itself
	for i := range n.Layers {
		l := &n.Layers[i]
		if l.Path == "" || l.Path == inNoModule {
			l.Label = l.Name()
			above = append(above[:0], l.Path)
			continue
		}
		l.Depth = strings.Count(l.Path, ".") + base
		for len(above) > 0 && !strings.HasPrefix(l.Path, above[len(above)-1]+".") {
			above = above[:len(above)-1]
		}
		l.Label = l.Path
		if len(above) > 0 {
			l.Label = strings.TrimPrefix(l.Path, above[len(above)-1]+".")
		}
		above = append(above, l.Path)
	}
}

// First are the first layers, how many follow, and how many parameters these hold.
func (n Network) First(most int) (shown []Layer, more, parameters int64) {
	shown = n.Layers[:min(most, len(n.Layers))]
	for i := range n.Layers[len(shown):] {
		parameters += n.Layers[len(shown)+i].Parameters
	}
	return shown, int64(len(n.Layers)-len(shown)) + n.More, parameters
}

// Title is what a list of the layers is called.
func (n Network) Title() string {
	if n.Called {
		return "Network, in the order of one forward"
	}
	return "Network"
}

// Rest says what a list of the first layers leaves out; "" where it is nothing.
func (n Network) Rest(most int) string {
	_, more, parameters := n.First(most)
	switch {
	case more == 0:
		return ""
	case parameters == 0:
		return record.Several(more, "more module", "more modules")
	}
	return record.Several(more, "more module", "more modules") + " with " + record.Several(parameters, "parameter")
}

// Total says how many modules there are, and how many parameters they hold.
func (n Network) Total() string {
	return record.Several(int64(len(n.Layers))+n.More, "module") + ", " + record.Several(n.Parameters, "parameter")
}

// Amount is how many parameters are its own, "" of none.
func (l Layer) Amount() string {
	if l.Parameters == 0 {
		return ""
	}
	return record.Grouped(l.Parameters)
}

// Name is what a layer is called where its whole path is shown.
func (l Layer) Name() string {
	if l.Path == "" {
		return "(root)"
	}
	return l.Path
}

// elements are those of a whole tensor, also where a worker holds a part of it.
func elements(t *record.TensorInfo) int64 {
	shape := t.Shape
	if t.Part != nil {
		shape = t.Part.Of
	}
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}
