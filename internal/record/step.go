package record

import (
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/tensor"
)

// Kind says what a tensor is to the training.
type Kind string

// Kinds of tensors.
const (
	Weight   Kind = "weight"   // a parameter that is not a bias
	Bias     Kind = "bias"     // a parameter called bias
	Gradient Kind = "gradient" // of a parameter, as the optimiser is about to use it
	Loss     Kind = "loss"
	Input    Kind = "input"  // of a module
	Output   Kind = "output" // of a module
	// What a loss was given.
	Label      Kind = "label"
	Prediction Kind = "prediction"
	State      Kind = "optimizer_state" // what an optimiser keeps of a parameter, after its update
	Metric     Kind = "scalar"          // a number the script logged
	Custom     Kind = "custom"          // a tensor the script saved
	Samples    Kind = "samples"         // how many samples the loss of an evaluation step is of
	Training   Kind = "training"        // a number that Vigil knows of every training: see training_series.go
	// Series by time, which nobody announces.
	MachineMetric Kind = "machine" // of a host; mode GLOBAL, its steps are the host's samples
	PartTime      Kind = "time"    // seconds of a part of a step
)

// TensorInfo is what is known of a tensor besides its values. It is announced
// once per worker, before the first value.
type TensorInfo struct {
	Name        string   `json:"name"`
	Kind        Kind     `json:"kind"`
	DType       string   `json:"dtype,omitempty"`       // safetensors spelling
	Shape       []int64  `json:"shape,omitempty"`       // of the first value; batch sizes may vary later
	FirstShape  []int64  `json:"first_shape,omitempty"` // where it was announced again, with another shape: that of the first announcement; set by readers
	Strings     bool     `json:"strings,omitempty"`     // the values are strings: bytes as tensor.Strings says
	Module      string   `json:"module,omitempty"`
	ModuleType  string   `json:"module_type,omitempty"` // class name: "ReLU", "Linear", "CrossEntropyLoss"
	Part        *Part    `json:"part,omitempty"`        // of a tensor that is divided between processes; Shape is the part's
	AliasOf     string   `json:"alias_of,omitempty"`    // the same values under another name; judged once
	Frozen      bool     `json:"frozen,omitempty"`      // a parameter with requires_grad off
	Order       int      `json:"order,omitempty"`       // position in the model, for heat maps
	Collections []string `json:"collections,omitempty"` // filled in by the plan
}

// Part says which part of a divided tensor one worker holds.
type Part struct {
	Of         []int64  `json:"of"`                   // shape of the whole
	Offset     []int64  `json:"offset,omitempty"`     // where the part begins in it, by dimension
	Placements []string `json:"placements,omitempty"` // how it is divided, as the framework says it: "S(0)"
}

// Scalar is one number of one series at one step.
type Scalar struct {
	Name  string
	Value float64
}

// TensorStats are the statistics of one tensor at one step.
type TensorStats struct {
	Tensor string
	tensor.Stats
}

// Derived is a number computed at capture because a rule asked: against an
// earlier step of the same tensor, or per unit. Stat is the need's key
// (plan.Need) and the quantity, such as "pair[lag=1].mean_abs_diff".
type Derived struct {
	Tensor string
	Stat   string
	From   int64 // mode step compared with; -1 when there is none
	Value  float64
}

// Step is all that one worker left at one step. It is the unit of the journal,
// of acknowledgement and of what a reader sees: never half of it.
type Step struct {
	Worker   string
	Step     int64 // global step
	Mode     Mode
	ModeStep int64
	Time     time.Time
	Seconds  float64 // length of the step; 0 when unknown
	Overhead float64 // seconds of it that the hook itself took
	Skipped  bool    // the loss scaler skipped the update: not judged for non-finite values

	Scalars []Scalar
	Stats   []TensorStats
	Derived []Derived
	Raw     []string // names of tensors whose raw values were stored for this step

	Joined int // parts given after the step had closed that are in it (With)
}

// Free says that the part closes no step that the hook counts: it holds
// numbers, and values of tensors, that the script gave between steps. They
// belong to the step that closed before them.
func (s *Step) Free() bool {
	return s.Seconds == 0 && s.Overhead == 0 && (len(s.Stats) == 0 || len(s.Stats) <= len(s.Raw) && len(s.Scalars) == 0)
}

// With is the step with what a free part brings. Of two values of one name the
// later one counts. Neither part is changed.
func (s *Step) With(free *Step) *Step {
	w := *s
	w.Joined++
	w.Scalars = with(s.Scalars, free.Scalars, func(v *Scalar) string { return v.Name })
	w.Stats = with(s.Stats, free.Stats, func(v *TensorStats) string { return v.Tensor })
	w.Derived = slices.Concat(s.Derived, free.Derived)
	w.Raw = with(s.Raw, free.Raw, func(name *string) string { return *name })
	return &w
}

// with is a list with what came later, in which each name stands once.
func with[T any](list, later []T, name func(*T) string) []T {
	if len(later) == 0 {
		return list
	}
	at := make(map[string]int, len(list)+len(later))
	out := make([]T, 0, len(list)+len(later))
	for _, v := range slices.Concat(list, later) {
		if i, there := at[name(&v)]; there {
			out[i] = v
			continue
		}
		at[name(&v)] = len(out)
		out = append(out, v)
	}
	return out
}

// Complete is a step as rules see it: closed, with the parts of all workers
// that were in when it was declared complete, sorted by worker.
type Complete struct {
	Step     int64
	Mode     Mode
	ModeStep int64
	Time     time.Time
	Parts    []*Step
}
