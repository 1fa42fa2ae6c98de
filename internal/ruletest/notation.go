package ruletest

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// maxPoints bounds what one file may expand to.
const maxPoints = 1_000_000

// run is values in a row: n of them, the first one and then each growth more
// than the one before; missing ones leave their steps out.
type run struct {
	first, growth float64
	missing       bool
	n             int
}

// points are numbers, kept as short as they were written.
type points struct {
	runs []run
	n    int
}

// each calls do with every value that is not missing.
func (p *points) each(do func(i int64, x float64)) {
	at := int64(0)
	for _, r := range p.runs {
		for k := range r.n {
			x := r.first
			if r.growth != 0 {
				x += float64(k) * r.growth
			}
			if !r.missing {
				do(at, x)
			}
			at++
		}
	}
}

func (p *points) add(r run) error {
	p.runs = append(p.runs, r)
	if p.n += r.n; p.n > maxPoints {
		return fmt.Errorf("there are more than %d values", maxPoints)
	}
	return nil
}

// UnmarshalYAML takes a number, a list, or a text in the short notation. It
// goes by what is written: 0x3 is four zeros here, not the number three.
func (p *points) UnmarshalYAML(n ast.Node) error {
	switch m := n.(type) {
	case *ast.SequenceNode:
		for _, item := range m.Values {
			if err := p.UnmarshalYAML(item); err != nil {
				return err
			}
		}
		return nil
	case *ast.StringNode:
		return p.parse(m.Value)
	case *ast.LiteralNode:
		if m.Value != nil {
			return p.parse(m.Value.Value)
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		if t := m.GetToken(); t != nil {
			return p.parse(t.Value)
		}
	}
	return fmt.Errorf("values must be numbers or a text such as \"1 2+0.5x3 _ NaN\"")
}

// parse reads the short notation: numbers between blanks. AxN is A and N more
// of it, A+BxN is A and N more, each B greater than the one before, and _
// leaves a step out.
func (p *points) parse(text string) error {
	for _, word := range strings.Fields(text) {
		r, err := parseWord(word)
		if err == nil {
			err = p.add(r)
		}
		if err != nil {
			return fmt.Errorf("read values %q: %w", word, err)
		}
	}
	return nil
}

func parseWord(word string) (run, error) {
	head, times, repeated := strings.Cut(word, "x")
	n := 0
	if repeated {
		var err error
		if n, err = strconv.Atoi(times); err != nil || n < 0 || n >= maxPoints {
			return run{}, fmt.Errorf("after x comes how many more values, less than %d", maxPoints)
		}
	}
	if head == "_" { // _x3 leaves out three
		return run{missing: true, n: max(n, 1)}, nil
	}
	r := run{n: n + 1}
	a, b := head, ""
	if repeated {
		a, b = splitGrowth(head)
	}
	var err error
	if r.first, err = number(a); err == nil && b != "" {
		r.growth, err = number(b)
	}
	return r, err
}

// splitGrowth parts 1+0.5 at a sign that is neither the first nor an exponent's.
func splitGrowth(s string) (value, growth string) {
	for i := 1; i < len(s); i++ {
		if (s[i] == '+' || s[i] == '-') && s[i-1] != 'e' && s[i-1] != 'E' {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

func number(s string) (float64, error) {
	switch s {
	case "NaN", ".nan":
		return math.NaN(), nil
	case "Inf", "+Inf", ".inf":
		return math.Inf(1), nil
	case "-Inf", "-.inf":
		return math.Inf(-1), nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(s, "xXpP_") {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return x, nil
}

// row is a tensor at one step, or at several.
type row struct {
	Values points `yaml:"values"`
	Times  int    `yaml:"times"`
}

// UnmarshalYAML takes the elements, or {values, times}.
func (r *row) UnmarshalYAML(n ast.Node) error {
	r.Times = 1
	var keys []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		keys = m.Values
	case *ast.MappingValueNode:
		keys = []*ast.MappingValueNode{m}
	default:
		return r.Values.UnmarshalYAML(n)
	}
	for _, k := range keys {
		switch name := k.Key.String(); name {
		case "values":
			if err := r.Values.UnmarshalYAML(k.Value); err != nil {
				return err
			}
		case "times":
			n, err := strconv.Atoi(k.Value.String())
			if err != nil || n < 1 || n > maxPoints {
				return fmt.Errorf("times must be a number from 1 to %d", maxPoints)
			}
			r.Times = n
		default:
			return fmt.Errorf("unknown key %q of a row: known are values, times", name)
		}
	}
	return nil
}
