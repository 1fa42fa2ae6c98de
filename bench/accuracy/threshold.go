package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// threshold is a number by which a rule of the default set tells faulty from
// sound, with the values between which it is chosen again.
type threshold struct {
	rule, parameter string
	values          []string // half the present value, the present one, twice it; empty where the rule takes no such value
	set             []string // the rule's parameters in the default set, as k=v
}

// present is the index of the value that the default set has.
const present = 1

// otherValues are the indices of the other two.
var otherValues = [2]int{0, 2}

func (t threshold) name() string { return t.rule + "." + t.parameter }

// bookkeeping are parameters that every rule has and that judge nothing.
var bookkeeping = []string{"start_step", "end_step", "max_findings", "every"}

// thresholds asks vigil for the numbers of all rules in its default set.
func (b bench) thresholds() ([]threshold, error) {
	var known struct {
		Rules []struct {
			Rule    string `json:"rule"`
			Default bool   `json:"in_default_set"`
		} `json:"rules"`
	}
	if err := b.ask(&known, "rules", "list", "--json"); err != nil {
		return nil, err
	}
	var all []threshold
	for _, r := range known.Rules {
		if !r.Default {
			continue
		}
		var d described
		if err := b.ask(&d, "rules", "describe", "--json", r.Rule); err != nil {
			return nil, err
		}
		all = append(all, d.thresholds(r.Rule)...)
	}
	return all, nil
}

// described is what `vigil rules describe --json` says of a rule, as far as it is needed here.
type described struct {
	Parameters []struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Default string `json:"default"`
	} `json:"parameters"`
	Set struct {
		Parameters map[string]string `json:"parameters"`
	} `json:"default_set"`
}

// thresholds are the rule's numbers that can be halved and doubled: those that are not zero.
func (d described) thresholds(rule string) []threshold {
	var all []threshold
	for _, p := range d.Parameters {
		value, changed := d.Set.Parameters[p.Name]
		if !changed {
			value = p.Default
		}
		if slices.Contains(bookkeeping, p.Name) {
			continue
		}
		values := around(p.Type, value)
		if values == nil {
			continue
		}
		t := threshold{rule: rule, parameter: p.Name, values: values}
		for k, v := range d.Set.Parameters {
			t.set = append(t.set, k+"="+v)
		}
		slices.Sort(t.set)
		all = append(all, t)
	}
	return all
}

// around gives half a value, the value and twice it. What lies near one,
// a share above a half or a growth below two, is meant by its distance from
// one: that is doubled and halved. Nil where that
// is not possible.
func around(kind, value string) []string {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || x <= 0 {
		return nil
	}
	switch {
	case kind == "int" && x > 1:
		return []string{strconv.Itoa(int(math.Round(x / 2))), value, strconv.Itoa(int(2 * x))}
	case kind != "float":
		return nil
	case x > 0.5 && x < 1:
		return []string{text(1 - min(0.9, 2*(1-x))), value, text(1 - (1-x)/2)}
	case x > 1 && x < 2:
		return []string{text(1 + (x-1)/2), value, text(1 + (x-1)*2)}
	}
	return []string{text(x / 2), value, text(2 * x)}
}

func text(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// ruleArguments are the `--rule` arguments with which `vigil check` judges by
// the default set with other thresholds: chosen has an index into the values
// of each.
func ruleArguments(all []threshold, chosen []int) []string {
	var order []string
	given := map[string][]string{}
	for i, t := range all {
		if chosen[i] == present {
			continue
		}
		if given[t.rule] == nil {
			order = append(order, t.rule)
		}
		given[t.rule] = append(given[t.rule], t.parameter+"="+t.values[chosen[i]])
	}
	var args []string
	for _, rule := range order {
		parameters := given[rule]
		for _, other := range others(all, rule) {
			name, _, _ := strings.Cut(other, "=")
			if !slices.ContainsFunc(parameters, func(p string) bool { return strings.HasPrefix(p, name+"=") }) {
				parameters = append(parameters, other)
			}
		}
		args = append(args, "--rule", rule+":"+strings.Join(parameters, ","))
	}
	return args
}

// others are the parameters of a rule in the default set.
func others(all []threshold, rule string) []string {
	i := slices.IndexFunc(all, func(t threshold) bool { return t.rule == rule })
	return all[i].set
}
