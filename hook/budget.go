package hook

import (
	"slices"
	"time"
)

// budget measures what the hook costs and chooses the interval of the
// schedules that leave it to the budget.
type budget struct {
	share    float64 // of the step time
	interval int64

	captured, stepped time.Duration // in all
	recent            [32]time.Duration
	n                 int
	due               []float64 // seconds of the last due steps
}

const (
	firstInterval = 10
	lastDue       = 7 // due steps that the cost of the next one is told from
)

// auto is the interval now. Until the first due step was measured it is a
// cautious one; step 0 is due in any case.
func (b *budget) auto() int64 {
	if b.interval == 0 {
		return firstInterval
	}
	return b.interval
}

// step takes the length and the cost of a step in which auto values were due
// or not, and chooses again.
func (b *budget) step(length, cost time.Duration, due bool) {
	b.captured += cost
	b.stepped += length
	b.recent[b.n%len(b.recent)] = length
	b.n++
	if due {
		b.due = append(b.due[max(0, len(b.due)-lastDue+1):], cost.Seconds())
	}
	if len(b.due) > 0 && (due || b.n%16 == 0) {
		b.interval = interval(b.dueCost(), b.median().Seconds(), b.share)
	}
}

// dueCost is what the next due step will cost: what the cheaper half of the last
// ones says. The dearer ones touched memory for the first time, or lost the
// processor to others meanwhile, which a busy machine does to every part of a
// training.
func (b *budget) dueCost() float64 {
	s := slices.Sorted(slices.Values(b.due))
	half := s[:(len(s)+1)/2]
	return half[len(half)/2]
}

// median is the middle length of the recent steps, 0 before the first.
func (b *budget) median() time.Duration {
	n := min(b.n, len(b.recent))
	if n == 0 {
		return 0
	}
	s := slices.Clone(b.recent[:n])
	slices.Sort(s)
	return s[n/2]
}

// interval is the smallest of 1, 2, 5, 10, 20, 50, … at which a cost every
// interval steps stays within the share. The series makes due steps of one
// interval due in the next smaller one too.
func interval(cost, step, share float64) int64 {
	if share <= 0 {
		share = 0.02
	}
	const most = 1_000_000
	for decade := int64(1); decade < most; decade *= 10 {
		for _, m := range []int64{1, 2, 5} {
			if cost <= share*step*float64(m*decade) {
				return m * decade
			}
		}
	}
	return most
}
