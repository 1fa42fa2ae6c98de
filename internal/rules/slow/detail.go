package slow

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// fewSamples is how many samples a window of detail must have before a line of it
// is named.
const fewSamples = 200

// Detail is what the windows of stack samples show, all together.
type Detail struct {
	Samples int64             `json:"samples"`
	Seconds float64           `json:"seconds"`
	Stacks  []rule.StackShare `json:"stacks"`
}

// mostStacks is how many stacks are kept.
const mostStacks = 600

func (d *Detail) take(more *rule.StackDetail) {
	d.Samples += more.Samples
	d.Seconds += more.Seconds
	d.Stacks = append(d.Stacks, more.Stacks...)
	slices.SortStableFunc(d.Stacks, func(a, b rule.StackShare) int { return cmp.Compare(b.Seconds, a.Seconds) })
	d.Stacks = d.Stacks[:min(len(d.Stacks), mostStacks)]
}

// Enough reports whether lines may be named.
func (d *Detail) Enough() bool { return d != nil && d.Samples >= fewSamples }

// Line is what one line of the user's code takes, with all that it calls.
type Line struct {
	rule.Frame
	Seconds float64
	Share   float64 // of what was asked about
	// Calls are the functions of libraries that the time goes to, the heaviest
	// first, as "module.function".
	Calls []string
}

// Lines are the lines of the user's code that the time of stacks goes to: of each
// stack the innermost one. keep says which stacks count; the share is of these.
func (d *Detail) Lines(keep func(*rule.StackShare) bool) []Line {
	return d.linesFrom(keep, func(*rule.StackShare) int { return 0 })
}

// linesFrom looks for the line in each stack from a call outwards.
func (d *Detail) linesFrom(keep func(*rule.StackShare) bool, from func(*rule.StackShare) int) []Line {
	if d == nil {
		return nil
	}
	at := map[rule.Frame]int{}
	calls := map[rule.Frame]map[string]float64{}
	var out []Line
	var all float64
	for i := range d.Stacks {
		s := &d.Stacks[i]
		if !keep(s) {
			continue
		}
		all += s.Seconds
		begin := from(s)
		n := slices.IndexFunc(s.Frames[begin:], func(f rule.Frame) bool { return !rule.Library(f.File) })
		if n < 0 {
			continue
		}
		n += begin
		f := s.Frames[n]
		if _, ok := at[f]; !ok {
			at[f] = len(out)
			calls[f] = map[string]float64{}
			out = append(out, Line{Frame: f})
		}
		out[at[f]].Seconds += s.Seconds
		switch {
		case n > 0:
			calls[f][s.Frames[n-1].Function] += s.Seconds
		case s.Call != "":
			calls[f][s.Call] += s.Seconds
		}
	}
	for i := range out {
		if all > 0 {
			out[i].Share = out[i].Seconds / all
		}
		of := calls[out[i].Frame]
		for name := range of {
			out[i].Calls = append(out[i].Calls, name)
		}
		slices.SortFunc(out[i].Calls, func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	}
	slices.SortStableFunc(out, func(a, b Line) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return out
}

// seconds is the time of the stacks that keep says.
func (d *Detail) seconds(keep func(*rule.StackShare) bool) (sum float64) {
	for i := range d.Stacks {
		if keep(&d.Stacks[i]) {
			sum += d.Stacks[i].Seconds
		}
	}
	return sum
}

// ShareOf is the share of the main thread's time in which a stack is as keep says.
func (d *Detail) ShareOf(keep func(*rule.StackShare) bool) float64 {
	if d == nil || d.Seconds == 0 {
		return 0
	}
	var sum float64
	for i := range d.Stacks {
		if d.Stacks[i].Thread == "main" && keep(&d.Stacks[i]) {
			sum += d.Stacks[i].Seconds
		}
	}
	return min(1, sum/d.Seconds)
}

// In reports whether a stack is in a function of a file: file is the end of its path,
// such as "torch/serialization.py"; an empty function is any.
func In(s *rule.StackShare, file, function string) bool {
	return slices.ContainsFunc(s.Frames, func(f rule.Frame) bool {
		return strings.HasSuffix(f.File, file) && (function == "" || lastName(f.Function) == function)
	})
}

// lastName is a function's name without the classes and functions that it is in.
func lastName(function string) string { return function[strings.LastIndexByte(function, '.')+1:] }
