package record

import (
	"fmt"
	"strings"
	"time"
)

// Place is where a run is between two steps: the global step, and the step
// of each mode by its name, that come next.
type Place struct {
	Step  int64            `json:"step"`
	Modes map[string]int64 `json:"modes"`
}

// Resumption is that the run's job was started again and goes on with it.
type Resumption struct {
	Time    time.Time  `json:"time"`
	Stopped *time.Time `json:"stopped,omitempty"` // the last sign of the job before
	Command []string   `json:"command"`
	// From is where the job goes on; nil until it has begun to train.
	From *Place `json:"from,omitempty"`
	// Why says how that is known: in words for the user.
	Why string `json:"why,omitempty"`
	// Cut is how many steps of each mode were taken back.
	Cut map[string]int64 `json:"cut,omitempty"`
}

// Text is the resumption in words that follow "the run goes on": "at TRAIN step
// 40, from the checkpoint last.pt; 12 TRAIN steps were taken back".
func (r Resumption) Text() string {
	if r.From == nil {
		return "but nothing was trained"
	}
	text := fmt.Sprintf("at TRAIN step %d", r.From.Modes[Train.String()])
	if r.Why != "" {
		text += ", " + r.Why
	}
	var cut []string
	for m := Train; m <= Global; m++ {
		if n := r.Cut[m.String()]; n > 0 {
			cut = append(cut, fmt.Sprintf("%d %s", n, m))
		}
	}
	if len(cut) > 0 {
		text += "; " + strings.Join(cut, " and ") + " steps after it were taken back"
	}
	return text
}
