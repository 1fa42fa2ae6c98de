package main

import (
	"regexp"
	"slices"
	"strings"
)

var (
	number  = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?`)
	timeish = regexp.MustCompile(`(?i)[0-9]{1,4}[-:/][0-9]{2}[-:][0-9]{2}(?:[.,][0-9]+)?|[0-9]{1,3}:[0-9]{2}\b|mfu -?[0-9.]+%|0x[0-9a-f]+|[0-9.]+ *(?:ms|us|µs|s|sec|secs|seconds|min|it/s|s/it)(?:/[a-z]+)?\b`)
	newline = regexp.MustCompile(`[\r\n]+`)
)

// lines of a text, empty ones and the redrawn ones of progress bars apart.
func lines(text string) []string {
	out := newline.Split(text, -1)
	return slices.DeleteFunc(out, func(l string) bool {
		return strings.TrimSpace(l) == "" || strings.Contains(l, "it/s]") || strings.Contains(l, "s/it]") || strings.Contains(l, "?it")
	})
}

// shape is a line without its numbers.
func shape(line string) string { return number.ReplaceAllString(line, "#") }

func shapes(all []string) []string {
	out := make([]string, len(all))
	for i, line := range all {
		out[i] = shape(line)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// withoutVigil takes what vigil run says itself out of a standard error: lines that name it, and what is indented below.
func withoutVigil(text string) string {
	var out []string
	below := false
	for _, line := range strings.Split(text, "\n") {
		below = strings.HasPrefix(line, "vigil: ") || below && strings.HasPrefix(line, "  ")
		if !below {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// text compares a text as closely as two bare runs agree: line by line, in any order, or by its kinds of lines. Times
// do not count, and numbers that differ between the bare runs do not either in lines of the same shape.
func (r *Report) text(what, one, two, vigil string) {
	a, b, v := lines(one), lines(two), lines(vigil)
	for _, side := range [][]string{a, b, v} {
		for i, line := range side {
			side[i] = timeish.ReplaceAllString(line, "TIME")
		}
	}
	loose := unsteady(a, b)
	if len(loose) > 0 {
		r.Unsteady = append(r.Unsteady, what)
	}
	a, b, v = masked(a, loose), masked(b, loose), masked(v, loose)
	if !slices.Equal(a, b) {
		slices.Sort(a)
		slices.Sort(b)
		slices.Sort(v)
	}
	if !slices.Equal(a, b) {
		a, b, v = shapes(a), shapes(b), shapes(v)
		if extra := without(without(v, a), b); len(extra) > 0 {
			r.differs("%s: lines like %q", what, extra[0])
		}
		return
	}
	if slices.Equal(a, v) {
		return
	}
	for i := range max(len(a), len(v)) {
		if i >= len(a) || i >= len(v) || a[i] != v[i] {
			r.differs("%s: line %d of %d is %q, bare %q (of %d)", what, i+1, len(v), at(v, i), at(a, i), len(a))
			return
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// unsteady finds the numbers that differ between two bare runs: shape of a line -> places of them in it.
func unsteady(a, b []string) map[string]map[int]bool {
	out := map[string]map[int]bool{}
	if len(a) != len(b) {
		return out
	}
	for i := range a {
		s := shape(a[i])
		if a[i] == b[i] || s != shape(b[i]) {
			continue
		}
		x, y := number.FindAllString(a[i], -1), number.FindAllString(b[i], -1)
		for j := range x {
			if x[j] != y[j] {
				if out[s] == nil {
					out[s] = map[int]bool{}
				}
				out[s][j] = true
			}
		}
	}
	return out
}

// masked gives the lines with a question mark for each number that is not steady.
func masked(all []string, loose map[string]map[int]bool) []string {
	out := slices.Clone(all)
	for i, line := range all {
		if places := loose[shape(line)]; places != nil {
			n := -1
			out[i] = number.ReplaceAllStringFunc(line, func(s string) string {
				if n++; places[n] {
					return "?"
				}
				return s
			})
		}
	}
	return out
}
