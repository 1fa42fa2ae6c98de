package hook

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Info describes a tensor that is registered with Hook.Tensor.
type Info struct {
	Name       string // unique in the training: "fc1.weight"
	Kind       Kind
	Shape      []int  // of the first value; may vary for Input, Output and Custom
	Module     string // path of the module it belongs to
	ModuleType string // class of the module: "Linear", "ReLU", "Sigmoid"
	Frozen     bool   // a parameter that is not trained
}

// Tensor is a registered tensor. A nil *Tensor is never captured.
type Tensor struct {
	hook  *Hook
	info  record.TensorInfo
	id    uint32
	said  bool // announced
	seen  bool // published once
	order int
	dt    tensor.DType
	shape []int64
	more  map[string]uint32 // ids of further shapes
}

// Tensor registers a tensor. Registering a name again gives the same tensor.
func (h *Hook) Tensor(i Info) *Tensor {
	if !h.live() {
		return nil
	}
	defer h.leave()
	return h.register(i)
}

func (h *Hook) register(i Info) *Tensor {
	if t := h.byName[i.Name]; t != nil {
		return t
	}
	if i.Module != "" {
		h.module(i.Module, i.ModuleType)
	}
	t := &Tensor{hook: h, id: h.nextID, order: len(h.tensors), more: map[string]uint32{}}
	t.info = record.TensorInfo{
		Name: i.Name, Kind: record.Kind(i.Kind), Module: i.Module, ModuleType: i.ModuleType,
		Frozen: i.Frozen, Order: t.order, Shape: dims(i.Shape),
	}
	h.nextID++
	h.tensors = append(h.tensors, t)
	h.byName[i.Name] = t
	switch record.Kind(i.Kind) {
	case record.Input, record.Output:
		// Announced when a value is due: most are never asked for.
	default:
		h.unsaid = append(h.unsaid, t)
	}
	return t
}

// Parameter registers a parameter of a module and its gradient:
// Parameter("fc1", "Linear", "weight", 512, 784) names them "fc1.weight" and
// "gradient/fc1.weight". A parameter called bias is of kind Bias.
func (h *Hook) Parameter(module, moduleType, name string, shape ...int) (param, gradient *Tensor) {
	kind := Weight
	if strings.Contains(name, "bias") {
		kind = Bias
	}
	full := name
	if module != "" {
		full = module + "." + name
	}
	i := Info{Name: full, Kind: kind, Shape: shape, Module: module, ModuleType: moduleType}
	param = h.Tensor(i)
	i.Name, i.Kind = "gradient/"+full, Gradient
	return param, h.Tensor(i)
}

// Output registers the output of a module, "relu1_output_0". It is captured
// when a rule or a collection asks for it.
func (h *Hook) Output(module, moduleType string, shape ...int) *Tensor {
	return h.Tensor(Info{Name: module + "_output_0", Kind: Output, Shape: shape, Module: module, ModuleType: moduleType})
}

// Input registers the input of a module, "fc1_input_0".
func (h *Hook) Input(module, moduleType string, shape ...int) *Tensor {
	return h.Tensor(Info{Name: module + "_input_0", Kind: Input, Shape: shape, Module: module, ModuleType: moduleType})
}

func (h *Hook) module(path, typ string) {
	if h.byPath[path] {
		return
	}
	h.byPath[path] = true
	h.modules = append(h.modules, capture.Module{Path: path, Type: typ, Order: len(h.modules)})
	h.newMod = true
}

// scalar is the tensor of a logged number.
func (h *Hook) scalar(name string, kind record.Kind) *Tensor {
	if t := h.scalars[name]; t != nil {
		return t
	}
	t := &Tensor{hook: h, id: h.nextID, info: record.TensorInfo{Name: name, Kind: kind, Shape: []int64{}}, dt: tensor.F64}
	h.nextID++
	h.scalars[name] = t
	h.unsaid = append(h.unsaid, t)
	return t
}

// announce tells the agent of everything that is registered but not yet said.
func (h *Hook) announce() {
	if h.newMod {
		h.newMod = false
		h.client.Say(capture.TypeModules, capture.Modules{Modules: h.modules, Root: h.opts.Model})
	}
	if len(h.unsaid) > 0 {
		h.tell(h.unsaid)
		h.unsaid = h.unsaid[:0]
	}
	if !h.said {
		h.said = true
		h.client.Say(capture.TypeFacts, h.facts())
	}
}

func (h *Hook) tell(ts []*Tensor) {
	m := capture.Tensors{}
	for _, t := range ts {
		if t.dt == tensor.Invalid {
			t.dt = tensor.F32
		}
		t.said, t.shape = true, t.info.Shape
		t.info.DType = t.dt.String()
		m.Tensors = append(m.Tensors, capture.TensorInfo{ID: t.id, TensorInfo: t.info})
	}
	h.client.Say(capture.TypeTensors, m)
}

// shapeID is 0 for the announced shape, else the id of another one.
func (h *Hook) shapeID(t *Tensor, shape []int64) uint32 {
	if equal(shape, t.shape) {
		return 0
	}
	key := fmt.Sprint(shape)
	id, ok := t.more[key]
	if !ok {
		h.shapes++
		id = h.shapes
		t.more[key] = id
		h.client.Say(capture.TypeShapes, capture.Shapes{Shapes: []capture.Shape{{ID: id, Shape: shape}}})
	}
	return id
}

func dims(shape []int) []int64 {
	out := make([]int64, len(shape))
	for i, d := range shape {
		out[i] = int64(d)
	}
	return out
}

func equal(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
