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
	for _, p := range filled(names, order) {
		words := spelled(p.Values)
		if len(slices.Compact(slices.Clone(words))) == 1 {
			same++
			continue
		}
		values := strings.Join(words, " ")
		if i, known := alike[values]; known {
			list[i].Also = append(append(list[i].Also, p.Name), p.Also...)
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

// filled are the parameters by name. An option that some runs were not given has there
// the value that the training shows under another name, where the two agree in all runs
// that were given it: a batch-size of 16 in one of them, and a batch size of 64 in the others.
func filled(names map[string]bool, order []*Run) (list []Parameter) {
	for _, name := range slices.SortedFunc(maps.Keys(names), shorterFirst) {
		p := Parameter{Name: name, Also: []string{}}
		for _, r := range order {
			var value *string
			if v, ok := r.Parameters[name]; ok {
				value = &v
			}
			p.Values = append(p.Values, value)
		}
		list = append(list, p)
	}
	shown := map[string]bool{}
	for i := range list {
		p := &list[i]
		if !slices.Contains(p.Values, nil) {
			continue
		}
		for k := range list {
			of := &list[k]
			if k == i || shown[of.Name] || len(of.Also) > 0 || !related(p.Name, of.Name) || !agree(p.Values, of.Values) {
				continue
			}
			p.fill(of.Values)
			p.Also = append(p.Also, of.Name)
			shown[of.Name] = true
		}
	}
	return slices.DeleteFunc(list, func(p Parameter) bool { return shown[p.Name] })
}

// fill takes over the values of runs that have none, spelled as those that are there.
func (p *Parameter) fill(from []*string) {
	own := map[string]*string{}
	for i, word := range spelled(p.Values) {
		if word != "" {
			own[word] = p.Values[i]
		}
	}
	for i, word := range spelled(from) {
		if p.Values[i] == nil && word != "" {
			p.Values[i] = cmp.Or(own[word], from[i])
		}
	}
}

// agree reports whether two parameters have the same value in the runs that have the
// first, and the second has values that the first has not.
func agree(p, of []*string) bool {
	a, b := spelled(p), spelled(of)
	both, more := false, false
	for i := range a {
		switch {
		case a[i] == "":
			more = more || b[i] != ""
		case a[i] != b[i]:
			return false
		default:
			both = true
		}
	}
	return both && more
}

// related reports whether two names have the same words, but for the part of the
// training that one of them begins with: weight-decay and optimiser weight decay.
func related(a, b string) bool { return slices.Equal(wordsOf(a), wordsOf(b)) }

// partsOfTraining begin the names of what a training shows.
var partsOfTraining = []string{"optimiser", "model", "loss", "xgboost"}

func wordsOf(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	for i, w := range words {
		if w == "optimizer" {
			words[i] = "optimiser"
		}
	}
	if len(words) > 1 && slices.Contains(partsOfTraining, words[0]) {
		words = words[1:]
	}
	return words
}

// shorterFirst has the names of options before the longer ones that are made of them.
func shorterFirst(a, b string) int {
	return cmp.Or(cmp.Compare(strings.Count(a, " "), strings.Count(b, " ")), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// spelled are values in one way of writing numbers and words: 1e-3 and 0.001 are the same.
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
		out[i] = strconv.Quote(strings.ToLower(text))
	}
	return out
}

// weight orders parameters: what surely goes with the metric, then by how much it goes with
// it and in how many runs it differs from what most of them have; of what shows no
// correlation first numbers. What a training shows comes after what it was given.
func (p *Parameter) weight() float64 {
	differ := p.differ()
	if p.shown() {
		differ /= 2
	}
	switch c := p.Correlation; {
	case c == nil && p.Numbers:
		return differ - 1
	case c == nil:
		return differ - 2
	case c.Clear:
		return 1 + math.Abs(c.Rho)
	default:
		return math.Abs(c.Rho) * differ
	}
}

// shown reports whether a training shows it of itself: it was not given, but follows.
func (p *Parameter) shown() bool {
	head, _, more := strings.Cut(p.Name, " ")
	return p.Name == "input" || p.Name == "optimiser" || more && slices.Contains(append(partsOfTraining, "input"), head)
}

// differ is the share of the runs that do not have the value that most of them have.
func (p *Parameter) differ() float64 {
	n, most := map[string]int{}, 0
	for _, word := range spelled(p.Values) {
		n[word]++
		most = max(most, n[word])
	}
	return 1 - float64(most)/float64(max(len(p.Values), 1))
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
