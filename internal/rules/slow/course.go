package slow

import (
	"math"

	"github.com/vigil-ml/vigil/rule"
)

// Course is how a training went, in stretches of about equal numbers of updates:
// when there are too many, neighbours become one.
type Course struct {
	Stretches []Stretch `json:"stretches"`
	Each      int64     `json:"each"` // updates of a stretch
}

// Stretch are some updates that follow each other.
type Stretch struct {
	Steps int64                   `json:"steps"`
	Parts [rule.StepParts]float64 `json:"parts"`
}

const mostStretches = 128

func (c *Course) take(t *rule.StepTime) {
	if t.Mode != rule.Train && t.Mode != rule.Global {
		return
	}
	c.Each = max(c.Each, 1)
	n := len(c.Stretches)
	if n == 0 || c.Stretches[n-1].Steps >= c.Each {
		c.Stretches = append(c.Stretches, Stretch{})
		n++
	}
	last := &c.Stretches[n-1]
	last.Steps += t.Steps
	for p, ns := range t.Parts {
		last.Parts[p] += float64(ns) * 1e-9
	}
	if n < mostStretches {
		return
	}
	c.Each *= 2
	half := c.Stretches[:0]
	for i := 0; i+1 < n; i += 2 {
		s := c.Stretches[i]
		s.Steps += c.Stretches[i+1].Steps
		for p := range s.Parts {
			s.Parts[p] += c.Stretches[i+1].Parts[p]
		}
		half = append(half, s)
	}
	c.Stretches = half
}

// perStep is the time of one update in a stretch, in one part.
func (s *Stretch) perStep(p rule.StepPart) float64 { return s.Parts[p] / float64(s.Steps) }

// Growth is how a part's time per update rose.
type Growth struct {
	Part       rule.StepPart
	First      float64 // seconds per update at the beginning
	Last       float64 // and at the end
	Extra      float64 // seconds of the whole training above the level from which it grew
	Steadiness float64 // rank correlation with the update, 1: it never fell
}

// Grows is the part of the step that grew most; ok is false where too little was
// seen. Data, checkpoints and other ranks are left out: their times vary by themselves.
func (c *Course) Grows() (g Growth, ok bool) {
	n := len(c.Stretches)
	if n < 16 {
		return g, false
	}
	quarter := n / 4
	for _, p := range []rule.StepPart{rule.Forward, rule.Backward, rule.Optimizer, rule.OtherPart} {
		x := make([]float64, n)
		for i := range c.Stretches {
			x[i] = c.Stretches[i].perStep(p)
		}
		of := Growth{Part: p, First: median(x[:quarter/2+1]), Last: median(x[n-quarter/2-1:]), Steadiness: steadiness(x)}
		level := of.level()
		for i, v := range x {
			of.Extra += max(0, v-level) * float64(c.Stretches[i].Steps)
		}
		if of.Extra > g.Extra {
			g = of
		}
	}
	return g, true
}

// level is what a step took before it grew: First and Last are of the first and the
// last eighth of the training, and the growth goes back to its beginning.
func (g *Growth) level() float64 {
	return min(g.First, max(0, g.First-(g.Last-g.First)*(1./16)/(7./8)))
}

func median(x []float64) float64 {
	s := sorted(x)
	if len(s) == 0 {
		return math.NaN()
	}
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
