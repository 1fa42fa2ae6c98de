package builtin

import (
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// curveBuckets is how many buckets a curve has at most.
const curveBuckets = 64

// lossCurve is the loss that a training minimises, from its first step on, in
// bounded memory: the first and the last values, and means over buckets of
// equal width that cover the whole training. The width doubles when there are
// too many of them.
//
// A loss that is a sum has one curve, whatever its parts are. A training with
// losses of several optimisers has none: they work against each other.
type lossCurve struct {
	lossSeries
	Name    string        `json:"name"`
	From    int64         `json:"from,omitempty"` // mode step of the first value
	Width   int64         `json:"width"`          // steps in a bucket
	Buckets []curveBucket `json:"buckets"`
	Peak    float64       `json:"peak"` // highest value
	PeakAt  int64         `json:"peak_at"`
	// Negative: a value was below zero, so that ratios mean nothing.
	Negative bool `json:"negative"`
	Several  bool `json:"several"`          // there are several losses, and none that is the one
	Rivals   bool `json:"rivals,omitempty"` // another optimiser minimises another one
}

type curveBucket struct {
	Sum float64 `json:"sum"`
	N   int64   `json:"n"`
}

func (b curveBucket) mean() float64 { return b.Sum / float64(b.N) }

// step takes the losses of a step of its mode, averaged over workers; x is the value that
// was added. Values that are not finite are left to other rules.
func (c *lossCurve) step(at int64, items []rule.Item) (x float64, ok bool) {
	return c.follow(c.choose(items), at, items)
}

// follow is step for the loss of that name.
func (c *lossCurve) follow(name string, at int64, items []rule.Item) (x float64, ok bool) {
	sum, n := 0.0, 0
	for i := range items {
		if items[i].Info.Name == name {
			sum += items[i].Value
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	if x = sum / float64(n); !finite(x) {
		return x, false
	}
	if c.Name != name {
		*c = lossCurve{Name: name, From: at, Several: c.Several && name != "loss", Rivals: c.Rivals || strings.HasPrefix(c.Name, "loss/")}
	}
	c.take(x)
	return x, true
}

// choose names the loss to follow: the one called loss, which is what backward
// got, whatever else is a part of it; or the only one that is of the training data.
func (c *lossCurve) choose(items []rule.Item) string {
	name := ""
	main := c.Name == "loss" || slices.ContainsFunc(items, func(it rule.Item) bool { return it.Info.Name == "loss" })
	if main {
		name = "loss"
	}
	for i := range items {
		switch it := items[i].Info.Name; {
		case it == "loss":
		case heldOut(it): // comes in the steps of a training that is evaluated at each of them
		case strings.HasPrefix(it, "loss/") && (name == "" || name == it) && (c.Name == "" || c.Name == it):
			name = it // the optimiser of a training before this one lives on
		case strings.HasPrefix(it, "loss/"):
			c.Rivals = true
		case main: // what a loss module gave on the way to it, or a number next to it
		case name == "" && !strings.HasPrefix(it, "loss"):
			name = it
		case name != it:
			c.Several = true
		}
	}
	return name
}

func (c *lossCurve) take(x float64) {
	c.add(x)
	c.Negative = c.Negative || x < 0
	if c.N == 1 || x > c.Peak {
		c.Peak, c.PeakAt = x, c.N-1
	}
	if c.Width == 0 {
		c.Width = 1
	}
	if n := len(c.Buckets); n == 0 || c.Buckets[n-1].N == c.Width {
		if n == curveBuckets {
			for i := range n / 2 {
				a, b := c.Buckets[2*i], c.Buckets[2*i+1]
				c.Buckets[i] = curveBucket{a.Sum + b.Sum, a.N + b.N}
			}
			c.Buckets, c.Width = c.Buckets[:n/2], 2*c.Width
		}
		c.Buckets = append(c.Buckets, curveBucket{})
	}
	b := &c.Buckets[len(c.Buckets)-1]
	b.Sum += min(x, math.MaxFloat64/float64(2*c.Width))
	b.N++
}

// one: it is clear which loss the training minimises.
func (c *lossCurve) one() bool { return !c.Several && !c.Rivals }

// usable: the loss is one whose level can be compared with its level before.
func (c *lossCurve) usable() bool { return c.N > 0 && !c.Negative && c.one() }

// rivals is said of a training in which a rising loss may be meant.
const rivals = "there are several optimisers, whose losses may work against each other"

// unusable says why the curve of a loss that was captured cannot be judged by, "" where it can.
func (c *lossCurve) unusable() string {
	switch {
	case c.Rivals:
		return rivals
	case c.Several:
		return "there are several losses, and none that is called loss"
	case c.Negative:
		return "the loss is below zero at times, so its level says nothing"
	}
	return ""
}

// share gives the mean of the curve from one share of its length to another:
// share(0.75, 1) is its last quarter.
func (c *lossCurve) share(from, to float64) float64 {
	n := float64(len(c.Buckets))
	sum, count := 0.0, int64(0)
	for _, b := range c.Buckets[int(math.Floor(from*n)):int(math.Ceil(to*n))] {
		sum, count = sum+b.Sum, count+b.N
	}
	return sum / float64(count)
}

// highest is the largest mean of the loss over any n steps in a row, or somewhat
// more, and where they end; lowest is the least.
func (c *lossCurve) highest(n int64) (level float64, at int64) {
	for m, end := range c.means(n) {
		if m > level {
			level, at = m, end
		}
	}
	return level, at
}

func (c *lossCurve) lowest(n int64) (level float64, at int64) {
	level = math.Inf(1)
	for m, end := range c.means(n) {
		if m < level {
			level, at = m, end
		}
	}
	return level, at
}

// means gives the means over n steps in a row, or somewhat more, with the step
// at which each ends.
func (c *lossCurve) means(n int64) iter.Seq2[float64, int64] {
	return func(yield func(float64, int64) bool) {
		for i := range c.Buckets {
			sum, count := 0.0, int64(0)
			for j := i; j < len(c.Buckets) && count < n; j++ {
				sum, count = sum+c.Buckets[j].Sum, count+c.Buckets[j].N
			}
			if count >= n && !yield(sum/float64(count), int64(i)*c.Width+count-1) {
				return
			}
		}
	}
}

// begin is the level at which the loss began. Later values count only as long
// as they are no part of an explosion.
func (c *lossCurve) begin() float64 {
	first := c.First[:min(5, len(c.First))]
	if slices.Max(first) > 3*first[0] {
		return first[0]
	}
	return max(first[0], median(first))
}

// ends gives the first and the last values, as many as a quarter of the
// training has, 50 at most.
func (c *lossCurve) ends() (first, last []float64) {
	n := int(max(1, min(firstKept, c.N/4)))
	return c.First[:min(n, len(c.First))], c.tail(n)
}
