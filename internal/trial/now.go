package trial

import (
	"math"

	"github.com/vigil-ml/vigil/internal/source"
)

// TailNow is Tail without the steps that are stored already. What lies in sealed
// chunks is not read for it.
func (t *Trial) TailNow() (source.Tail, error) {
	r := t.newReplayer()
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return nil, err
	}
	for _, s := range t.all() {
		r.taken[s] = map[int]int{}
		for _, n := range s.numbers() {
			if s.tails[n] == nil {
				r.taken[s][n] = math.MaxInt
			}
		}
	}
	r.queue()
	for _, n := range t.complete.numbers() {
		if t.complete.tails[n] == nil {
			r.decided[n] = math.MaxInt
			continue
		}
		list := t.decisionsOf(n)
		for _, d := range list {
			if d.Window == nil {
				r.named(d, func([]part) {})
			}
		}
		r.decided[n] = len(list)
	}
	return &tailing{r}, nil
}

// SampleCount is how many samples of its machine metrics a host has stored.
func (t *Trial) SampleCount(host string) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return 0, err
	}
	if s := t.host(host); s != nil {
		return t.samplesOf(s), nil
	}
	return 0, nil
}
