//go:build !linux

package monitor

import "runtime"

// Sampler samples nothing here.
type Sampler struct {
	host  string
	clock clock
	size  int
}

// New makes a sampler.
func New(o Options) *Sampler { return &Sampler{host: o.Host} }

func (s *Sampler) read(*output) {}

// Missing says so.
func (s *Sampler) Missing() []Missing {
	return []Missing{{"machine", "not sampled on " + runtime.GOOS}}
}

// Close does nothing.
func (s *Sampler) Close() {}
