package rules_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// checkWith checks a rule under its example and one more parameter.
func checkWith(d *rule.Definition, name, value string) error {
	params := map[string]string{name: value}
	for k, v := range d.Example {
		if _, given := params[k]; !given {
			params[k] = v
		}
	}
	return rules.Check(rules.Config{Rule: d.Name, Params: params})
}

// bad are values that a parameter cannot take, each with what the message says
// of it.
func bad(p rule.Parameter) map[string]string {
	out := map[string]string{}
	switch p.Type {
	case rule.Bool:
		out["maybe"] = `"maybe" is neither true nor false`
	case rule.Int:
		out["many"], out["1.5"] = `"many" is not a whole number`, `"1.5" is not a whole number`
	case rule.Float:
		out["much"], out["nan"], out["inf"] = `"much" is not a number`, `"nan" is not a number`, `"inf" is not a number`
	}
	if len(p.Choices) > 0 {
		out["purple"] = "allowed: " + strings.Join(p.Choices, ", ")
	}
	if p.Range.String() != "" {
		for _, x := range []float64{-1e12, -1, 0, 1, 100.5, 1e12} {
			if text := strconv.FormatFloat(x, 'f', -1, 64); !p.Range.Holds(x) && (p.Type == rule.Float || x == float64(int64(x))) {
				out[text] = text + " is out of range; allowed: " + p.Range.String()
			}
		}
	}
	return out
}

// Every parameter of every rule refuses what it cannot take, and says what it
// can; a name that is mistyped is answered with the nearest one.
func TestEveryParameter(t *testing.T) {
	for _, d := range rules.Catalogue() {
		for _, p := range d.AllParameters() {
			if p.Optional {
				for _, none := range []string{"", " None ", "null"} {
					if _, err := d.Parse(map[string]string{p.Name: none}); err != nil {
						t.Errorf("%s: %s=%q: %v", d.Name, p.Name, none, err)
					}
				}
			} else if err := checkWith(d, p.Name, " "+p.Default+" "); err != nil {
				t.Errorf("%s: the default of %s is refused: %v", d.Name, p.Name, err)
			}
			for value, want := range bad(p) {
				err := checkWith(d, p.Name, value)
				var pe *rule.ParamError
				if !errors.As(err, &pe) || pe.Rule != d.Name || pe.What != p.Name || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %s=%s: %v, want %q", d.Name, p.Name, value, err, want)
				}
			}
			typo := p.Name + "x"
			if err := checkWith(d, typo, "1"); err == nil || !strings.Contains(err.Error(), `unknown parameter "`+typo+`"; did you mean "`+p.Name+`"`) {
				t.Errorf("%s: %s: %v", d.Name, typo, err)
			}
			for _, a := range p.Formerly { // spellings of old pages
				if err := checkWith(d, a, "1"); err == nil || !strings.Contains(err.Error(), `unknown parameter "`+a+`"; it is called "`+p.Name+`"`) {
					t.Errorf("%s: %s: %v", d.Name, a, err)
				}
			}
			known, err := rules.Parameters(d.Name)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range append(slices.Clone(p.Aliases), p.Name) {
				if !slices.Contains(known, a) {
					t.Errorf("%s: %s is not known in a specification", d.Name, a)
				}
			}
		}
	}
}

// What concerns several parameters together.
func TestParametersTogether(t *testing.T) {
	for _, c := range []struct {
		rule   string
		params []string
		want   string // "": accepted
	}{
		{"tensor_variance", []string{"max_threshold", "1", "min_threshold", "1"}, `"min_threshold" is not below "max_threshold"`},
		{"tensor_variance", []string{"max_threshold", "1", "min_threshold", "0.5"}, ""},
		{"tensor_variance", []string{"max_threshold", "None"}, "give at least one of them"},
		{"saturated_activation", []string{"threshold_tanh_min", "10"}, `"threshold_tanh_min" is not below "threshold_tanh_max"`},
		{"saturated_activation", []string{"threshold_sigmoid_max", "-23"}, `"threshold_sigmoid_min" is not below "threshold_sigmoid_max"`},
		{"saturated_activation", []string{"threshold_tanh", "(-5, 5)"}, ""},
		{"saturated_activation", []string{"threshold_tanh", "5"}, "write (low, high)"},
		{"saturated_activation", []string{"threshold_tanh", "(5, -5)"}, "is not below"},
		{"saturated_activation", []string{"threshold_tanh", "(-5, 5)", "threshold_tanh_min", "-4"}, "give the ends or both at once"},
		{"saturated_activation", []string{"tensor_regex", ".*tanh_input,.*sigmoid_input"}, ""},
		{"update_gradient_mismatch", []string{"large", "1e-7"}, `"large" is not above "small"`},
		{"poor_weight_initialization", []string{"steps", "10.0"}, ""},
		{"similar_across_runs", nil, "give the name or the path of another run"},
		{"similar_across_runs", []string{"other_trial", "a"}, ""},
		{"similar_across_runs", []string{"other_trial_0", "a", "other_trial_1", "b"}, ""},
		{"similar_across_runs", []string{"other_trial", "a", "other_trials", "b"}, "given twice"},
		{"input_drift", []string{"other_trial_0", "a"}, ""},
		{"vanishing_gradient", []string{"other_trial_0", "a"}, ""}, // of no meaning there
		{"accuracy_drop", nil, "give the accuracy of the model before"},
		{"overfit", []string{"start_step", "-1"}, "allowed: >= 0"},
		{"overfit", []string{"start_step", "5", "end_step", "6"}, ""},
		{"overfit", []string{"start_step", "5", "end_step", "5"}, `"end_step" is not above "start_step"`},
		{"dead_relu", []string{"end_step", "0"}, `"end_step" is not above "start_step"`},
		{"overfit", []string{"tensor_regex", "loss, (a{2,3}+"}, `parameter "tensor_regex": "(a{2,3}+" is not a regular expression: missing ), unterminated subpattern at position 0`},
		{"class_imbalance", []string{"labels_regex", "[a"}, `parameter "labels_regex": "[a" is not a regular expression: unterminated character set at position 0`},
		{"dead_relu", []string{"tensor_regex", "^(?=.*bias)(?:(?!fc).)*$, a{2,3}"}, ""},
	} {
		err := rules.Check(config(c.rule, c.params...))
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %q", c.rule, c.params, err, c.want)
		}
	}
}

// A profiling rule of SageMaker Debugger is none here, and is answered with that,
// in each of its spellings, and not with the nearest name.
func TestForeignRules(t *testing.T) {
	for _, name := range []string{"LowGPUUtilization", "low_gpu_utilization", "cpubottleneck", "overallsystem_usage", "TfOperatorTime"} {
		err := rules.Check(config(name))
		if err == nil || !strings.Contains(err.Error(), "is a profiling rule of SageMaker Debugger and not a rule here; machine and step times are captured: `vigil top` and `vigil report` show them, slow_training and hardware_utilization judge them") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"slow_training", "hardware_utilization"} {
		if _, ok := rules.Lookup(name); !ok {
			t.Errorf("the answer names %s, which is not there", name)
		}
	}
	for _, d := range rules.Catalogue() {
		for _, s := range d.Spellings() {
			if why := rules.Foreign(s); why != "" {
				t.Errorf("%s is a rule: %s", s, why)
			}
		}
	}
}

// What goes into layers and losses and comes out of layers is not there at step
// 0 of a script that registers nothing, so that rules that look at it take step 1
// as well: also a training shorter than their interval is seen.
func TestLayersAreSeenAtTheSecondStep(t *testing.T) {
	for _, name := range []string{"dead_relu", "saturated_activation", "check_input_images", "nlp_sequence_ratio", "class_imbalance", "confusion", "input_drift"} {
		d, _ := rules.Lookup(name)
		for every, want := range map[string][]int64{"": {0, 1, 500}, "3": {0, 1, 3, 6}, "1": {0, 1, 2}} {
			params := map[string]string{}
			if every != "" {
				params["every"] = every
			}
			p, err := d.Parse(params)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range d.Needs(p) {
				var got []int64
				for step := int64(0); len(got) < len(want); step++ {
					if n.Schedule.Due(record.Train, step, 1) {
						got = append(got, step)
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s every %q is captured at %v, want %v", name, every, got, want)
				}
			}
		}
	}
}
