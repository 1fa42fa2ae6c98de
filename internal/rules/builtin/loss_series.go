package builtin

import (
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

const (
	firstKept  = 50  // losses kept from the beginning
	recentKept = 100 // losses kept from the end
	// noiseFactor is how many standard errors a difference of means has to
	// exceed to count as more than noise.
	noiseFactor = 3
	// leastProgress is the relative fall that counts as progress when the
	// loss has no noise at all.
	leastProgress = 0.005
)

// lossSeries is what the default set's rules remember of one loss.
type lossSeries struct {
	N      int64     `json:"n"`
	First  []float64 `json:"first"`
	Recent []float64 `json:"recent"`
}

func (l *lossSeries) add(x float64) {
	l.N++
	if len(l.First) < firstKept {
		l.First = append(l.First, x)
	}
	if len(l.Recent) == recentKept {
		copy(l.Recent, l.Recent[1:])
		l.Recent = l.Recent[:recentKept-1]
	}
	l.Recent = append(l.Recent, x)
}

// tail gives the last n losses, fewer when there are fewer.
func (l *lossSeries) tail(n int) []float64 { return l.Recent[max(0, len(l.Recent)-n):] }

// losses are the training losses of a run by name.
type losses map[string]*lossSeries

// add takes the losses of a step, averaged over workers. items come sorted by
// name. Values that are not finite are left to other rules; losses on held-out
// data that come in training steps are none of the training.
func (ls losses) add(items []rule.Item) {
	for i := 0; i < len(items); {
		name, sum, n := items[i].Info.Name, 0.0, 0
		for ; i < len(items) && items[i].Info.Name == name; i++ {
			sum += items[i].Value
			n++
		}
		if x := sum / float64(n); finite(x) && !heldOut(name) {
			if ls[name] == nil {
				ls[name] = &lossSeries{}
			}
			ls[name].add(x)
		}
	}
}

// flatNow reports whether no loss fell within the last 100 steps.
func (ls losses) flatNow() bool {
	return ls.each(func(l *lossSeries) bool {
		return len(l.Recent) == recentKept && !fell(l.Recent[:recentKept/2], l.Recent[recentKept/2:])
	})
}

// flatSince reports whether no loss fell from its first values to its last, over
// at least n steps.
func (ls losses) flatSince(n int64) bool {
	return ls.each(func(l *lossSeries) bool {
		return l.N >= n && len(l.First) == firstKept && !fell(l.First, l.tail(firstKept))
	})
}

// neverFell reports whether no loss of n steps at least is lower in its second
// half than in its first.
func (ls losses) neverFell(n int64) bool {
	return ls.each(func(l *lossSeries) bool {
		if l.N < n || l.N > recentKept {
			return l.N >= n && !fell(l.First, l.tail(firstKept))
		}
		half := len(l.Recent) / 2
		return !fell(l.Recent[:half], l.Recent[half:])
	})
}

// length is the number of steps with a loss.
func (ls losses) length() int64 {
	most := int64(0)
	for _, l := range ls {
		most = max(most, l.N)
	}
	return most
}

// each is false without losses: nothing is known then.
func (ls losses) each(f func(*lossSeries) bool) bool {
	for _, l := range ls {
		if !f(l) {
			return false
		}
	}
	return len(ls) > 0
}

// fell reports whether b lies below a by more than noise: more than three
// standard errors of the difference of their means, and half a per cent.
func fell(a, b []float64) bool {
	ma, va := moments(a)
	mb, vb := moments(b)
	se := math.Sqrt(va/float64(len(a)) + vb/float64(len(b)))
	return ma-mb > max(noiseFactor*se, leastProgress*math.Abs(ma))
}

func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	return mean, variance / float64(len(x))
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Clone(x)
	slices.Sort(s)
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
