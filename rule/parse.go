package rule

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Params are the parsed values of one configuration.
type Params struct {
	values map[string]any // absent optional parameters are not there
	given  map[string]bool
	texts  map[string]string
}

// Has reports whether an optional parameter has a value.
func (p Params) Has(name string) bool { _, ok := p.values[name]; return ok }

// Given reports whether the user set the parameter.
func (p Params) Given(name string) bool { return p.given[name] }

// Int gives an integer parameter; 0 when it is absent.
func (p Params) Int(name string) int64 { v, _ := p.values[name].(int64); return v }

// Float gives a number; 0 when it is absent.
func (p Params) Float(name string) float64 { v, _ := p.values[name].(float64); return v }

// Bool gives a truth value; false when it is absent.
func (p Params) Bool(name string) bool { v, _ := p.values[name].(bool); return v }

// String gives a text; "" when it is absent.
func (p Params) String(name string) string { v, _ := p.values[name].(string); return v }

// List gives a list; nil when it is absent.
func (p Params) List(name string) []string { v, _ := p.values[name].([]string); return v }

// Texts gives every parameter as text, the way statuses show them.
func (p Params) Texts() map[string]string { return p.texts }

// ParamError is a configuration error. What names the parameter, Hint says
// what to write instead.
type ParamError struct {
	Rule, What, Message, Hint string
}

func (e *ParamError) Error() string {
	s := fmt.Sprintf("configure rule %s: %s", e.Rule, e.Message)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// ignored are parameters of SageMaker Debugger that carry no meaning here: the
// current run is implied and actions are configured elsewhere.
// So are other runs, for rules that read none.
func ignored(name string) bool {
	return name == "base_trial" || name == "action_json" || numbered(name, "other_trial_")
}

// Parse checks a configuration against the definition and gives its values,
// defaults filled in. The error is a *ParamError.
func (d *Definition) Parse(given map[string]string) (Params, error) {
	all := d.AllParameters()
	p := Params{map[string]any{}, map[string]bool{}, map[string]string{}}
	set := map[string]string{}
	for _, name := range sortedKeys(given) {
		par, ok := find(all, name)
		if !ok && ignored(name) {
			continue
		}
		if !ok {
			return Params{}, d.unknown(name, all)
		}
		if before, more := set[par.Name]; more && par.Numbered != "" && numbered(name, par.Numbered) {
			set[par.Name] = before + "," + given[name]
			continue
		}
		if _, twice := set[par.Name]; twice {
			return Params{}, &ParamError{d.Name, par.Name, fmt.Sprintf("parameter %q is given twice, also as %q", par.Name, name), ""}
		}
		set[par.Name] = given[name]
	}
	for _, par := range all {
		text, ok := set[par.Name]
		if !ok {
			text = par.Default
		}
		v, present, err := par.parse(text)
		if err != nil {
			return Params{}, &ParamError{d.Name, par.Name, fmt.Sprintf("parameter %q: %v", par.Name, err), par.hint()}
		}
		if present {
			p.values[par.Name] = v
			p.texts[par.Name] = strings.TrimSpace(text)
		} else {
			p.texts[par.Name] = "None"
		}
		p.given[par.Name] = ok
	}
	if p.Has("start_step") && p.Has("end_step") && p.Int("end_step") <= p.Int("start_step") {
		return Params{}, &ParamError{d.Name, "end_step", `"end_step" is not above "start_step": no step lies between them`, "end_step is the first step not to judge any more"}
	}
	return p, nil
}

func (d *Definition) unknown(name string, all []Parameter) error {
	var names []string
	for _, p := range all {
		if slices.Contains(p.Formerly, name) {
			return &ParamError{d.Name, name, fmt.Sprintf("unknown parameter %q", name), fmt.Sprintf("it is called %q", p.Name)}
		}
		names = append(names, p.Name)
	}
	return &ParamError{d.Name, name, fmt.Sprintf("unknown parameter %q", name), fmt.Sprintf("did you mean %q? Known: %s", Nearest(name, names), strings.Join(names, ", "))}
}

func (p *Parameter) hint() string {
	switch {
	case len(p.Choices) > 0:
		return "allowed: " + strings.Join(p.Choices, ", ")
	case p.Range.String() != "":
		return "allowed: " + p.Range.String()
	}
	return ""
}

func (p *Parameter) parse(text string) (v any, present bool, err error) {
	text = strings.TrimSpace(text)
	if p.Optional {
		switch text {
		case "", "None", "null":
			return nil, false, nil
		}
	}
	switch p.Type {
	case Bool:
		b, err := parseBool(text)
		return b, true, err
	case Int:
		i, err := parseInt(text)
		if err == nil && !p.Range.Holds(float64(i)) {
			err = fmt.Errorf("%s is out of range", text)
		}
		return i, true, err
	case Float:
		f, err := parseFloat(text)
		if err == nil && !p.Range.Holds(f) {
			err = fmt.Errorf("%s is out of range", text)
		}
		return f, true, err
	case List:
		l, err := parseList(text)
		if err == nil && len(l) == 0 && p.Optional {
			return nil, false, nil
		}
		return l, true, err
	}
	if len(p.Choices) > 0 {
		for _, c := range p.Choices {
			if strings.EqualFold(c, text) {
				return c, true, nil
			}
		}
		return "", true, fmt.Errorf("%q is not allowed", text)
	}
	return text, true, nil
}

func parseBool(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "true", "1", "yes":
		return true, nil
	case "false", "0", "no":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", s)
}

// parseInt takes decimals, and floats with zero fraction ("10.0").
func parseInt(s string) (int64, error) {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, nil
	}
	f, err := parseFloat(s)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, fmt.Errorf("%q is not a whole number", s)
	}
	return int64(f), nil
}

func parseFloat(s string) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || strings.ContainsAny(s, "xXpP_") {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return f, nil
}

// parseList takes a JSON array, or items between commas; commas inside (), []
// and {} do not split, so that the pattern a{2,3} survives.
func parseList(s string) ([]string, error) {
	if strings.HasPrefix(s, "[") {
		var l []any
		if json.Unmarshal([]byte(s), &l) == nil {
			out := make([]string, len(l))
			for i := range l {
				out[i] = strings.TrimSpace(fmt.Sprint(l[i]))
			}
			return out, nil
		}
	}
	var out []string
	depth, start := 0, 0
	add := func(item string) {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		case ',':
			if depth == 0 {
				add(s[start:i])
				start = i + 1
			}
		}
	}
	add(s[min(start, len(s)):])
	return out, nil
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
