package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// labelFacts is what the hook read of the labels that a loss got.
type labelFacts struct {
	Loss     string           `json:"loss"`
	DType    string           `json:"dtype"`
	Shape    []int64          `json:"shape"`
	Range    []float64        `json:"range"`
	Counts   map[string]int64 `json:"counts"`
	Distinct int              `json:"distinct"`
}

// shownClasses is how many classes are listed with their counts.
const shownClasses = 10

// labelsText says in a line what a run's facts tell of labels: "" when they
// tell nothing.
func labelsText(facts json.RawMessage) string {
	var f struct {
		Labels *labelFacts `json:"labels"`
	}
	if json.Unmarshal(facts, &f) != nil || f.Labels == nil {
		return ""
	}
	l := f.Labels
	s := fmt.Sprintf("%s %v", l.DType, l.Shape)
	if len(l.Range) == 2 {
		s += fmt.Sprintf(", from %g to %g", l.Range[0], l.Range[1])
	}
	if l.Distinct > 0 {
		s += fmt.Sprintf(", %d different", l.Distinct)
	}
	if n := len(l.Counts); n > 0 && n <= shownClasses {
		s += ": " + countsText(l.Counts)
	}
	if l.Loss != "" {
		s += ", given to " + l.Loss
	}
	return s
}

// countsText lists classes in the order of their numbers.
func countsText(counts map[string]int64) string {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, _ := strconv.ParseInt(a, 10, 64)
		y, _ := strconv.ParseInt(b, 10, 64)
		return int(max(-1, min(1, x-y)))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s × %d", name, counts[name])
	}
	return strings.Join(names, ", ")
}
