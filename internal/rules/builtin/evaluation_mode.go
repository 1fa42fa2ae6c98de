package builtin

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// evaluationMode looks for evaluation in training mode, training in evaluation
// mode, and batch normalisation whose running statistics do not fit.
var evaluationMode = rule.Definition{
	Name: "evaluation_mode", Class: "EvaluationMode", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     slices.Concat(evaluationModeChecks, rule.Index([]rule.Judged[*rule.Facts]{frozenStatistics})),
	Summary:    "The model is evaluated in training mode, or trained in evaluation mode, so dropout and batch normalisation behave wrongly.",
	Why:        "Dropout and batch normalisation work differently in the two modes. In the wrong mode scores are noisy and depend on the batch, and running statistics are computed from validation data, or never.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "distance", Type: rule.Float, Default: "5", Range: rule.Above(0), Unit: "deviations", Meaning: "allowed distance of a running mean from the batch's"},
		{Name: "ratio", Type: rule.Float, Default: "25", Range: rule.Above(1), Unit: "ratio", Meaning: "allowed ratio of the running to the batch's variance, either way"},
	},
	CauseClass:     "eval-mode",
	Lacks:          "no evaluation was seen",
	Causes:         []string{"model.eval() is missing before evaluation", "model.train() is missing after evaluation", "a batch-norm momentum that is too small, or data that differs between training and evaluation"},
	Remedies:       []string{"call model.eval() before each evaluation and model.train() before each epoch of training", "check the momentum of batch normalisation"},
	Explains:       []string{"overfit", "overtraining", "underfit", "loss_spike"},
	ExplainsAlways: []string{"accuracy_drop", "vanishing_gradient"}, // batch normalisation that stands still lets gradients fade
	// Without normalisation the usual rates are too high.
	ExplainsBy: map[string][]string{"trained_in_evaluation_mode": {"learning_rate", "not_finite", "exploding_tensor", "dead_relu", "loss_flat"}},
	Default: &rule.Preset{
		Why: "Only dropout and batch normalisation count, and only where the whole model stands in the wrong mode: dropout that is kept on in a model in evaluation mode is meant (Monte Carlo dropout), so are several passes over the same inputs, or over new inputs before each update (labels that are guessed), and so is fine-tuning in evaluation mode from the start, unless nothing was trained before. A part all of whose parameters are frozen may stand in evaluation mode; where it does not, its running statistics count once they are those of data and change noticeably. The function dropout counts in evaluation mode only where training= was not passed.",
	},
	Needs: noNeeds,
	New: func(p rule.Params) (rule.Rule, error) {
		return &evaluating{told: newTold(), params: p, distance: p.Float("distance"), ratio: p.Float("ratio")}, nil
	},
}

type evaluating struct {
	told
	params          rule.Params
	distance, ratio float64
}

// Facts implements rule.FactReader.
func (r *evaluating) Facts(f *rule.Facts, rep *rule.Report) {
	if f.Evaluation != nil {
		rep.Inspect(1)
		if f.Evaluation.Purpose == "" { // samples of a posterior and guessed labels are made in training mode on purpose
			r.inTraining(f, rep)
			r.byFunction(f, rep)
		}
		r.statistics(f, rep)
	}
	if f.EvalTrained != nil {
		rep.Inspect(1)
		r.inEvaluation(f, rep)
	}
	if f.EvalParts != nil {
		rep.Inspect(1)
		r.partly(f, rep)
	}
	for _, v := range frozenStatistics.Violations(f, r.params) {
		r.say(rep, v)
	}
}

// inTraining judges evaluation steps for which the model was left in training
// mode.
func (r *evaluating) inTraining(f *rule.Facts, rep *rule.Report) {
	e := f.Evaluation
	active := withEffect(f, e.Training)
	if !e.RootTraining || len(active) == 0 {
		return
	}
	v := rule.Violation{
		Check: "evaluated_in_training_mode", Subject: "evaluation", Observed: float64(len(active)), Threshold: 0, Comparator: ">", Steps: int(e.Steps),
		Cause:  "model.eval() is missing before evaluation",
		Remedy: "call model.eval() before each evaluation and model.train() after it",
		Message: fmt.Sprintf("The model is evaluated in training mode: %s (%s) still drop values or use batch statistics at %s. Call model.eval() before evaluation and model.train() after it.",
			someNames(active), kindsText(e.Kinds), plural(int(e.Steps), "evaluation step")),
		Context: map[string]any{"modules": active, "kinds": e.Kinds},
	}
	if len(f.Models) > 1 || len(f.Optimisers) > 1 {
		// Samples of a generator are drawn in training mode by many who know.
		v.Severity = rule.Info
	}
	r.say(rep, v)
}

// byFunction judges dropout that is called as a function. One that is told to
// drop although the model is in evaluation mode is meant; one that is told
// nothing drops always.
func (r *evaluating) byFunction(f *rule.Facts, rep *rule.Report) {
	e := f.Evaluation
	if !e.FunctionalDropout || len(r.said) > 0 || e.RootTraining && slices.Contains(e.Kinds, record.DropoutModule) {
		return
	}
	v := rule.Violation{
		Check: "functional_dropout", Subject: "dropout", Observed: 1, Threshold: 0, Comparator: ">", Steps: int(e.Steps),
		Cause:   "F.dropout drops values in evaluation too, unless training=False is passed",
		Remedy:  "write F.dropout(x, p, training=self.training), or use nn.Dropout",
		Message: "Dropout is still active in evaluation mode: F.dropout was called without training=self.training, and its default is True.",
	}
	if e.RootTraining {
		v.Check, v.Subject = "evaluated_in_training_mode", "evaluation"
		v.Cause, v.Remedy = "model.eval() is missing before evaluation", "call model.eval() before each evaluation and model.train() after it"
		v.Message = "The model is evaluated in training mode: F.dropout still drops values. Call model.eval() before evaluation and model.train() after it."
	}
	if len(f.Models) > 1 || len(f.Optimisers) > 1 {
		v.Severity = rule.Info
	}
	r.say(rep, v)
}

// inEvaluation judges updates that were made in evaluation mode.
func (r *evaluating) inEvaluation(f *rule.Facts, rep *rule.Report) {
	t := f.EvalTrained
	still := withEffect(f, without(t.Modules, t.Frozen))
	if len(still) == 0 {
		return
	}
	v := rule.Violation{
		Check: "trained_in_evaluation_mode", Subject: "training", Observed: float64(len(still)), Threshold: 0, Comparator: ">", Steps: 2,
		Context: map[string]any{"modules": still, "kinds": t.Kinds},
	}
	if t.Always {
		if !beganFresh(f) {
			v.Severity = rule.Info
		}
		v.Cause, v.Remedy = "model.train() is missing before the training", "call model.train() before training, unless the statistics are frozen on purpose (fine-tuning)"
		v.Message = fmt.Sprintf("The model is trained in evaluation mode: %s (%s) have no effect. Call model.train() unless this is intended.", someNames(still), kindsText(t.Kinds))
	} else {
		since := ""
		if t.Since != nil { // the finding is of that update: it has one step
			since = fmt.Sprintf(" since step %d", t.Since.ModeStep)
			v.At = &rule.Point{Step: t.Since.Step, Mode: record.Train, ModeStep: t.Since.ModeStep}
			v.Context["since"] = t.Since.ModeStep
		}
		v.Cause, v.Remedy = "model.train() is missing after an evaluation", "call model.train() at the beginning of each epoch"
		v.Message = fmt.Sprintf("The model is trained in evaluation mode%s: %s (%s) have no effect. Call model.train() after evaluation.", since, someNames(still), kindsText(t.Kinds))
	}
	r.say(rep, v)
}

// partly judges parts that stood in evaluation mode from the start while the
// model was trained. Who keeps statistics on purpose has trained them before, or
// does not train what they belong to.
func (r *evaluating) partly(f *rule.Facts, rep *rule.Report) {
	var still []string
	for _, path := range withEffect(f, without(f.EvalParts.Modules, f.EvalParts.Frozen)) {
		if freshAround(f, path) {
			still = append(still, path)
		}
	}
	if len(still) == 0 {
		return
	}
	r.say(rep, rule.Violation{
		Check: "trained_in_evaluation_mode", Subject: "training", Observed: float64(len(still)), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:  "eval() was called on a part of the model, or before a trainer that keeps each module's mode",
		Remedy: "call model.train() before training; it sets the mode of all submodules",
		Message: fmt.Sprintf("A part of the model is trained in evaluation mode although it was not pretrained: %s (%s) have no effect. Call model.train() before training.",
			someNames(still), kindsText(f.EvalParts.Kinds)),
		Context: map[string]any{"modules": still, "kinds": f.EvalParts.Kinds},
	})
}

// freshAround reports whether the part of a model that a module lies in is trained,
// and began with the values of an initialiser.
func freshAround(f *rule.Facts, path string) bool {
	if f.Parameters == nil || f.Parameters.More > 0 {
		return false
	}
	part := path
	if i := strings.LastIndex(path, "."); i >= 0 {
		part = path[:i]
	}
	var ps []*rule.ParameterFact
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		if p.Module != path && p.Module != part && !strings.HasPrefix(p.Module, part+".") {
			continue
		}
		if !p.Trained || !p.Held || !p.Changed {
			return false
		}
		ps = append(ps, p)
	}
	return slices.ContainsFunc(ps, mixing) && age(ps) == fresh
}

// beganFresh reports whether a model began with the values of an initialiser:
// nobody fine-tunes such a one.
func beganFresh(f *rule.Facts) bool {
	if f.Parameters == nil || len(f.Optimisers) > 1 {
		return false
	}
	var ps []*rule.ParameterFact
	for i := range f.Parameters.List {
		p := &f.Parameters.List[i]
		// Parts of a model that were called by themselves are models, too, without parameters of their own.
		if !p.Trained || modelOf(f, p) != modelOf(f, &f.Parameters.List[0]) {
			return false
		}
		ps = append(ps, p)
	}
	return age(ps) == fresh
}

// statistics judges how far running statistics are from a batch's.
func (r *evaluating) statistics(f *rule.Facts, rep *rule.Report) {
	e := f.Evaluation
	if e.RootTraining || len(e.Statistics) == 0 {
		return
	}
	var far []string
	worst, slow := 0.0, false
	for _, s := range e.Statistics {
		d, q := float64(s.Distance), float64(s.Ratio)
		off := math.Max(q, 1/q)
		distance, ratio := r.distance, r.ratio
		late := lags(f, s.Module)
		if late { // far less is enough to be sure
			distance, ratio = distance/5, ratio/5
		}
		if !(d > distance) && !(off > ratio) {
			continue
		}
		far = append(far, s.Module)
		if finite(d) {
			worst = math.Max(worst, d)
		}
		slow = slow || late
	}
	if 2*len(far) < len(e.Statistics) || len(far) == 0 {
		return
	}
	v := rule.Violation{
		Check: "statistics", Subject: far[0], Severity: rule.Info, Observed: worst, Threshold: r.distance, Comparator: ">", Steps: int(e.Steps),
		Cause:  "the running statistics lag behind (few updates, a small momentum), or training and evaluation data differ",
		Remedy: "raise the batch-norm momentum (default 0.1), evaluate later, or compare how both datasets are prepared",
		Message: fmt.Sprintf("The running statistics of %s (%d of %d) do not match the evaluation data (up to %s std apart). Check the batch-norm momentum, and that both datasets are prepared the same way.",
			someNames(far), len(far), len(e.Statistics), num(worst)),
		Context: map[string]any{"statistics": e.Statistics},
	}
	if slow {
		v.Severity = rule.Warning
	}
	r.say(rep, v)
}

// slowMomentum is a momentum of batch normalisation under which running
// statistics need thousands of updates.
const slowMomentum = 0.002

// lags reports whether running statistics still are mostly what they began with:
// after n updates they are so to (1 - momentum)^n.
func lags(f *rule.Facts, path string) bool {
	m := moduleAt(f, path)
	if m == nil {
		return false
	}
	momentum, ok := setting(m, "momentum")
	return ok && momentum <= slowMomentum && momentum*float64(f.Evaluation.At) < 0.5
}

// without gives the paths that are not among others.
func without(paths, others []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return slices.Contains(others, path) })
}

// withEffect leaves out modules that work the same way in both modes.
func withEffect(f *rule.Facts, paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		m := moduleAt(f, path)
		if m == nil {
			return false
		}
		if p, ok := setting(m, "p"); ok && p == 0 && m.Kind == record.DropoutModule {
			return true
		}
		track, ok := m.Settings["track_running_stats"].(bool)
		return ok && !track || frozenOnPurpose(f, path)
	})
}

// frozenOnPurpose reports whether a module has parameters and none of them is
// trained: its statistics are meant to stay as well.
func frozenOnPurpose(f *rule.Facts, path string) bool {
	if f.Parameters == nil {
		return false
	}
	own := 0
	for i := range f.Parameters.List {
		if p := &f.Parameters.List[i]; p.Module == path {
			if p.Trained {
				return false
			}
			own++
		}
	}
	return own > 0
}

func moduleAt(f *rule.Facts, path string) *rule.ModuleFacts {
	if f.Network == nil {
		return nil
	}
	for i := range f.Network.Modules {
		if m := &f.Network.Modules[i]; m.Path == path {
			return m
		}
	}
	return nil
}

// kindsText spells kinds of modules.
func kindsText(kinds []string) string {
	if len(kinds) == 0 {
		return "dropout or normalisation"
	}
	return strings.Join(kinds, " and ")
}
