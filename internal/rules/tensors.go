package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// tensors numbers the names that occur in a run and keeps what is known of
// each. Numbers are given in order of appearance and never change; rank is the
// position in the order in which rules see tensors (position in the model,
// then name), which does not depend on when a tensor was announced.
type tensors struct {
	ids   map[string]int32
	infos []*rule.TensorInfo
	told  []bool // announced, not guessed from a value
	rank  []int32
	stale bool // rank has to be made again
}

func newTensors() *tensors { return &tensors{ids: map[string]int32{}} }

// announce takes a description; changed reports whether it is news.
func (t *tensors) announce(info record.TensorInfo) (id int32, changed bool) {
	id, known := t.ids[info.Name]
	if !known {
		return t.add(info, true), true
	}
	old := t.infos[id]
	same := t.told[id] && old.Kind == info.Kind && old.Order == info.Order && old.AliasOf == info.AliasOf &&
		old.Frozen == info.Frozen && old.ModuleType == info.ModuleType && slices.Equal(old.Collections, info.Collections)
	if same {
		return id, false
	}
	t.infos[id], t.told[id] = &info, true
	t.stale = true
	return id, true
}

func (t *tensors) add(info record.TensorInfo, told bool) int32 {
	id := int32(len(t.infos))
	t.ids[info.Name] = id
	t.infos = append(t.infos, &info)
	t.told = append(t.told, told)
	t.stale = true
	return id
}

// id numbers a name that comes with a value; one that was never announced is
// described as well as its name allows.
func (t *tensors) id(name string, scalar bool) int32 {
	if id, ok := t.ids[name]; ok {
		return id
	}
	return t.add(record.TensorInfo{Name: name, Kind: guess(name, scalar)}, false)
}

// GuessKind says what a tensor, or a scalar, of that name is to the training
// when nobody has said it.
func GuessKind(name string, scalar bool) record.Kind { return guess(name, scalar) }

func guess(name string, scalar bool) record.Kind {
	switch {
	case strings.HasPrefix(name, "gradient"):
		return record.Gradient
	case scalar && (name == "loss" || strings.Contains(name, "oss") && strings.Contains(name, "_output")):
		return record.Loss
	case scalar:
		return record.Metric
	case strings.Contains(name, "_output"):
		return record.Output
	case strings.Contains(name, "_input"):
		return record.Input
	case strings.Contains(name, "weight"):
		return record.Weight
	case strings.Contains(name, "bias"):
		return record.Bias
	}
	return record.Custom
}

func (t *tensors) ranks() []int32 {
	if !t.stale {
		return t.rank
	}
	order := make([]int32, len(t.infos))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := t.infos[a], t.infos[b]
		return cmp.Or(cmp.Compare(x.Order, y.Order), strings.Compare(x.Name, y.Name))
	})
	t.rank = make([]int32, len(order))
	for r, id := range order {
		t.rank[id] = int32(r)
	}
	t.stale = false
	return t.rank
}
