package cli

import (
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// tailPace is how fast the training goes, where tail tells it.
type tailPace struct {
	Steps   float64 `json:"steps_per_second,omitempty"`
	Samples float64 `json:"samples_per_second,omitempty"` // of one worker
}

func (t tailPace) text() string {
	if t.Steps == 0 {
		return ""
	}
	text := record.Rate(t.Steps) + " steps/s"
	if t.Samples > 0 {
		text += ", " + record.Rate(t.Samples) + " samples/s"
	}
	return text
}

// paceEvery is the training time after which tail tells again how fast it goes.
const paceEvery = time.Second

// pace takes the rate of updates between the steps at which it is told.
type pace struct {
	each  float64 // samples of an update; 0: not known
	begun bool
	at    time.Time
	made  int64 // updates by then
}

// step takes in a step, and gives the rate where it is time for it.
func (p *pace) step(s *record.Complete) tailPace {
	if s.Mode != record.Train {
		return tailPace{}
	}
	took, made := s.Time.Sub(p.at), s.ModeStep-p.made
	switch {
	case !p.begun || made <= 0 || took < 0: // the first one, or it went back
		p.begun, p.at, p.made = true, s.Time, s.ModeStep
		return tailPace{}
	case took < paceEvery:
		return tailPace{}
	}
	p.at, p.made = s.Time, s.ModeStep
	rate := float64(made) / took.Seconds()
	return tailPace{rate, rate * p.each}
}
