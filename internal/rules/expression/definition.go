package expression

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// Key is the parameter that makes a configuration an expression.
const Key = "expression"

// parameters are those of every rule that is an expression.
var parameters = []rule.Parameter{
	{Name: Key, Type: rule.String, Meaning: "the condition; a finding comes when it becomes true"},
	{Name: "for", Type: rule.Int, Default: "1", Range: rule.AtLeast(1), Unit: "judged steps", Meaning: "how many judged steps in a row it must be true"},
	{Name: "severity", Type: rule.String, Default: string(rule.Warning), Choices: []string{string(rule.Error), string(rule.Warning), string(rule.Info)}, Meaning: "of its findings"},
	{Name: "message", Type: rule.String, Optional: true, Meaning: "one sentence for a person; {subject}, {observed}, {threshold}, {step} and {worker} are filled in"},
	{Name: "cause_class", Type: rule.String, Default: "unknown", Choices: rule.CauseClasses, Meaning: "kind of the likeliest cause"},
	{Name: "cause", Type: rule.String, Optional: true, Meaning: "the likeliest cause in words"},
	{Name: "remedy", Type: rule.String, Optional: true, Meaning: "what to try first"},
	{Name: "mode", Type: rule.String, Default: "train", Choices: modes, Meaning: "the mode whose steps it reads where it does not say in_mode(); train includes the steps of frameworks that have no modes"},
	{Name: "every", Type: rule.Int, Default: "0", Range: rule.AtLeast(0), Unit: "mode steps", Meaning: "interval at which what it reads is captured; 0: scalars at every step, tensors as the overhead budget allows"},
}

// Parameters are the names of the parameters that an expression takes.
func Parameters() []string {
	var out []string
	for _, p := range (&rule.Definition{Parameters: parameters}).AllParameters() {
		out = append(out, p.Name)
	}
	return out
}

// Is reports whether a configuration is an expression.
func Is(params map[string]string) bool {
	_, ok := params[Key]
	return ok
}

var goodName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// Define makes a definition of an expression: its own parameters are its
// defaults. The error is a *rule.ParamError, which wraps an *Error where the
// expression is wrong.
func Define(name string, params map[string]string) (*rule.Definition, error) {
	if !goodName.MatchString(name) {
		return nil, &rule.ParamError{Rule: name, What: "rule", Message: fmt.Sprintf("%q cannot be the name of a rule", name), Hint: "use small letters, digits and _, beginning with a letter"}
	}
	d := &rule.Definition{
		Name: name, Class: camel(name), Family: rule.Tensors, Severity: rule.Warning, CauseClass: "unknown",
		Why: "It was written for this training.", Parameters: parameters,
	}
	p, err := d.Parse(params)
	if err != nil {
		return nil, err
	}
	prog, err := compile(p.String(Key))
	if err != nil {
		return nil, &BadExpression{name, err}
	}
	d.Parameters = append([]rule.Parameter(nil), parameters...)
	for i := range d.Parameters {
		own := &d.Parameters[i]
		if p.Given(own.Name) && p.Has(own.Name) {
			own.Default = p.Texts()[own.Name]
		}
	}
	d.Severity, d.CauseClass = rule.Severity(p.String("severity")), p.String("cause_class")
	d.Summary = p.String("message")
	if d.Summary == "" {
		d.Summary = "It is true that " + oneLine(p.String(Key)) + "."
	}
	if p.Has("cause") {
		d.Causes = []string{p.String("cause")}
	}
	if p.Has("remedy") {
		d.Remedies = []string{p.String("remedy")}
	}
	d.Needs = func(p rule.Params) []rule.Need { return needs(prog, p) }
	d.New = func(p rule.Params) (rule.Rule, error) { return newExpression(name, prog, p), nil }
	return d, nil
}

// BadExpression is an expression that cannot be compiled.
type BadExpression struct {
	Rule string
	Err  error
}

func (e *BadExpression) Error() string { return fmt.Sprintf("configure rule %s: %v", e.Rule, e.Err) }

func (e *BadExpression) Unwrap() error { return e.Err }

// camel makes a class name of a name: loss_spike is LossSpike.
func camel(name string) string {
	var b strings.Builder
	for _, part := range strings.Split(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// modesOf are the modes that a source is read in. Frameworks without modes
// count GLOBAL steps: those are training, too.
func (s source) modesOf(own string) (in [4]bool) {
	mode := s.mode
	if mode == "" {
		mode = own
	}
	switch mode {
	case "train":
		in[rule.Train], in[rule.Global] = true, s.mode == ""
	case "eval":
		in[rule.Eval] = true
	case "predict":
		in[rule.Predict] = true
	case "global":
		in[rule.Global] = true
	}
	return in
}

func (s source) selector() rule.Selector {
	if s.pattern != "" {
		return rule.Selector{Regex: []string{s.pattern}}
	}
	return rule.Selector{Names: []string{s.name}}
}

// needs is what an expression reads, as capture has to know it.
func needs(prog *program, p rule.Params) []rule.Need {
	var out []rule.Need
	for _, s := range prog.sources {
		every := p.Int("every")
		if every == 0 {
			every = rule.Auto
			if s.stat == "" {
				every = 1
			}
		}
		var schedule rule.Schedule
		for m, in := range s.modesOf(p.String("mode")) {
			schedule[m].Every, schedule[m].Off = every, !in
		}
		n := rule.Need{Selector: s.selector(), Schedule: schedule, Want: rule.WantStats}
		if q, is, err := quantile(s.stat); is && err == nil {
			n.Quantiles = []float64{q}
		}
		n.Want |= computed[s.stat]
		out = append(out, n)
	}
	return out
}
