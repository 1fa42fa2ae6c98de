package record

import "fmt"

// ModelFacts are a trained model, or one of several.
type ModelFacts struct {
	Name       string `json:"name"`
	Class      string `json:"class"`
	Parameters int64  `json:"parameters"` // elements, without those of Copies
	Trained    int64  `json:"trained"`    // of these, those that ask for gradients
	Compiled   bool   `json:"compiled"`
	Called     bool   `json:"called,omitempty"` // the script was seen to call it
	// Copies are parts that never train and began as another part that does: an
	// average of the weights, a target network, a momentum encoder.
	Copies []CopyFacts `json:"copies,omitempty"`
}

// CopyFacts are a part of a model that has the shape and nearly the values of
// another one, and does not train.
type CopyFacts struct {
	Path       string `json:"path"`
	Of         string `json:"of"` // path of the part that it is a copy of
	Class      string `json:"class"`
	Parameters int64  `json:"parameters"` // elements
}

// OptimiserFacts are one optimiser as it is after its first steps.
type OptimiserFacts struct {
	Class string   `json:"class"`
	LR    *float64 `json:"lr"` // of the first group
	// Set is the rate that the script set where a scheduler changes LR; nil otherwise.
	Set    *float64     `json:"set,omitempty"`
	Loss   string       `json:"loss"`
	Groups []GroupFacts `json:"groups,omitempty"`
	// WarmUp says that LR has only risen so far; nil otherwise.
	WarmUp *WarmUpFacts `json:"warm_up,omitempty"`
}

// WarmUpFacts are about a rate that is on its way up.
type WarmUpFacts struct {
	Step int64    `json:"step"`         // updates made when it was read
	To   *float64 `json:"to,omitempty"` // what its scheduler scales, or its largest; nil where that is not more, or not known
}

// meantAsRate is the largest number that a scheduler scales and that is meant as a
// rate: with a larger one the factor is made of something else, as the width of a transformer.
const meantAsRate = 0.1

// Says puts in words that a rate is still rising, and to what where that is known.
func (w *WarmUpFacts) Says() string {
	if w.To == nil || *w.To > meantAsRate {
		return fmt.Sprintf("at step %d, rising", w.Step)
	}
	return fmt.Sprintf("warm-up, rises to %.3g", *w.To)
}

// GroupFacts are one group of an optimiser's parameters.
type GroupFacts struct {
	LR          *float64  `json:"lr"`
	WeightDecay *float64  `json:"weight_decay"`
	Momentum    *float64  `json:"momentum"`
	Betas       []float64 `json:"betas,omitempty"`
	Eps         *float64  `json:"eps"`
	Maximize    bool      `json:"maximize"`
	Parameters  int64     `json:"parameters"` // tensors
	// Strangers are tensors that belong to no model that was called, and never
	// had a gradient.
	Strangers int64 `json:"strangers"`
}
