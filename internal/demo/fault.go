// Package demo trains a small real network with a planted fault, so that a
// newcomer sees a run go wrong, be recognised, be stopped and be explained.
package demo

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
)

// Fault is what is wrong with the demo's training.
type Fault struct {
	Name  string
	About string // one line for the help and the first line of the demo

	sizes []int
	act   activation
	start initial
	rate  float64
	bias  float32 // of every hidden unit at the start
}

var faults = map[string]Fault{
	"none": {
		About: "a healthy network: nothing should be reported",
		sizes: []int{features, 128, 128, classes}, act: relu, start: he, rate: 0.05,
	},
	"vanishing": {
		About: "ten sigmoid layers in a row: the gradient does not reach the first ones",
		sizes: []int{features, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, classes}, act: sigmoid, start: lecun, rate: 0.1,
	},
	"exploding": {
		About: "a learning rate a thousand times too high: the loss diverges",
		sizes: []int{features, 128, 128, classes}, act: relu, start: he, rate: 50,
	},
	"dead-relu": {
		About: "hidden units start with a bias far below zero: most of them never fire",
		sizes: []int{features, 128, 128, classes}, act: relu, start: he, rate: 0.05, bias: -12,
	},
	"plateau": {
		About: "a learning rate a million times too low: the loss does not move",
		sizes: []int{features, 128, 128, classes}, act: relu, start: he, rate: 5e-8,
	},
}

// Faults lists the names of all faults, sorted.
func Faults() []string {
	names := make([]string, 0, len(faults))
	for name := range faults {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Lookup finds a fault by name.
func Lookup(name string) (Fault, error) {
	f, ok := faults[name]
	if !ok {
		return Fault{}, fmt.Errorf("find fault %q: known are %s", name, strings.Join(Faults(), ", "))
	}
	f.Name = name
	return f, nil
}

func (f Fault) network(rng *rand.Rand, batch int) *network {
	n := newNetwork(rng, f.sizes, f.act, f.start, batch)
	if f.bias != 0 {
		for _, l := range n.layers[:len(n.layers)-1] {
			for i := range l.bias {
				l.bias[i] = f.bias
			}
		}
	}
	return n
}
