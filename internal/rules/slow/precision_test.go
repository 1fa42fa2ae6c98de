package slow_test

import (
	"fmt"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules/slow"
	"github.com/vigil-ml/vigil/rule"
)

// typed are facts of a network of one layer with parameters of a type, which gives
// another, in so many operations.
func typed(parameters, output string, operations int64) *rule.Facts {
	return &rule.Facts{
		Graph:      &record.GraphFacts{Nodes: operations, Complete: true},
		Parameters: &record.ParameterFacts{List: []rule.ParameterFact{{Name: "0.weight", Module: "0", Kind: record.LinearModule, Shape: []int64{256, 256}, DType: parameters}}},
		Network:    &record.NetworkFacts{Modules: []rule.ModuleFacts{{Path: "0", Kind: record.LinearModule, Output: &rule.TensorFacts{DType: output, Shape: []int64{32, 256}}}}},
	}
}

func TestPrecision(t *testing.T) {
	with := func(f *rule.Facts, change func(*rule.Facts)) *rule.Facts {
		change(f)
		return f
	}
	for _, c := range []struct {
		name    string
		facts   *rule.Facts
		other   float64 // seconds of a step next to its passes
		seconds float64
		want    string // "severity share gain"
	}{
		{"double precision", typed("F64", "F64", 20), 0.005, 95, "warning 0.47 0.0"},
		{"double precision, and not much to save", typed("F64", "F64", 20), 0.005, 50, "info 0.47 0.0"},
		{"of functions without modules", with(typed("F64", "", 20), func(f *rule.Facts) { f.Network = nil }), 0.005, 95, "warning 0.47 0.0"},
		{"of a script that updates its weights itself", with(typed("", "F64", 20), func(f *rule.Facts) { f.Parameters = nil }), 0.005, 95, "warning 0.47 0.0"},
		{"single precision", typed("F32", "F32", 20), 0.005, 95, ""},
		{"parameters that the script converts before they are used", typed("F64", "F32", 20), 0.005, 95, ""},
		{"a part of the network only", with(typed("F64", "F64", 20), func(f *rule.Facts) {
			f.Parameters.List = append(f.Parameters.List, rule.ParameterFact{Name: "1.weight", Module: "1", Shape: []int64{256, 256}, DType: "F32"})
		}), 0.005, 95, ""},
		{"operations so small that their type does not matter", typed("F64", "F64", 3000), 0.005, 95, ""},
		{"most of the time goes elsewhere", typed("F64", "F64", 20), 0.2, 95, ""},
		{"a search along a line needs the digits", with(typed("F64", "F64", 20), func(f *rule.Facts) { f.Optimisers = []rule.OptimiserFacts{{Class: "LBFGS"}} }), 0.005, 95, ""},
		{"nothing is known", nil, 0.005, 95, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, _ := judge(t, &slow.Training, training{
				parts:   map[rule.StepPart]float64{rule.Forward: 0.04, rule.Backward: 0.05, rule.OtherPart: c.other},
				seconds: c.seconds, cores: 2, used: 1, facts: c.facts,
			})
			got := ""
			for _, v := range found {
				if v.Check == "precision" {
					got += fmt.Sprintf("%s %.2f %.1f", v.Severity, v.Share, v.Gain)
				}
			}
			if got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
