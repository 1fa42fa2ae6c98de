package demo

import "math/rand/v2"

// The task of the demo: tell ten overlapping clouds of points apart in 32
// dimensions. It is made from a seed, so no data set has to be fetched, and it
// is learnt in a few hundred steps by a network that is in order.
const (
	features = 32
	classes  = 10
)

// clouds draws labelled points around fixed centres.
type clouds struct {
	rng     *rand.Rand
	centres [classes][features]float32
}

func newClouds(rng *rand.Rand) *clouds {
	c := &clouds{rng: rng}
	for k := range c.centres {
		for i := range c.centres[k] {
			c.centres[k][i] = float32(rng.NormFloat64()) * 0.7
		}
	}
	return c
}

// batch fills x, of shape [len(labels), features], and the labels.
func (c *clouds) batch(x []float32, labels []int) {
	for r := range labels {
		k := c.rng.IntN(classes)
		labels[r] = k
		for i := range features {
			x[r*features+i] = c.centres[k][i] + float32(c.rng.NormFloat64())
		}
	}
}
