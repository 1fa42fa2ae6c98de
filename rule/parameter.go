package rule

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Type of a parameter's values.
type Type string

// Types of parameters.
const (
	Bool   Type = "bool"
	Int    Type = "int"
	Float  Type = "float"
	String Type = "string"
	List   Type = "list" // of strings
)

// Parameter is one setting of a rule. On the wire every value is a string.
type Parameter struct {
	Name    string
	Type    Type
	Default string // as a user would write it
	// Optional parameters may be absent: "", "None" or "null".
	Optional bool
	Range    Range    // of numbers; the zero Range allows all
	Choices  []string // of strings; empty allows all
	Unit     string
	Meaning  string
	// Aliases are accepted in its place; Formerly are names that were
	// never right but stand in old examples: refused, with a hint.
	Aliases  []string
	Formerly []string
	// Numbered is a prefix under which items of a list may be given one by
	// one: other_trial_0, other_trial_1.
	Numbered string
}

// Range is an interval of numbers.
type Range struct {
	set              bool
	min, max         float64
	minOpen, maxOpen bool
}

// Above allows x > min.
func Above(min float64) Range { return Range{true, min, math.Inf(1), true, true} }

// AtLeast allows x >= min.
func AtLeast(min float64) Range { return Range{true, min, math.Inf(1), false, true} }

// Between allows min <= x <= max.
func Between(min, max float64) Range { return Range{true, min, max, false, false} }

// OpenMin takes the lower limit out.
func (r Range) OpenMin() Range { r.minOpen = true; return r }

// OpenMax takes the upper limit out.
func (r Range) OpenMax() Range { r.maxOpen = true; return r }

// Holds reports whether x lies in the range.
func (r Range) Holds(x float64) bool {
	if !r.set {
		return true
	}
	if x < r.min || (r.minOpen && x == r.min) {
		return false
	}
	return x < r.max || (!r.maxOpen && x == r.max)
}

// String spells the range for a person: "> 0", "0 < x <= 100"; "" when it
// allows all.
func (r Range) String() string {
	if !r.set {
		return ""
	}
	lo, hi := "<=", "<="
	if r.minOpen {
		lo = "<"
	}
	if r.maxOpen {
		hi = "<"
	}
	switch {
	case math.IsInf(r.max, 1) && r.minOpen:
		return "> " + short(r.min)
	case math.IsInf(r.max, 1):
		return ">= " + short(r.min)
	}
	return fmt.Sprintf("%s %s x %s %s", short(r.min), lo, hi, short(r.max))
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Common are the parameters that every rule on tensors accepts.
var Common = []Parameter{
	{Name: "start_step", Type: Int, Default: "0", Range: AtLeast(0), Unit: "global steps", Meaning: "first step to judge"},
	{Name: "end_step", Type: Int, Optional: true, Range: AtLeast(0), Unit: "global steps", Meaning: "first step not to judge any more"},
	{Name: "workers", Type: List, Default: "all", Meaning: "whose data to inspect: all, chief, or names of workers"},
	{Name: "on_fire", Type: String, Default: "continue", Choices: []string{"continue", "stop"}, Meaning: "whether the rule goes on after its first finding"},
	{Name: "max_findings", Type: Int, Default: "1000", Range: AtLeast(1), Meaning: "most findings that are stored; counters go on"},
}

// AllParameters are the definition's own parameters and the common ones that
// it does not redefine.
func (d *Definition) AllParameters() []Parameter {
	all := append([]Parameter(nil), d.Parameters...)
	for _, c := range Common {
		if _, own := find(d.Parameters, c.Name); !own {
			all = append(all, c)
		}
	}
	return all
}

// numbered reports whether name is prefix and a number.
func numbered(name, prefix string) bool {
	digits, ok := strings.CutPrefix(name, prefix)
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

func find(ps []Parameter, name string) (Parameter, bool) {
	for _, p := range ps {
		if p.Name == name {
			return p, true
		}
		for _, a := range p.Aliases {
			if a == name {
				return p, true
			}
		}
		if p.Numbered != "" && numbered(name, p.Numbered) {
			return p, true
		}
	}
	return Parameter{}, false
}
