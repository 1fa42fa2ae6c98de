// Package pyrule makes rules of Python classes. Each runs in a process of its
// own that is fed the complete steps; what it does wrong (it cannot be loaded,
// raises, ends, hangs, takes too much memory, says too much) is its own status
// Error and nobody else's affair.
package pyrule

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/pyre"
	"github.com/vigil-ml/vigil/rule"
)

// Key is the parameter that makes a configuration a Python class.
const Key = "source"

// parameters are those of every rule in Python. The class may have others.
var parameters = []rule.Parameter{
	{Name: Key, Type: rule.String, Meaning: "the Python file that holds the class"},
	{Name: "class", Type: rule.String, Optional: true, Meaning: "the class; if left out, the rule's name in CamelCase (loss_above is LossAbove)"},
	{Name: "python", Type: rule.String, Optional: true, Meaning: "the interpreter; if left out, that of the training"},
	{Name: "collection_names", Type: rule.List, Optional: true, Meaning: "collections that it reads: they are captured, and nothing else is shown to it"},
	{Name: "tensor_regex", Type: rule.List, Optional: true, Meaning: "patterns for names that it reads, besides those of collection_names; without either it sees what is captured anyway"},
	{Name: "raw", Type: rule.List, Optional: true, Meaning: "patterns for names whose values it reads: they are stored; true: those of all that it reads"},
	{Name: "computed", Type: rule.List, Optional: true, Meaning: "median, prod or both, where it reads them of what it names: they are computed at capture"},
	{Name: "every", Type: rule.Int, Default: "0", Range: rule.AtLeast(0), Unit: "mode steps", Meaning: "interval at which what it reads is captured; 0: as the overhead budget allows"},
	{Name: "max_seconds", Type: rule.Float, Default: "30", Range: rule.Above(0), Unit: "seconds", Meaning: "longest that one step may take it"},
	{Name: "max_memory", Type: rule.String, Default: "2GB", Meaning: "most memory that it may have, besides that of the interpreter and numpy"},
	{Name: "other_trials", Type: rule.List, Optional: true, Numbered: "other_trial_", Meaning: "other runs, by name or path, which the class gets as other_trials"},
	{Name: "severity", Type: rule.String, Default: string(rule.Warning), Choices: []string{string(rule.Error), string(rule.Warning), string(rule.Info)}, Meaning: "of findings that do not say theirs"},
	{Name: "cause_class", Type: rule.String, Default: "unknown", Choices: rule.CauseClasses, Meaning: "kind of the likeliest cause, of findings that do not say theirs"},
	{Name: "cause", Type: rule.String, Optional: true, Meaning: "the likeliest cause in words"},
	{Name: "remedy", Type: rule.String, Optional: true, Meaning: "what to try first"},
}

// Parameters are the names of the parameters that every rule in Python takes.
func Parameters() []string {
	var out []string
	for _, p := range (&rule.Definition{Parameters: parameters}).AllParameters() {
		out = append(out, p.Name)
	}
	return out
}

// Is reports whether a configuration is a Python class.
func Is(params map[string]string) bool {
	_, ok := params[Key]
	return ok
}

var (
	goodName  = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	goodClass = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,199}$`)
)

// Define makes a definition of a Python class: its own parameters are its
// defaults. Nothing of the file is read yet. The error is a *rule.ParamError.
func Define(name string, params map[string]string) (*rule.Definition, error) {
	wrong := func(what, hint, format string, args ...any) error {
		return &rule.ParamError{Rule: name, What: what, Message: fmt.Sprintf(format, args...), Hint: hint}
	}
	if !goodName.MatchString(name) {
		return nil, wrong("rule", "use small letters, digits and _, beginning with a letter", "%q cannot be the name of a rule", name)
	}
	d := &rule.Definition{
		Name: name, Family: rule.Tensors, CauseClass: "unknown", Why: "It was written for this training.",
		Parameters: slices.Concat(parameters, own(params)),
	}
	p, err := d.Parse(params)
	if err != nil {
		return nil, err
	}
	for i := range d.Parameters {
		if q := &d.Parameters[i]; p.Given(q.Name) && p.Has(q.Name) {
			q.Default = p.Texts()[q.Name]
		}
	}
	if p.String(Key) == "" {
		return nil, wrong(Key, "name the Python file that holds the class", "the parameter %q is empty", Key)
	}
	d.Class = p.String("class")
	if d.Class == "" {
		d.Class = camel(name)
	}
	if !goodClass.MatchString(d.Class) {
		return nil, wrong("class", "", "%q cannot be the name of a class", d.Class)
	}
	for _, q := range own(params) {
		if !goodClass.MatchString(q.Name) {
			return nil, wrong(q.Name, "", "%q cannot be the name of a parameter", q.Name)
		}
	}
	for _, list := range []string{"tensor_regex", "raw"} {
		for _, pattern := range p.List(list) {
			if _, err := pyre.Compile(pattern); err != nil {
				return nil, wrong(list, "", "parameter %q: %v", list, err)
			}
		}
	}
	if all(p) && len(p.List("collection_names"))+len(p.List("tensor_regex")) == 0 {
		return nil, wrong("raw", "name them by tensor_regex or collection_names, or give patterns: raw: ['^fc\\.weight$']", "raw is %s, but what the rule reads is not given", p.Texts()["raw"])
	}
	for _, what := range p.List("computed") {
		if _, known := computed[what]; !known {
			return nil, wrong("computed", "write median, prod or both", "parameter %q: %q is not computed at capture", "computed", what)
		}
	}
	if p.Has("computed") && len(p.List("collection_names"))+len(p.List("tensor_regex")) == 0 {
		return nil, wrong("computed", "name them by tensor_regex or collection_names", "computed is %s, but what the rule reads is not given", p.Texts()["computed"])
	}
	memory, err := parseSize(p.String("max_memory"))
	if err != nil {
		return nil, wrong("max_memory", "write for example 2GB or 512MB", "parameter %q: %v", "max_memory", err)
	}
	d.Severity, d.CauseClass = rule.Severity(p.String("severity")), p.String("cause_class")
	d.Summary = fmt.Sprintf("The class %s of %s says so.", d.Class, filepath.Base(p.String(Key)))
	if p.Has("cause") {
		d.Causes = []string{p.String("cause")}
	}
	if p.Has("remedy") {
		d.Remedies = []string{p.String("remedy")}
	}
	d.Needs = needs
	d.New = func(p rule.Params) (rule.Rule, error) {
		if err := readable(p.String(Key)); err != nil {
			return nil, wrong(Key, "name the Python file that holds the class", "%v", err)
		}
		return newRule(d, p, memory, own(params)), nil
	}
	return d, nil
}

// own are the parameters that belong to the class.
func own(params map[string]string) (out []rule.Parameter) {
	known := Parameters()
	for _, name := range slices.Sorted(maps.Keys(params)) {
		ignored := name == "base_trial" || name == "action_json" || strings.HasPrefix(name, "other_trial_")
		if !slices.Contains(known, name) && !ignored {
			out = append(out, rule.Parameter{Name: name, Type: rule.String, Default: params[name], Meaning: "of the class"})
		}
	}
	return out
}

func readable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("read the source of the rule: %w", err)
	}
	if info.IsDir() {
		return fmt.Errorf("read the source of the rule: %q is a directory", path)
	}
	return nil
}

// all reports whether the values of all that the rule reads are to be stored.
func all(p rule.Params) bool {
	list := p.List("raw")
	return len(list) == 1 && (strings.EqualFold(list[0], "true") || strings.EqualFold(list[0], "yes"))
}

// reads is what the rule looks at: what it names, or everything.
func reads(p rule.Params) rule.Selector {
	s := rule.Selector{Collections: p.List("collection_names"), Regex: p.List("tensor_regex")}
	if len(s.Collections)+len(s.Regex) == 0 {
		return rule.Everything()
	}
	if !all(p) {
		s.Regex = slices.Concat(s.Regex, stored(p))
	}
	return s
}

// stored are the patterns of what it reads the values of.
func stored(p rule.Params) []string {
	if list := p.List("raw"); len(list) != 1 || !strings.EqualFold(list[0], "false") && !strings.EqualFold(list[0], "no") {
		return list
	}
	return nil
}

// computed are the values of the parameter of this name.
var computed = map[string]rule.Want{"median": rule.WantMedian, "prod": rule.WantProd}

// needs is what has to be captured. A rule that names nothing sees what is
// captured anyway.
func needs(p rule.Params) (out []rule.Need) {
	schedule := rule.AllModes(p.Int("every"))
	s := rule.Selector{Collections: p.List("collection_names"), Regex: p.List("tensor_regex")}
	if len(s.Collections)+len(s.Regex) > 0 {
		n := rule.Need{Selector: s, Schedule: schedule, Want: rule.WantStats}
		if all(p) {
			n.Want |= rule.WantRaw
		}
		for _, what := range p.List("computed") {
			n.Want |= computed[what]
		}
		out = append(out, n)
	}
	if list := stored(p); len(list) > 0 && !all(p) {
		out = append(out, rule.Need{Selector: rule.Selector{Regex: list}, Schedule: schedule, Want: rule.WantStats | rule.WantRaw})
	}
	return out
}

// seconds is the longest that one step may take.
func seconds(p rule.Params) time.Duration {
	return time.Duration(min(p.Float("max_seconds"), 1e6) * float64(time.Second))
}

// parseSize reads a number of bytes: 512MB, 2GB, 1.5GiB.
func parseSize(text string) (int64, error) {
	number := strings.TrimRight(text, "KMGTiBkmgtb ")
	unit := strings.ToUpper(strings.TrimSpace(text[len(number):]))
	factors := map[string]float64{"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}
	n, err := strconv.ParseFloat(number, 64)
	factor, known := factors[unit]
	if err != nil || !known || !(n > 0) || n*factor >= math.MaxInt64/2 {
		return 0, fmt.Errorf("%q is not a size", text)
	}
	if n*factor < 1e6 {
		return 0, fmt.Errorf("%q is less than 1MB", text)
	}
	return int64(n * factor), nil
}

// camel makes a class name of a name: loss_above is LossAbove.
func camel(name string) string {
	var b strings.Builder
	for _, part := range strings.Split(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}
