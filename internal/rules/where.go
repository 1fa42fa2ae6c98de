package rules

import (
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// evaluates is the kind of the call that runs a model in evaluation, which
// is with the facts of evaluation.
const evaluates = "evaluation"

// placesByCause says which calls of the script a finding is about, by its cause
// class: the first of these kinds whose place is known, each a kind of record.Call,
// or one and the name of what is called. A class that is missing has no such place.
var placesByCause = map[string][]string{
	"data-loading":      {"model"},
	"data-scaling":      {"model"},
	"dense-gradients":   {"optimizer"},
	"eval-mode":         {evaluates},
	"imbalance":         {"loss", "backward"},
	"labels":            {"loss", "backward"},
	"learning-rate":     {"optimizer"},
	"loss":              {"loss", "backward"},
	"non-finite":        {"loss", "backward"},
	"not-updated":       {"optimizer"},
	"optimizer":         {"optimizer"},
	"output-activation": {"function", "loss", "backward"},
	"precision":         {"model"},
	"wasted-backward":   {"optimizer"},
	"zero-grad":         {"backward"},
}

// placesByCheck are those of checks that are about another call than their cause
// class.
var placesByCheck = map[string][]string{
	"clipping/always_clipped":                      {"clip"},
	"data_scaling/evaluation":                      {evaluates},
	"evaluation_mode/frozen_statistics":            {"model"},
	"evaluation_mode/trained_in_evaluation_mode":   {"model"},
	"gradient_clipping/always_clipped":             {"clip"},
	"gradient_clipping/spike":                      {"clip"},
	"learning_rate/wrong_plateau_mode":             {"scheduler"},
	"loss_flat/zero_gradients":                     {"backward"},
	"loss_flat/constant_gradients":                 {"backward"},
	"not_updated/term_without_graph":               {"backward"},
	"not_updated/no_graph":                         {"backward"},
	"not_updated/zero_gradient_operation":          {"backward"},
	"not_updated/zero_gradients":                   {"backward"},
	"output_activation/no_logarithm":               {"function", "layer Softmax", "loss", "backward"},
	"output_activation/inner_softmax_of_one_entry": {"model"},
	"output_activation/sigmoid_twice":              {"function", "layer Sigmoid", "loss", "backward"},
	"output_activation/softmax_twice":              {"function", "layer Softmax", "loss", "backward"},
	"overfit/worse_than_constant":                  {evaluates},
	"overfit/never_better":                         {evaluates},
	"zero_grad/cleared":                            {"step"},
	"zero_grad/no_backward":                        {"step"},
}

// where is the place in the script that a finding is about; nil when it is not known.
// Only facts that were known when the finding was made count, so that a run that is
// judged again gives the same.
func (e *Engine) where(f *record.Finding) *record.Where {
	kinds, ok := placesByCheck[f.Rule+"/"+f.Check]
	if !ok {
		kinds = placesByCause[f.CauseClass]
	}
	if e.facts == nil || len(kinds) == 0 {
		return nil
	}
	facts := e.known(f)
	for _, kind := range kinds {
		if file, line := placeOf(facts, kind); line > 0 {
			return e.at(file, line)
		}
	}
	return nil
}

// at is a place with the text of its line.
func (e *Engine) at(file string, line int) *record.Where {
	w := &record.Where{File: file, Line: line}
	if e.facts != nil {
		if cell := e.facts.Cells.Of(file); cell != nil {
			w.Cell, w.Call = cell.Number, cell.Line(line)
			return w
		}
	}
	if e.opts.ReadLine != nil {
		w.Call = e.opts.ReadLine(file, line)
	}
	return w
}

// known are the facts that were known when a finding was made.
func (e *Engine) known(f *record.Finding) *record.Facts {
	return e.facts.Until(max(f.Step, e.here.Step))
}

// placeOf is where the only call of a kind, or of a kind and a name, comes from; nothing
// where there are several, as any of them may be meant.
func placeOf(f *record.Facts, kind string) (string, int) {
	if kind == evaluates {
		if f.Evaluation == nil {
			return "", 0
		}
		return f.Evaluation.File, f.Evaluation.Line
	}
	if f.Calls == nil {
		return "", 0
	}
	kind, name, named := strings.Cut(kind, " ")
	of := func(c record.Call) bool { return c.Kind == kind && (!named || c.Name == name) }
	i := slices.IndexFunc(f.Calls.List, of)
	if i < 0 || slices.ContainsFunc(f.Calls.List[i+1:], of) {
		return "", 0
	}
	return f.Calls.List[i].File, f.Calls.List[i].Line
}
