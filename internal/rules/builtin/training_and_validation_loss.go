package builtin

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// twoLosses takes the losses of a run apart into pairs of a training and a
// validation series, by name:
//
//   - a loss that comes in TRAIN and in EVAL steps is a pair with itself. A
//     validation pass is a row of EVAL steps; it ends at the next TRAIN step, or
//     at the end of the job. Its value is the mean over the pass, in which a
//     step counts by its samples where they are known, and that of the training the mean since the pass before, or the last one known. In a
//     job without TRAIN steps GLOBAL ones stand for them.
//   - names that differ only in how they begin (train-rmse and validation-rmse,
//     loss and val_loss) are a pair at every step that has both.
type twoLosses map[string]*lossPair

// lossPair is what is remembered of a pair that is one loss in two modes.
type lossPair struct {
	Pass  record.PassMean `json:"pass"`         // validation losses of the pass under way
	At    int64           `json:"at"`           // global step of the last of them
	Train lossSum         `json:"train"`        // training losses since the last evaluation point
	Last  rule.Number     `json:"last"`         // training mean of the last evaluation point
	Of    int64           `json:"of,omitempty"` // the losses that it is the mean of
	Known bool            `json:"known"`        // there is one
	// Trained: it came in a TRAIN step; Update is the last such one.
	Trained bool  `json:"trained,omitempty"`
	Update  int64 `json:"update,omitempty"`
	// Partner is the validation loss of another name that this one is the
	// training loss of, once both came at one step.
	Partner string `json:"partner,omitempty"`
}

type lossSum struct {
	Sum rule.Number `json:"sum"`
	N   int64       `json:"n"`
}

func (s *lossSum) add(x float64) { s.Sum, s.N = s.Sum+rule.Number(x), s.N+1 }
func (s lossSum) mean() float64  { return float64(s.Sum) / float64(s.N) }

// lossEvent is a recorded point of the training series, or an evaluation point.
type lossEvent struct {
	pair       string
	step       int64 // global; of a pass its last
	evaluation bool
	train      float64
	known      bool // train is there; of a training point it always is
	validation float64
	partner    string // of a pair of two names: that of the training
	// Of a pass: how many losses the two values are the means of.
	trained, evaluated int64
	update             *int64 // the TRAIN step that a pass came after
}

// place says where an evaluation is, in the steps of training where there are such.
func (e *lossEvent) place() (word string, step int64) {
	if e.update != nil {
		return "after", *e.update
	}
	return "at", e.step
}

// told says what the values of an evaluation are, as a last sentence.
func (e *lossEvent) told() string {
	if e.partner != "" || e.trained <= 1 && e.evaluated <= 1 {
		word, step := e.place()
		return fmt.Sprintf(" Values are those %s step %d.", map[string]string{"at": "of", "after": "after"}[word], step)
	}
	return fmt.Sprintf(" Values are means: of the pass (%s) and of the training before it (%s).", plural(int(e.evaluated), "step"), plural(int(max(e.trained, 1)), "step"))
}

// step takes the losses of one step and gives what they amount to, pair by
// pair in the order of names. A pair of two names is called as its validation.
func (l twoLosses) step(v *rule.View, items []meanLoss) []lossEvent {
	var out []lossEvent
	items, samples := withoutSamples(items)
	train := v.Mode == rule.Train || v.Mode == rule.Global && !l.trained()
	if train {
		out = l.close()
	}
	pairs := named(items, v.Step)
	for _, e := range pairs {
		l.pair(e.partner).Partner = e.pair
		if !train { // else it comes with the others
			out = append(out, lossEvent{pair: e.pair, step: v.Step, train: e.train, known: true})
		}
	}
	for _, it := range items {
		if heldOut(it.name) {
			continue // never a loss of training, and no pair with itself
		}
		p := l.pair(it.name)
		if v.Mode == rule.Train {
			p.Trained, p.Update = true, v.ModeStep
		}
		switch {
		case train:
			p.Train.add(it.value)
			e := lossEvent{pair: it.name, step: v.Step, train: it.value, known: true}
			if p.Partner != "" {
				e.pair = p.Partner
			}
			out = append(out, e)
		case v.Mode == rule.Eval:
			p.Pass.Add(it.value, samples, false)
			p.At = v.Step
		}
	}
	return append(out, pairs...)
}

// withoutSamples takes out how many samples the loss of a step is the mean of; 0 where
// that is not known.
func withoutSamples(items []meanLoss) (losses []meanLoss, samples float64) {
	i := slices.IndexFunc(items, func(it meanLoss) bool { return it.name == record.SamplesMean })
	if i < 0 {
		return items, 0
	}
	return slices.Delete(slices.Clone(items), i, i+1), items[i].value
}

// trained reports whether a loss came in a TRAIN step.
func (l twoLosses) trained() bool {
	for _, p := range l {
		if p.Trained {
			return true
		}
	}
	return false
}

func (l twoLosses) pair(name string) *lossPair {
	if l[name] == nil {
		l[name] = &lossPair{}
	}
	return l[name]
}

// close ends the validation passes that are under way.
func (l twoLosses) close() []lossEvent {
	var out []lossEvent
	for _, name := range slices.Sorted(maps.Keys(l)) {
		p := l[name]
		if p.Pass.Steps == 0 {
			continue
		}
		if p.Train.N > 0 {
			p.Last, p.Of, p.Known = rule.Number(p.Train.mean()), p.Train.N, true
		}
		e := lossEvent{pair: name, step: p.At, evaluation: true, train: float64(p.Last), known: p.Known, validation: p.Pass.Value(), trained: p.Of, evaluated: p.Pass.Steps}
		if p.Trained {
			update := p.Update
			e.update = &update
		}
		out = append(out, e)
		p.Pass, p.Train = record.PassMean{}, lossSum{}
	}
	return out
}

// sideOf splits a name such as val_loss, train-rmse or validation_1-rmse.
var sideOf = regexp.MustCompile(`^(scalar/)?(?:(train|training)|(validation|valid|val|test|eval)(?:_\d+)?)[-_](.+)$`)

// heldOut reports whether a name is that of a number on data that the model is
// not trained on.
func heldOut(name string) bool {
	m := sideOf.FindStringSubmatch(name)
	return m != nil && m[3] != ""
}

// Patterns of losses that are told apart by name.
const (
	validationNames = `^(scalar/)?(train|training|validation|valid|val|test|eval)[-_].*[Ll]oss`
	plainLoss       = `^(scalar/)?loss$`
	samplesOfLoss   = `^` + record.SamplesMean + `$`
)

// named finds the pairs whose two sides have names of their own.
func named(items []meanLoss, step int64) []lossEvent {
	train := map[string]meanLoss{}
	for _, it := range items {
		m := sideOf.FindStringSubmatch(it.name)
		switch {
		case m == nil:
			stem := strings.TrimPrefix(it.name, "scalar/")
			if _, told := train[stem]; !told {
				train[stem] = it
			}
		case m[2] != "":
			train[m[4]] = it
		}
	}
	var out []lossEvent
	for _, it := range items {
		m := sideOf.FindStringSubmatch(it.name)
		if m == nil || m[3] == "" || upward(m[4]) {
			continue
		}
		if t, ok := train[m[4]]; ok {
			out = append(out, lossEvent{pair: it.name, partner: t.name, step: step, evaluation: true, train: t.value, known: true, validation: it.value})
		}
	}
	return out
}

// upward tells the metrics that are the better the larger they are.
func upward(metric string) bool {
	metric, _, _ = strings.Cut(strings.ToLower(metric), "@")
	switch metric {
	case "auc", "aucpr", "map", "ndcg", "pre", "acc", "accuracy":
		return true
	}
	return false
}

// pairedLosses selects the losses of the rules that compare training and
// validation.
func pairedLosses(p rule.Params) rule.Selector {
	if r := p.List("tensor_regex"); len(r) > 0 {
		return rule.Selector{Regex: append(slices.Clone(r), samplesOfLoss)}
	}
	return rule.Selector{Collections: []string{"losses"}, Regex: []string{validationNames, plainLoss, samplesOfLoss}}
}

// pairedNeeds asks for those losses, in TRAIN and EVAL.
func pairedNeeds(p rule.Params) []rule.Need {
	return []rule.Need{{Selector: pairedLosses(p), Schedule: rule.AllModes(p.Int("every")), Want: rule.WantStats}}
}

// pairedRegex is the parameter that selects them.
var pairedRegex = rule.Parameter{Name: "tensor_regex", Type: rule.List, Optional: true, Meaning: "patterns of losses to compare; None: the collection losses, and what is called loss, train_loss, val_loss and the like"}

// noValidation is the note of a job that left nothing to compare with.
const noValidation = "no validation loss was saved; save one in EVAL steps (with every=1 there, if a pass is short)"

// evaluationPoint is an evaluation point as it is kept for evidence.
type evaluationPoint struct {
	Step       int64       `json:"step"` // global; in validation_rise.go as lossEvent.place has it
	Train      rule.Number `json:"train"`
	Validation rule.Number `json:"validation"`
}
