package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	"github.com/vigil-ml/vigil/internal/capture"
)

// sessionDrops is what the hook of a session is known to have dropped. It is
// kept for later agents: a hook reports what it dropped since it began, and
// records are read once more after a takeover, so only what goes beyond is new.
type sessionDrops struct {
	Reasons map[string]int64 `json:"reasons"`
	To      uint64           `json:"to"`   // records before this one are counted
	Ring    uint64           `json:"ring"` // of the ring's own count this much is counted
}

const (
	dropsState = "drops"
	diskFull   = "disk_full" // the reason for which the agent itself drops values
)

// restoreDrops takes the counts of an earlier agent.
func (j *job) restoreDrops() {
	b, err := j.store.LoadState(dropsState)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		err = json.Unmarshal(b, &j.counts.drops)
	}
	if err != nil {
		j.counts.drops = map[string]*sessionDrops{}
		j.events.notice("warning", fmt.Sprintf("what was dropped before is unknown: %v", err), "")
	}
}

// saveDrops stores the counts if they are new. They are stored before run.json,
// which is made from them.
func (j *job) saveDrops() {
	j.cmu.Lock()
	if !j.counts.newDrops {
		j.cmu.Unlock()
		return
	}
	j.counts.newDrops = false
	b, err := json.Marshal(j.counts.drops)
	j.cmu.Unlock()
	if err == nil {
		err = j.store.SaveState(dropsState, b)
	}
	if err != nil {
		j.cmu.Lock()
		j.counts.newDrops = true
		j.cmu.Unlock()
		j.storeFailed(err)
	}
}

// of gives the counts of a session; it is about to be changed.
func (c *counts) of(session string) *sessionDrops {
	d := c.drops[session]
	if d == nil {
		d = &sessionDrops{}
		c.drops[session] = d
	}
	if d.Reasons == nil {
		d.Reasons = map[string]int64{}
	}
	c.newDrops = true
	return d
}

// allDropped is what was dropped, by reason, by anybody.
func (c *counts) allDropped() map[string]int64 {
	out := maps.Clone(c.dropped)
	for _, d := range c.drops {
		for reason, n := range d.Reasons {
			out[reason] += n
		}
	}
	return out
}

// droppedHere counts what the agent itself dropped.
func (j *job) droppedHere(reason string, n int64) {
	j.cmu.Lock()
	defer j.cmu.Unlock()
	j.changed = true
	j.counts.dropped[reason] += n
}

// droppedAt counts what a record says was dropped; false when an earlier agent
// has counted it.
func (j *job) droppedAt(session string, record uint64, reason string, n int64) bool {
	j.cmu.Lock()
	defer j.cmu.Unlock()
	d := j.counts.of(session)
	if record < d.To {
		return false
	}
	d.To = record + 1
	d.Reasons[reason] += n
	j.changed = true
	return true
}

// countDrops adds what the hook counted and could not announce: by the reasons
// of its bye, else all that the ring tells.
func (w *worker) countDrops() {
	j := w.job
	j.cmu.Lock()
	defer j.cmu.Unlock()
	d := j.counts.of(w.session)
	if n := min(w.s.Dropped(), 1<<40); n > d.Ring {
		if w.said == nil {
			d.Reasons[capture.RingFull.String()] += int64(n - d.Ring)
		}
		d.Ring = n
	}
	for reason, n := range w.said {
		reason = strings.ReplaceAll(cut(reason, 100), " ", "_")
		d.Reasons[reason] = max(d.Reasons[reason], n)
	}
	maps.DeleteFunc(d.Reasons, func(_ string, n int64) bool { return n <= 0 })
	j.changed = true
}
