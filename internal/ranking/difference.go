package ranking

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// fewDifferences is the most parameters in which two runs differ that are set side by side.
const fewDifferences = 3

// difference says in what the best run differs from the one of the others that it
// differs from least, and notes the parameter where that is one alone. What a training
// shows of its options does not count next to these.
func (a *Answer) difference() string {
	best := slices.IndexFunc(a.Runs, func(p Place) bool { return p.Rank == 1 })
	if best < 0 {
		return ""
	}
	set := slices.DeleteFunc(slices.Clone(a.Parameters), func(p Parameter) bool { return p.shown() })
	if len(set) == 0 {
		set = a.Parameters
	}
	var nearest *Place
	var in []*Parameter
	least := 0
	for i := range a.Runs {
		if a.Runs[i].Rank <= 1 {
			continue
		}
		var differ []*Parameter
		n := 0
		for k := range set {
			if words := spelled([]*string{set[k].Values[best], set[k].Values[i]}); words[0] != words[1] {
				differ, n = append(differ, &set[k]), n+len(set[k].given())
			}
		}
		if n > 0 && (nearest == nil || n < least) {
			nearest, in, least = &a.Runs[i], differ, n
		}
	}
	if nearest == nil || least > fewDifferences {
		return ""
	}
	if least == 1 {
		a.Decisive = in[0].Name
	}
	var parts []string
	at := slices.IndexFunc(a.Runs, func(p Place) bool { return p.Name == nearest.Name })
	for _, p := range in {
		parts = append(parts, fmt.Sprintf("%s (%s for %s)", strings.Join(p.given(), " and "), written(p.Values[best]), written(p.Values[at])))
	}
	return fmt.Sprintf("It differs from %s, which has %s, only in %s.", nearest.Name, record.Digits(float64(nearest.Value)), strings.Join(parts, ", "))
}

// given are the names of a parameter without those that a training shows of itself.
func (p *Parameter) given() []string {
	names := []string{p.Name}
	for _, name := range p.Also {
		if other := (Parameter{Name: name}); !other.shown() {
			names = append(names, name)
		}
	}
	return names
}

func written(value *string) string {
	if value == nil {
		return "not given"
	}
	return *value
}
