package builtin

import (
	"fmt"
	"math"
)

// A loss in a message is one value or a mean, and the message says which: at
// what step it was, or over which steps it was taken.

// atStep spells a loss of one step.
func atStep(x float64, step int64) string { return fmt.Sprintf("%s at step %d", num(x), step) }

// meanOfLast spells a mean of the last n losses.
func meanOfLast(x float64, n int64) string { return ofLast("mean", x, n) }

// medianOfLast spells their median.
func medianOfLast(x float64, n int64) string { return ofLast("median", x, n) }

func ofLast(what string, x float64, n int64) string {
	if n == 1 {
		return fmt.Sprintf("%s (the last step)", num(x))
	}
	return fmt.Sprintf("%s (%s of the last %d steps)", num(x), what, n)
}

// meanOfFirst spells a mean of the first n losses.
func meanOfFirst(x float64, n int) string {
	return fmt.Sprintf("%s (mean of the first %d steps)", num(x), n)
}

// meanOfSome spells a mean of about n losses in the middle.
func meanOfSome(x float64, n int64) string {
	return fmt.Sprintf("%s (mean of some %d steps)", num(x), n)
}

// stepsIn is the number of losses that share(from, to) is the mean of.
func (c *lossCurve) stepsIn(from, to float64) (count int64) {
	n := float64(len(c.Buckets))
	for _, b := range c.Buckets[int(math.Floor(from*n)):int(math.Ceil(to*n))] {
		count += b.N
	}
	return count
}

// quarter spells the mean of the last quarter.
func (c *lossCurve) quarter() string {
	return meanOfLast(c.share(0.75, 1), c.stepsIn(0.75, 1))
}

// lately spells the median of the last n losses.
func (c *lossCurve) lately(n int) string {
	last := c.tail(n)
	return medianOfLast(median(last), int64(len(last)))
}

// began spells where the loss began.
func (c *lossCurve) began() string {
	if level := c.begin(); level != c.First[0] {
		return fmt.Sprintf("%s (median of the first %d steps)", num(level), min(5, len(c.First)))
	}
	return atStep(c.First[0], c.From)
}

// at is the mode step of a place on the curve.
func (c *lossCurve) at(place int64) int64 { return c.From + place }
