package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
)

// counts is what a run knows of its own completeness.
type counts struct {
	steps    map[string]map[string]int64 // by worker and mode: steps stored
	dropped  map[string]int64            // by the agent itself
	drops    map[string]*sessionDrops    // by hooks, by session
	newDrops bool                        // drops are not stored yet
	missing  map[missingKey]int64
	captured float64 // seconds that hooks took
	stepped  float64 // seconds of steps
	first    float64 // those of captured that fell into the first steps
	early    float64 // those of stepped that did
	later    int64   // steps after the first ones, of the worker that counts
	budget   float64 // share of the time of steps that capture may add; 0 where the intervals are given
	outside  float64 // seconds that the start and the end of capture took: of the hook that took most, and our own
	failing  bool    // the store does not take values now
	facts    json.RawMessage
	said     string
	noticed  map[string]bool // texts of hooks' notices
}

type missingKey struct{ name, reason string }

// maxMissing bounds the list of what is not captured; more is counted in one
// line.
const maxMissing = 500

func (c *counts) init() {
	c.steps, c.dropped, c.missing = map[string]map[string]int64{}, map[string]int64{}, map[missingKey]int64{}
	c.noticed, c.drops = map[string]bool{}, map[string]*sessionDrops{}
}

// restore takes the counts of an earlier agent from run.json.
func (c *counts) restore(r record.Run) {
	if n := r.Dropped[diskFull]; n > 0 { // those of hooks are counted by session
		c.dropped[diskFull] = n
	}
	if n := r.Dropped[machineDropped]; n > 0 {
		c.dropped[machineDropped] = n
	}
	for _, m := range r.NotCaptured {
		c.missing[missingKey{m.Name, m.Reason}] = m.Count
	}
	o := r.Overhead
	since := o.SinceSeconds * o.SincePercent / 100
	c.captured, c.stepped, c.first, c.early = o.CapturedSeconds, o.StepSeconds, o.CapturedSeconds-since, o.StepSeconds-o.SinceSeconds-since
	c.outside, c.later = max(o.OnceSeconds-c.first, 0), o.SinceSteps
	c.facts, c.said = r.Facts, r.Said
	if len(r.Steps) > 0 {
		c.steps[""] = maps.Clone(r.Steps) // of no worker known any more
	}
}

// notCaptured is the list for run.json, the largest counts first.
func (c *counts) notCaptured() []record.NotCaptured {
	var out []record.NotCaptured
	for k, n := range c.missing {
		out = append(out, record.NotCaptured{Name: k.name, Reason: k.reason, Count: n})
	}
	slices.SortFunc(out, func(a, b record.NotCaptured) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// byMode is the number of steps by mode: those of the worker that has most.
func (c *counts) byMode() map[string]int64 {
	out := map[string]int64{}
	for _, m := range c.steps {
		for mode, n := range m {
			out[mode] = max(out[mode], n)
		}
	}
	return out
}

func (c *counts) overhead() record.Overhead {
	o := record.Overhead{CapturedSeconds: c.captured, StepSeconds: c.stepped, SinceSteps: c.later, BudgetPercent: 100 * c.budget}
	if rest := c.stepped - c.captured; rest > 0 {
		o.Percent = 100 * c.captured / rest
	}
	o.OnceSeconds = c.first + c.outside
	if since := c.captured - c.first; c.stepped-c.early > since {
		o.SinceSeconds = c.stepped - c.early - since
		o.SincePercent = 100 * since / o.SinceSeconds
	}
	return o
}

// The first steps, in which the hook finds out what there is: so many of a
// worker, or those before it has said what it understood, up to the second number.
// A script that only logs has none: nothing is found out.
const firstSteps, mostFirstSteps = 20, 100

// once counts what a hook took before its first step and after its last. Of
// several the one that took most holds up the job.
func (j *job) once(seconds float64) {
	j.cmu.Lock()
	defer j.cmu.Unlock()
	j.counts.outside = max(j.counts.outside, sane(seconds))
}

func (j *job) missing(name, reason string, n int64) {
	if n <= 0 {
		return
	}
	j.cmu.Lock()
	defer j.cmu.Unlock()
	j.changed = true
	k := missingKey{cut(name, capture.MaxName), cut(reason, 500)}
	if _, ok := j.counts.missing[k]; !ok && len(j.counts.missing) >= maxMissing {
		k = missingKey{"others", "not listed (the list is full)"}
	}
	j.counts.missing[k] += n
}

// stepStored counts a step that is in the store now.
func (j *job) stepStored(w *worker, st *record.Step) {
	j.cmu.Lock()
	defer j.cmu.Unlock()
	j.changed = true
	m := j.counts.steps[w.name]
	if m == nil {
		m = map[string]int64{}
		j.counts.steps[w.name] = m
	}
	mode := st.Mode.String()
	m[mode] = max(m[mode], st.ModeStep+1)
	j.counts.captured += st.Overhead
	j.counts.stepped += st.Seconds
	if !w.plain && (st.Step < firstSteps || j.counts.said == "" && st.Step < mostFirstSteps) {
		j.counts.first += st.Overhead
		j.counts.early += st.Seconds
	} else if w.full || w.chief {
		j.counts.later++
	}
	if w.full || w.chief {
		j.progress.step(st)
	}
}

func (j *job) stepCounts() map[string]int64 {
	j.cmu.Lock()
	defer j.cmu.Unlock()
	return j.counts.byMode()
}

// storeFailed tells once that the store takes nothing.
func (j *job) storeFailed(err error) {
	j.cmu.Lock()
	first := !j.counts.failing
	j.counts.failing = true
	j.cmu.Unlock()
	if !first {
		return
	}
	if errors.Is(err, store.ErrNoSpace) {
		j.events.notice("error", "the disk is full: "+err.Error(),
			"free some space; training continues, and values wait for a while before they are dropped")
		return
	}
	j.events.notice("error", "values cannot be stored: "+err.Error(), "training continues; storing is retried")
}

// storeGone tells once that what was captured is no more.
func (j *job) storeGone(err error) {
	j.noticeOnce("error", "what was captured is lost: "+err.Error(), "training continues; restart it for a complete run")
}

func (j *job) storeWorks() {
	j.cmu.Lock()
	was := j.counts.failing
	j.counts.failing = false
	j.cmu.Unlock()
	if was {
		j.events.notice("info", "values are stored again", "")
	}
}

func (j *job) rawStopped() bool {
	j.cmu.Lock()
	defer j.cmu.Unlock()
	return j.rawOff != ""
}

func (j *job) stopRaw(err error) {
	j.cmu.Lock()
	first := j.rawOff == ""
	j.rawOff = err.Error()
	j.cmu.Unlock()
	if first {
		j.events.notice("warning", "raw tensors are no longer stored: "+err.Error(),
			"free disk space, lower --keep, or let --min-free allow less; statistics are still stored")
	}
}

// rawStored counts raw bytes; the bytes of --keep are looked at when some came,
// its age at the beginning and every few minutes.
func (j *job) rawStored(n int64) {
	j.cmu.Lock()
	j.rawSince += n
	due := j.rawSince > 64<<20 || j.set.Config.Keep > 0 && j.rawSince > j.set.Config.Keep/16
	if due {
		j.rawSince = 0
	}
	j.cmu.Unlock()
	if due {
		j.keep()
	}
}

// keep removes the raw tensors that --keep gives up.
func (j *job) keep() {
	if _, err := j.store.Keep(store.Limit{Bytes: j.set.Config.Keep, Age: j.set.Config.KeepAge}, time.Now()); err != nil {
		j.noticeOnce("warning", "old raw tensors could not be removed: "+err.Error(), "")
	}
}

// maxNotices bounds what hooks may say to the user.
const maxNotices = 1000

// noticeOnce passes a hook's notice on; that of another worker in the same
// words is left out.
func (j *job) noticeOnce(level, text, hint string) {
	j.cmu.Lock()
	again := j.counts.noticed[text] || len(j.counts.noticed) >= maxNotices
	j.counts.noticed[text] = true
	j.cmu.Unlock()
	if !again {
		j.events.notice(level, text, hint)
	}
}
