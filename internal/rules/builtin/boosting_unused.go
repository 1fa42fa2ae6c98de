package builtin

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// roundsNames are what libraries of boosted trees, and wrappers of them, call the number
// of rounds. None of them is a parameter of a booster.
var roundsNames = []string{
	"n_estimators", "num_boost_round", "num_boost_rounds", "num_boosting_rounds", "num_round", "num_rounds", "n_rounds", "nrounds", "nround",
	"num_iterations", "num_iteration", "n_iter", "max_iter", "iterations", "num_trees", "num_tree", "n_trees",
}

// stoppingNames are what early stopping is called. It is an argument of xgboost.train, too.
var stoppingNames = []string{"early_stopping_rounds", "early_stopping_round", "early_stopping"}

// harmlessUnused are parameters that XGBoost had once, or that say how much is printed:
// no model is different for lack of them.
var harmlessUnused = []string{"silent", "verbose", "verbose_eval", "predictor", "use_label_encoder", "single_precision_histogram", "enable_categorical", "missing", "importance_type"}

// unusedSettings are what a booster was given and does not know.
type unusedSettings struct {
	Names   []string `json:"names,omitempty"`  // without those below
	Rounds  string   `json:"rounds,omitempty"` // the name of a number of rounds
	Asked   int64    `json:"asked,omitempty"`  // that number
	HeldOut string   `json:"held_out,omitempty"`
}

// unusedOf reads them from the facts, with the name of the data that are held out.
func unusedOf(b *record.BoostingFacts) unusedSettings {
	var u unusedSettings
	for _, d := range b.Data {
		if d.Name == b.Judged.Name && !d.Training {
			u.HeldOut = d.Name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Unused)) {
		n, err := strconv.ParseInt(b.Unused[name], 10, 64)
		switch {
		case err == nil && slices.Contains(roundsNames, name):
			u.Rounds, u.Asked = name, n
		case !slices.Contains(harmlessUnused, name):
			u.Names = append(u.Names, name)
		}
	}
	return u
}

// stopping is the name under which early stopping was asked for and ignored; "" for none.
func (u *unusedSettings) stopping() string {
	for _, name := range stoppingNames {
		if slices.Contains(u.Names, name) {
			return name
		}
	}
	return ""
}

// judgedLoss is the loss on the data held out, by which early stopping goes: that of the
// training data falls with nearly every tree. "" where there is none.
func (u *unusedSettings) judgedLoss(items []rule.Item) string {
	name := ""
	for i := range items {
		if it := items[i].Info.Name; u.HeldOut != "" && strings.HasPrefix(it, u.HeldOut+"-") {
			name = it
		}
	}
	return name
}

// stillFalls reports whether a loss was at its lowest when the job ended and fell at nearly
// each of its last steps, beyond what a settling loss does.
func stillFalls(c *lossCurve) bool {
	last, falls := c.tail(20), 0
	for i := 1; i < len(last); i++ {
		if last[i] < last[i-1] {
			falls++
		}
	}
	if len(last) < 4 || 10*falls < 8*(len(last)-1) {
		return false
	}
	first, end := last[0], last[len(last)-1]
	return slices.Min(last) == end && first-end > leastProgress*math.Abs(first)
}

// unused finds a training that was to have more rounds than it had, because their number
// was given as a parameter of the booster, which takes no notice of it; and other
// parameters that nothing takes notice of. Whether it said anything.
func (r *fewUpdates) unused(rep *rule.Report) bool {
	c, u := &r.state.Curve, &r.state.Unused
	if rep.Cut {
		return false
	}
	falls := c.N > 0 && stillFalls(c)
	if name := u.stopping(); name != "" {
		u.Names = slices.DeleteFunc(u.Names, func(other string) bool { return other == name })
		rep.Violate(rule.Violation{
			Check: "stopping_unused", Subject: name, Observed: float64(c.N), Threshold: 0, Comparator: ">", Severity: rule.Warning, Steps: int(c.N),
			Cause:   "early stopping is given among the parameters of the booster",
			Remedy:  "give it to xgboost.train: early_stopping_rounds=…, with the validation data last in evals",
			Asks:    []rule.Advice{rule.StopEarly},
			Message: fmt.Sprintf("Early stopping does not work: %s is not a parameter of the booster, so XGBoost ignored it and the training went on for %d rounds. Give it to xgboost.train.", name, c.N),
			Context: map[string]any{"rounds": c.N},
		})
	}
	if u.Rounds == "" || u.Asked <= c.N || !falls {
		if len(u.Names) == 0 {
			return false
		}
		rep.Violate(rule.Violation{
			Check: "parameters_unused", Subject: u.Names[0], Observed: float64(len(u.Names)), Threshold: 0, Comparator: ">", Severity: rule.Info, CauseClass: "structure", Steps: int(c.N),
			Cause:   "parameters under names that XGBoost does not know for this booster",
			Remedy:  "look for misspelt names, for arguments of xgboost.train among the parameters, and for names of other libraries",
			Message: fmt.Sprintf("XGBoost does not use %s, so %s no effect.", someNames(u.Names), map[bool]string{true: "it has", false: "they have"}[len(u.Names) == 1]),
			Context: map[string]any{"parameters": u.Names, "rounds": c.N},
		})
		return falls // else the training may have had too few rounds as well
	}
	level := num(c.tail(1)[0])
	rep.Violate(rule.Violation{
		Check: "rounds_unused", Subject: u.Rounds, Observed: float64(c.N), Threshold: float64(u.Asked), Comparator: "<", Severity: rule.Warning, Steps: int(c.N),
		Cause:  "the number of rounds is given among the parameters of the booster",
		Remedy: "give it to xgboost.train: num_boost_round=" + strconv.FormatInt(u.Asked, 10),
		Asks:   []rule.Advice{rule.TrainLonger},
		Message: fmt.Sprintf("Trained for %d rounds instead of %d: %s is not a parameter of xgboost.train, which ignores it; num_boost_round is meant (10 by default). The %s was still falling: %s in the last round.",
			c.N, u.Asked, u.Rounds, called("loss", c.Name), level),
		Context: map[string]any{"rounds": c.N, "asked": u.Asked},
	})
	return true
}
