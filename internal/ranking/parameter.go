package ranking

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Parameter is something that the runs differ in.
type Parameter struct {
	Name string `json:"name"`
	// Also are parameters that have the same value wherever this one has.
	Also   []string  `json:"also" doc:"Parameters that have the same values"`
	Values []*string `json:"values" doc:"By run, in the order of runs; null where a run does not have it"`
	// Numbers: all values are numbers.
	Numbers     bool         `json:"numbers" doc:"All values are numbers"`
	Correlation *Correlation `json:"correlation" doc:"How the metric goes with it; null where that cannot be told"`
	Groups      []ByValue    `json:"groups" doc:"The metric by value, where there are at most eight"`
}

// parameters are what the runs differ in, in the order of places.
func parameters(order []*Run, places []Place, better string) (list []Parameter, same int) {
	names := map[string]bool{}
	for _, r := range order {
		for name := range r.Parameters {
			names[name] = true
		}
	}
	alike := map[string]int{} // index by the values
	list = []Parameter{}
	for _, name := range slices.SortedFunc(maps.Keys(names), shorterFirst) {
		p := Parameter{Name: name, Also: []string{}}
		for _, r := range order {
			var value *string
			if v, ok := r.Parameters[name]; ok {
				value = &v
			}
			p.Values = append(p.Values, value)
		}
		words := spelled(p.Values)
		if len(slices.Compact(slices.Clone(words))) == 1 {
			same++
			continue
		}
		values := strings.Join(words, " ")
		if i, known := alike[values]; known {
			list[i].Also = append(list[i].Also, name)
			continue
		}
		alike[values] = len(list)
		p.correlate(places)
		p.Groups = groupsOf(p.Values, places, better)
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b Parameter) int { return cmp.Compare(b.weight(), a.weight()) })
	return list, same
}

// shorterFirst has the names of options before the longer ones that are made of them.
func shorterFirst(a, b string) int {
	return cmp.Or(cmp.Compare(strings.Count(a, " "), strings.Count(b, " ")), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// spelled are values in one way of writing numbers: 1e-3 and 0.001 are the same.
func spelled(values []*string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		if v == nil {
			continue
		}
		text := *v
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			text = strconv.FormatFloat(number, 'g', 6, 64)
		}
		out[i] = strconv.Quote(text)
	}
	return out
}

// weight orders parameters: what surely goes with the metric, what may, by the share of
// the runs that it is of, and of the others first numbers, and what most runs have.
func (p *Parameter) weight() float64 {
	have := 0.0
	for _, v := range p.Values {
		if v != nil {
			have += 1 / float64(len(p.Values))
		}
	}
	switch c := p.Correlation; {
	case c == nil:
		weight := have - 2
		if p.Numbers {
			weight += 0.5
		}
		return weight
	case c.Clear:
		return 1 + math.Abs(c.Rho)
	default:
		return math.Abs(c.Rho) * have
	}
}

// correlate compares the values that are numbers with the metric, in the runs that can be trusted.
func (p *Parameter) correlate(places []Place) {
	var x, y []float64
	p.Numbers = true
	for i, v := range p.Values {
		if v == nil {
			continue
		}
		number, err := strconv.ParseFloat(*v, 64)
		if err != nil || !finite(number) {
			p.Numbers = false
			return
		}
		if places[i].trusted() {
			x, y = append(x, number), append(y, float64(places[i].Value))
		}
	}
	p.Correlation = correlationOf(x, y)
}
