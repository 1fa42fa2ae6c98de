package plan

import (
	"fmt"

	"github.com/vigil-ml/vigil/internal/record"
)

// Reading asks for numbers that tell what the values of a tensor mean to a
// rule: how often each class occurs, how many tokens are padding, how bright
// images are. They are computed at capture and stored like other derived
// numbers, under the key, a dot and the quantity. Readings can be compared with
// ==; equal ones have equal keys.
type Reading interface{ Key() string }

// Classes asks for how often each class is labelled and how often it is
// predicted wrongly, over the labels and predictions of one step. The labels
// and the predictions that belong together are asked for with the same Classes
// but for Role and First. They are paired in the order of their names, numbers
// in names counting as numbers.
type Classes struct {
	Set  string      // tells apart what is compared: usually how both are selected
	Role record.Kind // record.Label or record.Prediction
	// First is the name of a tensor that, when it is there, is alone for
	// its role.
	First string
	// Argmax takes predictions for scores per class along Axis. Scores that a
	// loss was given, and with Scores all that have one axis more than their
	// labels, are known as such without it.
	Argmax, Scores bool
	Axis           int64  // of the classes; ranks that do not have it use the last
	Ignore         string // labels to leave out, separated by commas
	Cells          bool   // each pair of a label and a prediction is counted, instead of each label
}

// Quantities of Classes. Those with brackets carry a class, or a label and a
// prediction.
const (
	ClassLabel     = "label["           // label[3]: labels of class 3
	ClassWrong     = "wrong["           // wrong[3]: predictions for labels of class 3 that are something else
	ClassCell      = "cell["            // cell[3,5]: labels of class 3 predicted as 5
	ClassNotLabels = "not_class_labels" // the labels are no whole numbers
	ClassTooMany   = "too_many_classes" // more than are counted
	// Why there are labels and no predictions that could be compared.
	ClassNotPredictions = "predictions_not_classes"
	ClassLengths        = "lengths_differ"
)

// Key names the request in stored series.
func (c Classes) Key() string {
	return fmt.Sprintf("classes[%s,argmax=%t,scores=%t,axis=%d,ignore=%s,cells=%t]", c.Set, c.Argmax, c.Scores, c.Axis, c.Ignore, c.Cells)
}

// Tokens asks for how often each of some values occurs in a tensor of token
// ids.
type Tokens struct {
	Values string // separated by commas
}

// Quantities of Tokens.
const (
	TokenCount  = "count["        // count[1]: occurrences of the second value
	TokenSize   = "size"          // number of tokens
	TokenRows   = "rows"          // number of sequences: tokens by the last axis
	TokenNotIDs = "not_token_ids" // the values are no whole numbers; then alone
)

// Key names the request in stored series.
func (t Tokens) Key() string { return "tokens[" + t.Values + "]" }

// Images asks for the number of images (axis 0) and for count, mean and sum of
// squared distances from the mean of each channel. A rank of 3 is images of one
// channel, unless Channel is another axis than 1.
type Images struct{ Channel int64 }

// Quantities of Images.
const (
	ImageCount    = "images"
	ImageChannels = "channels"
	ImageValues   = "values" // of one channel
	ImageMean     = "mean["  // mean[0]: of the first channel
	ImageM2       = "m2["
	ImageRank     = "rank" // the tensor's rank is below 3 or its type is no number; then alone
)

// Key names the request in stored series.
func (i Images) Key() string { return fmt.Sprintf("images[channel=%d]", i.Channel) }

// ReadingText says for a person what a reading counts.
func ReadingText(r Reading) string {
	switch r.(type) {
	case Classes:
		return "counts of classes"
	case Tokens:
		return "counts of tokens"
	case Images:
		return "mean and std of each channel"
	}
	return r.Key()
}

// role gives the schedules on which what losses are given is captured.
func (p *Plan) role(kind record.Kind) []Schedule {
	var out []Schedule
	for _, g := range p.groups {
		if len(g.requests) > 0 && p.hasRole(g.name, kind, 0) {
			for _, r := range g.requests {
				out = unite(out, r.Schedule)
			}
		}
	}
	for _, n := range p.needs {
		if n.sel.hasRole(kind) || p.anyRole(n.sel.collections, kind, 0) {
			out = unite(out, n.Schedule.yielding())
		}
	}
	return out
}

// hasRole reports whether a collection, or one it includes, holds what losses
// are given; depth ends circles.
func (p *Plan) hasRole(name string, kind record.Kind, depth int) bool {
	g := p.byName[name]
	if g == nil || depth > len(p.groups) {
		return false
	}
	if b := g.builtin; b != nil && (b.name == All || b.isKind(kind)) {
		return true
	}
	return g.sel.hasRole(kind) || p.anyRole(g.sel.collections, kind, depth+1)
}

func (p *Plan) anyRole(names []string, kind record.Kind, depth int) bool {
	for _, n := range names {
		if p.hasRole(n, kind, depth) {
			return true
		}
	}
	return false
}
