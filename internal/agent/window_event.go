package agent

import (
	"encoding/json"
	"time"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// tellWindow gives the rules what was seen in a window of detail, as an event.
func (j *job) tellWindow(w *stacks.Window) {
	facts, err := json.Marshal(w.Detail())
	if err != nil {
		j.logs.say("window %d of %s cannot be given to the rules: %v", w.Number, w.Worker, err)
		return
	}
	end := w.Began.Add(time.Duration(w.Seconds * float64(time.Second)))
	j.tellEvent(record.Event{Worker: w.Worker, Kind: record.DetailEvent, Name: rule.StackSamples, Start: w.Began, End: end, Step: w.FirstStep, Facts: facts})
}

// tellEvent stores an event that no mark of a worker told, and gives it to the rules.
func (j *job) tellEvent(e record.Event) {
	j.rows.Lock()
	defer j.rows.Unlock()
	events := []record.Event{e}
	if err := j.store.Times(e.Worker, "", 0, nil, events); err != nil {
		j.logs.say("an event could not be stored: %v", err)
		return
	}
	if j.judging != nil {
		j.judging.times(e.Worker, nil, events)
	}
}
