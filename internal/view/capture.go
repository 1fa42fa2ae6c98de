package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Collection is a collection and how many tensors it holds.
type Collection struct {
	Name     string        `json:"name"`
	Schedule plan.Schedule `json:"schedule"`
	Want     string        `json:"want"`
	By       []string      `json:"by"`
	Tensors  []string      `json:"tensors"`
}

// Tensor is a tensor and where it has values.
type Tensor struct {
	record.TensorInfo
	Statistics []string `json:"statistics"`
}

// Collections are the collections of the plan in force, with the tensors that
// were found for them.
func Collections(run record.Run, infos []record.TensorInfo) []Collection {
	list := []Collection{}
	if len(run.Plan) == 0 {
		return list
	}
	var stored struct {
		Collections []plan.Collection `json:"collections"`
	}
	if err := json.Unmarshal(run.Plan[len(run.Plan)-1].Plan, &stored); err != nil {
		return list
	}
	for _, col := range stored.Collections {
		s := Collection{Name: col.Name, Schedule: col.Schedule, Want: Want(plan.Need{Want: col.Want}), By: col.By, Tensors: []string{}}
		// Tensors name their collections. What a rule selects besides collections
		// is told by its selector.
		match, err := col.Selector.Matcher()
		member := func(info record.TensorInfo) bool {
			return slices.Contains(info.Collections, col.Name) || err == nil && match(info) ||
				slices.ContainsFunc(col.Selector.Collections, func(name string) bool { return slices.Contains(info.Collections, name) })
		}
		for _, info := range infos {
			if member(info) {
				s.Tensors = append(s.Tensors, info.Name)
			}
		}
		list = append(list, s)
	}
	return list
}

// Tensors are the tensors of a run with the statistics that there are of each.
func Tensors(t source.Run, infos []record.TensorInfo) []Tensor {
	var list []Tensor
	for _, info := range infos {
		list = append(list, Tensor{info, t.StatNames(info.Name)})
	}
	return list
}

// Captured says in words what a run has series of, and how much was dropped.
func Captured(run record.Run, infos []record.TensorInfo) string {
	count := map[record.Kind]int{}
	for _, info := range infos {
		count[info.Kind]++
	}
	var parts []string
	for _, k := range []struct {
		kind record.Kind
		one  string
		more string
	}{{record.Loss, "loss", "losses"}, {record.Weight, "weight", "weights"}, {record.Bias, "bias", "biases"}, {record.Gradient, "gradient", "gradients"},
		{record.Input, "module input", "module inputs"}, {record.Output, "module output", "module outputs"},
		{record.Label, "label of losses", "labels of losses"}, {record.Prediction, "prediction given to losses", "predictions given to losses"},
		{record.State, "tensor that optimisers keep", "tensors that optimisers keep"}, {record.Metric, "logged number", "logged numbers"}, {record.Custom, "saved tensor", "saved tensors"}} {
		if n := count[k.kind]; n > 0 {
			parts = append(parts, record.Several(int64(n), k.one, k.more))
		}
	}
	text := "Nothing was captured."
	if len(parts) > 0 {
		text = "Series of " + strings.Join(parts, ", ") + "."
	}
	var dropped int64
	for _, n := range run.Dropped {
		dropped += n
	}
	if dropped > 0 {
		them := "them"
		if dropped == 1 {
			them = "it"
		}
		text += fmt.Sprintf(" %s dropped because there was no room for %s.", record.Several(dropped, "value was", "values were"), them)
	}
	return text
}

// Dropped is how many values were dropped for one reason.
type Dropped struct {
	Reason string
	Values int64
}

// DroppedOf are the reasons for which values were dropped, sorted.
func DroppedOf(run record.Run) []Dropped {
	var list []Dropped
	for reason, n := range run.Dropped {
		if n > 0 {
			list = append(list, Dropped{reason, n})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Reason < list[j].Reason })
	return list
}
