package builtin

import (
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// limits is what an operation can give.
func limits(op string) (low, high float64, ok bool) {
	switch op {
	case "sigmoid", "softmax", "hardsigmoid":
		return 0, 1, true
	case "tanh":
		return -1, 1, true
	case "relu", "softplus":
		return 0, math.Inf(1), true
	case "log_sigmoid", "log_softmax":
		return math.Inf(-1), 0, true
	case "exp", "abs":
		return 0, math.Inf(1), true
	case "sin", "cos", "erf":
		return -1, 1, true
	case "elu":
		return -1, math.Inf(1), true
	case "silu":
		return -0.2785, math.Inf(1), true
	case "gelu":
		return -0.17, math.Inf(1), true
	case "mish":
		return -0.3089, math.Inf(1), true
	}
	return 0, 0, false
}

// outOfReach finds a regression whose labels the output cannot take.
func outOfReach(v *lossView, p *rule.PredictionFacts) []rule.Violation {
	l := v.facts.Labels
	low, high, limited := limits(v.act())
	state := readsState(v)
	if state != "" {
		low, high, limited = -1, 1, true
	}
	least, most, ok := span(l)
	if !limited || !ok || !v.alone && !v.own || l.OneHot || v.act() == "softmax" && isWhole(l) || !slices.Equal(p.Shape, p.LabelShape) && product(p.Shape) != product(p.LabelShape) {
		return nil
	}
	over := max(low-least, most-high)
	std := 0.25 * (most - least)
	if l.Std != nil {
		std = *l.Std
	}
	if over <= 0.1*(most-least) || over <= std && !centredAtEdge(l, low, high, std) {
		return nil
	}
	if !v.alone && (over <= std || over <= 0.3*(most-least)) { // a term of a loss, which is seen less well
		return nil
	}
	severity, outside := rule.Warning, "some labels are"
	if l.Mean != nil && (*l.Mean < low || *l.Mean > high) {
		severity, outside = rule.Error, "even the mean of the labels is"
	}
	can := rangeText(low, high)
	switch {
	case math.IsInf(high, 1):
		can = num(low) + " and more"
	case math.IsInf(low, -1):
		can = "0 and less"
	}
	what := capital(v.module(v.act()))
	if state != "" {
		what = "The state of " + state + ", which is the output itself,"
	}
	text := fmt.Sprintf("%s can only output %s, but the labels range from %s: %s out of the model's reach.", what, can, rangeText(least, most), outside)
	out := v.violation("labels_out_of_reach", text, "end the model with a linear layer, or scale the labels to the range of the activation", severity)
	out.Observed, out.Threshold, out.Comparator = over, 0.1*(most-least), ">"
	return []rule.Violation{out}
}

// readsState names the recurrent layer whose hidden state, which tanh and gates
// keep within -1 and 1, is the output of the model; "" where another layer comes
// after it, or anything that scales it. The cell's state of an LSTM has no limits.
func readsState(v *lossView) string {
	f := v.facts
	if !v.seen || f.Network == nil || f.Network.More > 0 || f.Parameters == nil {
		return ""
	}
	var last *rule.ModuleFacts
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		if (last == nil || m.Order > last.Order) && slices.ContainsFunc(f.Parameters.List, func(p rule.ParameterFact) bool { return p.Module == m.Path }) {
			last = m
		}
	}
	if last == nil || last.Kind != record.RecurrentModule {
		return ""
	}
	ops, stacked := v.acts, false
	for len(ops) > 0 && slices.Contains([]string{"stack", "cat", "mean", "max", "min"}, ops[0]) {
		stacked = stacked || ops[0] == "stack"
		ops = ops[1:]
	}
	begins := func(with ...string) bool { return len(ops) >= len(with) && slices.Equal(ops[:len(with)], with) }
	found := false
	switch last.Type {
	case "LSTM": // what is stacked may be the cells' states
		found = v.layer == "recurrent" && len(ops) == 0 && !stacked
	case "GRU":
		found = v.layer == "recurrent" && len(ops) == 0 || begins("add", "mul", "sub")
	case "GRUCell":
		found = begins("add", "mul", "sub")
	case "RNN", "RNNCell":
		found = begins("tanh", "add")
	case "LSTMCell":
		found = begins("mul", "sigmoid", "add")
	}
	if !found {
		return ""
	}
	if last.Path == "" {
		return "the " + last.Type
	}
	return last.Path
}

// centredAtEdge reports whether the mean of the labels is no further than half a
// deviation inside of what can be given: then a third of them or so is beyond.
func centredAtEdge(l *rule.LabelFacts, low, high, std float64) bool {
	return l.Mean != nil && std > 0 && (*l.Mean < low+std/2 || *l.Mean > high-std/2)
}
