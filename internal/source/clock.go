package source

import (
	"cmp"
	"slices"
	"sort"

	"github.com/vigil-ml/vigil/internal/record"
)

// Clocks tell where the steps of a run are on other axes, at a cost that depends on
// what is asked more than on the length of the run.
type Clocks interface {
	// Closed is when steps of a worker (empty: the chief) in a mode closed, in
	// microseconds since 1970. The steps ascend. Of a step that is not stored it is
	// told from the stored ones before and after it, of any step from such as are at
	// most so many steps apart. It is nil where no time is known.
	Closed(worker string, mode record.Mode, steps []int64, apart int64) []int64
	// FirstClosed is the first step that closed at a time or later, by the same
	// clock; the one after the last where there is none.
	FirstClosed(worker string, mode record.Mode, at int64) int64
	// Stretches are the steps of the chief in a mode with their places among all
	// steps, ascending by step.
	Stretches(mode record.Mode) []StepRange
}

// Knots are when stored steps of a mode closed, in microseconds since 1970. The
// steps ascend.
type Knots struct{ Step, At []int64 }

// Add takes a step in. Where the training went back, it takes the place of what
// comes after it.
func (k *Knots) Add(step, at int64) {
	n := len(k.Step)
	for n > 0 && k.Step[n-1] >= step {
		n--
	}
	k.Step, k.At = append(k.Step[:n], step), append(k.At[:n], at)
}

// Closed is when a step closed; one next to those that are known counts as the
// nearest.
func (k *Knots) Closed(step int64) int64 {
	i, found := slices.BinarySearch(k.Step, step)
	switch {
	case found || i == 0:
		return k.At[i]
	case i == len(k.Step):
		return k.At[i-1]
	}
	return Between(k.Step[i-1], k.At[i-1], k.Step[i], k.At[i], step)
}

// First is the first step that closed at a time or later; the one after the last
// where there is none.
func (k *Knots) First(at int64) int64 {
	i, _ := slices.BinarySearch(k.At, at)
	if i == len(k.At) {
		return k.Step[i-1] + 1
	}
	if i == 0 {
		return 0
	}
	return FirstBetween(k.Step[i-1], k.At[i-1], k.Step[i], k.At[i], at)
}

// Between is when a step between two known ones closed, as if all took as long.
func Between(step, at, nextStep, nextAt, asked int64) int64 {
	return at + int64(float64(asked-step)/float64(nextStep-step)*float64(nextAt-at))
}

// FirstBetween is the first step after one, up to the next that is known, that
// closed at a time or later.
func FirstBetween(step, at, nextStep, nextAt, asked int64) int64 {
	n := int(nextStep - step)
	return step + 1 + int64(sort.Search(n-1, func(i int) bool { return Between(step, at, nextStep, nextAt, step+1+int64(i)) >= asked }))
}

// StepRange are steps of a mode with no other step between them.
type StepRange struct {
	From   int64 // mode step
	Global int64 // the first one's place among all steps
	Count  int64
}

// AddSteps takes steps into a list that ascends, in place of those that are the same.
func AddSteps(list []StepRange, s StepRange) []StepRange {
	n := len(list)
	if n == 0 {
		return append(list, s)
	}
	last := &list[n-1]
	end := last.From + last.Count
	switch {
	case s.From >= last.From && s.From <= end && s.Global-s.From == last.Global-last.From:
		last.Count = max(last.Count, s.From+s.Count-last.From)
		return list
	case s.From >= end:
		return append(list, s)
	}
	i, _ := slices.BinarySearchFunc(list, s.From+1, func(v StepRange, step int64) int { return cmp.Compare(v.From+v.Count, step) })
	rest := slices.Clone(list[i:])
	list = list[:i]
	if v := rest[0]; v.From < s.From {
		list = append(list, StepRange{v.From, v.Global, s.From - v.From})
	}
	list = append(list, s)
	for _, v := range rest {
		if skip := max(s.From+s.Count-v.From, 0); skip < v.Count {
			list = append(list, StepRange{v.From + skip, v.Global + skip, v.Count - skip})
		}
	}
	return list
}

// CutSteps leaves the steps before one.
func CutSteps(list []StepRange, below int64) []StepRange {
	i, _ := slices.BinarySearchFunc(list, below, func(v StepRange, step int64) int { return cmp.Compare(v.From, step) })
	if i == 0 || list[i-1].From+list[i-1].Count <= below {
		return list[:i:i]
	}
	out := slices.Clone(list[:i])
	out[i-1].Count = below - out[i-1].From
	return out
}
