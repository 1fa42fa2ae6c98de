package view

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// callOrder is where modules come in the order of the first forward.
type callOrder struct {
	known  bool
	called map[string]firstCall // by path
	before map[string]int       // of those that were not called and hold called ones: just before the first of these
	never  map[string]bool
}

// firstCall is when a module was called first, and whether it is one thing to those
// that call it: parts of it that were not called on their own belong to it.
type firstCall struct {
	at    int
	whole bool
}

// Places of what is not in a forward.
const (
	ofNoModule   = -1
	notLookedAt  = math.MaxInt - 1 // another model, or one module too many
	neverCalled  = math.MaxInt
	betweenCalls = 2 // places from one call to the next
)

func callOrderOf(f *record.Facts) callOrder {
	if f == nil || f.Network == nil {
		return callOrder{}
	}
	o := callOrder{true, map[string]firstCall{}, map[string]int{}, map[string]bool{}}
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		at := betweenCalls * (int(m.Order) + 1)
		o.called[m.Path] = firstCall{at, m.Kind == "attention" || m.Kind == "recurrent"}
		for path := m.Path; path != ""; {
			path = parentOf(path)
			if first, there := o.before[path]; !there || at-1 < first {
				o.before[path] = at - 1
			}
		}
	}
	for _, m := range f.Network.Uncalled {
		o.never[m.Path] = true
	}
	return o
}

// of is the place of a module.
func (o callOrder) of(path string) int {
	if p, ok := o.called[path]; ok {
		return p.at
	}
	if at, ok := o.before[path]; ok {
		return at
	}
	for above := path; above != ""; {
		above = parentOf(above)
		if p, ok := o.called[above]; ok {
			if p.whole {
				return p.at
			}
			break
		}
	}
	if o.never[path] {
		return neverCalled
	}
	return notLookedAt
}

// ofTensor is the place of a tensor: that of its module. What belongs to no
// module comes first.
func (o callOrder) ofTensor(t *record.TensorInfo) int {
	switch t.Kind {
	case record.Weight, record.Bias, record.Gradient:
		if held(t) {
			return notLookedAt
		}
	case record.Input, record.Output:
	default:
		if t.Module == "" {
			return ofNoModule
		}
	}
	return o.of(t.Module)
}

// inCallOrder puts tensors into the order in which the first forward called their
// modules: what was never called last, and what is alike as it was. Where no forward
// was looked at they stay in the order of registration.
func inCallOrder(t source.Run, infos []record.TensorInfo) []record.TensorInfo {
	run := t.Run()
	f, err := run.KnownFacts()
	if err != nil {
		return infos
	}
	o := callOrderOf(f)
	if !o.known {
		return infos
	}
	infos = slices.Clone(infos)
	slices.SortStableFunc(infos, func(a, b record.TensorInfo) int { return cmp.Compare(o.ofTensor(&a), o.ofTensor(&b)) })
	return infos
}

// held reports whether a parameter is in no module: an optimiser or the script alone
// has it, and the hook names what it puts around such tensors.
func held(t *record.TensorInfo) bool {
	return t.Module == "" && (t.ModuleType == "LooseRoot" || t.ModuleType == "Held") && !strings.HasPrefix(t.Name, t.ModuleType+"_")
}

func parentOf(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i]
	}
	return ""
}
