package rule

import "strings"

// Spellings are all the names that find the definition: its name, its class
// name, the class name in lower case, and its aliases.
func (d *Definition) Spellings() []string {
	return append([]string{d.Name, d.Class, strings.ToLower(d.Class)}, d.Aliases...)
}

// Spec is what to write after --rule to run the rule: its name, and the
// parameters of its example where its defaults do not suffice.
func (d *Definition) Spec() string {
	s := d.Name
	for i, k := range sortedKeys(d.Example) {
		sep := ","
		if i == 0 {
			sep = ":"
		}
		s += sep + k + "=" + d.Example[k]
	}
	return s
}

// Find gives the definition that answers to a name.
func Find(defs []*Definition, name string) (*Definition, bool) {
	name = strings.TrimSpace(name)
	for _, d := range defs {
		for _, s := range d.Spellings() {
			if s == name {
				return d, true
			}
		}
	}
	return nil, false
}

// Nearest gives the candidate that is most like the word: of those that it
// begins or that begin it, or else of all, the one with the least edits. It is
// "" only without candidates.
func Nearest(word string, candidates []string) string {
	const other = 1 << 20 // more than any edits
	best, cost := "", 1<<30
	for _, c := range candidates {
		d := distance(strings.ToLower(word), strings.ToLower(c))
		if word == "" || !strings.HasPrefix(c, word) && !strings.HasPrefix(word, c) {
			d += other
		}
		if d < cost {
			best, cost = c, d
		}
	}
	return best
}

// distance is Levenshtein's.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			c := diag
			if a[i-1] != b[j-1] {
				c++
			}
			diag = row[j]
			row[j] = min(c, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
