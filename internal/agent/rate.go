package agent

import (
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// rate is how fast a training makes its steps: those of the last seconds, with
// all that lies between them.
type rate struct {
	recent []made // ascending
}

// made is how many steps there were at a time.
type made struct {
	at    time.Time
	steps int64
}

// recently is the time over which the rate is taken.
const recently = 10 * time.Second

// step takes in a step of training.
func (r *rate) step(st *record.Step) {
	now := made{st.Time, st.ModeStep + 1}
	n := len(r.recent)
	switch {
	case n > 0 && (now.steps <= r.recent[n-1].steps || now.at.Before(r.recent[n-1].at)): // it went back
		r.recent = append(r.recent[:0], now)
		return
	case n > 1 && now.at.Sub(r.recent[n-2].at) < recently/100: // of very short ones a few are kept
		r.recent[n-1] = now
	default:
		r.recent = append(r.recent, now)
	}
	drop := 0
	for drop+2 < len(r.recent) && now.at.Sub(r.recent[drop+1].at) >= recently {
		drop++
	}
	r.recent = r.recent[drop:]
}

// perSecond is the rate; 0 where it is not known.
func (r *rate) perSecond() float64 {
	if len(r.recent) < 2 {
		return 0
	}
	first, last := r.recent[0], r.recent[len(r.recent)-1]
	if took := last.at.Sub(first.at).Seconds(); took > 0 {
		return float64(last.steps-first.steps) / took
	}
	return 0
}
