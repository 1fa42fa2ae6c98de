package rule

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

var sample = Definition{
	Name: "sample_rule", Class: "SampleRule", Aliases: []string{"sample"},
	Parameters: []Parameter{
		{Name: "threshold_p95", Type: Float, Default: "70", Range: Between(0, 100)},
		{Name: "ratio", Type: Float, Default: "0.5", Range: Above(0)},
		{Name: "num_steps", Type: Int, Optional: true, Range: AtLeast(1), Aliases: []string{"steps"}, Formerly: []string{"nym_steps"}},
		{Name: "only", Type: Bool, Default: "False"},
		{Name: "names", Type: List, Optional: true},
		{Name: "unit", Type: String, Default: "element", Choices: []string{"element", "channel"}},
	},
}

func TestParseErrors(t *testing.T) {
	cases := []struct {
		name, value string
		message     []string
	}{
		{"threshold", "10", []string{`unknown parameter "threshold"`, `did you mean "threshold_p95"`}},
		{"nym_steps", "10", []string{`unknown parameter "nym_steps"`, `it is called "num_steps"`}},
		{"treshold_p95", "10", []string{`did you mean "threshold_p95"`}},
		{"threshold_p95", "101", []string{"101 is out of range", "0 <= x <= 100"}},
		{"ratio", "0", []string{"0 is out of range", "> 0"}},
		{"ratio", "nan", []string{`"nan" is not a number`}},
		{"ratio", "Inf", []string{`"Inf" is not a number`}},
		{"ratio", "0x1p-2", []string{"is not a number"}},
		{"num_steps", "1.5", []string{`"1.5" is not a whole number`}},
		{"num_steps", "0", []string{"0 is out of range", ">= 1"}},
		{"only", "maybe", []string{`"maybe" is neither true nor false`}},
		{"unit", "row", []string{`"row" is not allowed`, "element, channel"}},
		{"max_findings", "0", []string{"out of range", ">= 1"}},
		{"on_fire", "explode", []string{"continue, stop"}},
	}
	for _, c := range cases {
		_, err := sample.Parse(map[string]string{c.name: c.value})
		var pe *ParamError
		if !errors.As(err, &pe) || pe.Rule != "sample_rule" {
			t.Errorf("%s=%s: error is %v", c.name, c.value, err)
			continue
		}
		for _, m := range c.message {
			if !strings.Contains(err.Error(), m) {
				t.Errorf("%s=%s: %q does not say %q", c.name, c.value, err, m)
			}
		}
	}
	if _, err := sample.Parse(map[string]string{"steps": "1", "num_steps": "2"}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a parameter given under two names: %v", err)
	}
}

func TestNumberedParameters(t *testing.T) {
	d := Definition{Name: "compare", Parameters: []Parameter{{Name: "others", Type: List, Optional: true, Aliases: []string{"other"}, Numbered: "other_trial_"}}}
	for _, c := range []struct {
		given map[string]string
		want  []string
	}{
		{map[string]string{"other_trial_0": "a", "other_trial_1": "b"}, []string{"a", "b"}},
		{map[string]string{"others": "a,b"}, []string{"a", "b"}},
		{map[string]string{"other": "a", "other_trial_3": "b"}, []string{"a", "b"}},
		{map[string]string{}, nil},
	} {
		p, err := d.Parse(c.given)
		if err != nil || !slices.Equal(p.List("others"), c.want) {
			t.Errorf("%v: %v, %v", c.given, p.List("others"), err)
		}
	}
	for _, wrong := range []string{"other_trial_", "other_trial_x", "other_trial"} {
		if _, err := d.Parse(map[string]string{wrong: "a"}); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
	// A rule that reads no other run takes no notice of them.
	if _, err := sample.Parse(map[string]string{"other_trial_0": "a"}); err != nil {
		t.Error(err)
	}
}

func TestParseValues(t *testing.T) {
	p, err := sample.Parse(map[string]string{
		"steps": " 10.0 ", "only": "YES", "names": ` a{2,3}, .*relu_(x,y) ,c\,d `, "ratio": "1e-3", "unit": "Channel",
		"base_trial": "s3://x", "action_json": "{}", "end_step": "None",
	})
	if err != nil {
		t.Fatal(err)
	}
	if p.Int("num_steps") != 10 || !p.Bool("only") || p.Float("ratio") != 1e-3 || p.String("unit") != "channel" || p.Float("threshold_p95") != 70 {
		t.Errorf("values are %+v", p.values)
	}
	if got := p.List("names"); !slices.Equal(got, []string{"a{2,3}", ".*relu_(x,y)", `c\,d`}) {
		t.Errorf("list is %q", got)
	}
	if p.Has("end_step") || p.Int("max_findings") != 1000 || !slices.Equal(p.List("workers"), []string{"all"}) {
		t.Errorf("common parameters are %+v", p.values)
	}
	if !p.Given("ratio") || p.Given("threshold_p95") || p.Texts()["end_step"] != "None" || p.Texts()["ratio"] != "1e-3" {
		t.Errorf("texts are %+v", p.Texts())
	}
	for text, want := range map[string][]string{
		`["a", " b "]`: {"a", "b"}, "[0,2]": {"0", "2"}, "[a-z]+,b": {"[a-z]+", "b"}, "": nil, "a,,b": {"a", "b"}, "a)b,c": {"a)b", "c"},
	} {
		if got, err := parseList(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("list %q is %q, %v", text, got, err)
		}
	}
}

func TestFind(t *testing.T) {
	defs := []*Definition{&sample}
	for _, name := range []string{"sample_rule", "SampleRule", "samplerule", "sample", " sample "} {
		if d, ok := Find(defs, name); !ok || d != &sample {
			t.Errorf("%q finds nothing", name)
		}
	}
	if _, ok := Find(defs, "Sample_Rule"); ok {
		t.Error("a spelling that is none finds something")
	}
}

func TestRange(t *testing.T) {
	cases := []struct {
		r    Range
		text string
		in   []float64
		out  []float64
	}{
		{Range{}, "", []float64{-1e300, 0, 1e300}, nil},
		{Above(0), "> 0", []float64{1e-300}, []float64{0, -1}},
		{AtLeast(1), ">= 1", []float64{1, 2}, []float64{0.999}},
		{Between(0, 100).OpenMin(), "0 < x <= 100", []float64{1e-9, 100}, []float64{0, 100.1}},
		{Between(0, 1).OpenMax(), "0 <= x < 1", []float64{0, 0.99}, []float64{1, math.NaN()}},
	}
	for _, c := range cases {
		if c.r.String() != c.text {
			t.Errorf("range is %q, want %q", c.r, c.text)
		}
		for _, x := range c.in {
			if !c.r.Holds(x) {
				t.Errorf("%v is not in %q", x, c.text)
			}
		}
		for _, x := range c.out {
			if c.r.Holds(x) {
				t.Errorf("%v is in %q", x, c.text)
			}
		}
	}
}

// FuzzParse feeds arbitrary texts: values or an error, never a panic, and
// whatever is accepted is accepted again as the status shows it.
func FuzzParse(f *testing.F) {
	f.Add("names", "a{2,3},b")
	f.Add("num_steps", "10.0")
	f.Add("ratio", "1e-3")
	f.Add("names", `["a"]`)
	f.Fuzz(func(t *testing.T, name, value string) {
		p, err := sample.Parse(map[string]string{name: value})
		if err != nil {
			return
		}
		for _, par := range sample.AllParameters() {
			if _, _, err := par.parse(p.Texts()[par.Name]); err != nil {
				t.Errorf("%s: text %q is refused: %v", par.Name, p.Texts()[par.Name], err)
			}
		}
	})
}
