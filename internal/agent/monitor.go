package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/monitor"
	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/record"
)

const (
	// monitorState keeps an interval asked for while the job runs for the next agent.
	monitorState = "monitor"
	// machineDropped is the reason of machine metrics that the store did not take.
	machineDropped = "machine_metrics"
	// handOver is how long samples wait for others, to be stored together.
	handOver = time.Second
	// mostWaiting bounds the samples that wait for a store that takes none.
	mostWaiting = 600
)

// sampling is the machine's part of a job.
type sampling struct {
	change chan int       // the interval asked for last, in milliseconds
	totals monitor.Totals // of the goroutine that samples; of anybody once it has ended
}

// watch samples the machine from before the job starts until it has ended.
func (r *running) watch() {
	j := r.job
	w := &watcher{job: j}
	defer w.off()
	w.set(j.monitorInterval(), time.Now())
	for {
		var due <-chan time.Time
		var t *time.Timer
		if w.every > 0 {
			t = time.NewTimer(time.Until(w.next))
			due = t.C
		}
		select {
		case <-r.quit:
			w.sample(time.Now()) // what the end of the job was like
			w.hand()
			return
		case ms := <-j.sampling.change:
			w.set(ms, time.Now())
		case <-due:
			now := time.Now()
			w.sample(now)
			w.after(now)
			if w.every >= handOver || len(w.waiting) > 0 && now.Sub(w.handed) >= handOver {
				w.hand()
				w.handed = now
			}
		}
		if t != nil {
			t.Stop()
		}
	}
}

// watcher is the goroutine that samples.
type watcher struct {
	job     *job
	sampler *monitor.Sampler // nil while nothing is sampled
	every   time.Duration
	next    time.Time
	waiting []record.Sample
	handed  time.Time
	told    int // reasons why metrics are absent
}

// set begins to sample at another interval; 0 ends it.
func (w *watcher) set(ms int, now time.Time) {
	w.every, w.next = time.Duration(ms)*time.Millisecond, now
	if w.every == 0 {
		w.hand()
		w.off()
		w.job.samplesEnd(w.job.set.Host)
		return
	}
	if w.sampler == nil {
		j := w.job
		o := monitor.Options{Host: j.set.Host, Directory: j.store.Path(), Trainers: j.trainers}
		if l := j.set.Launcher; l != nil {
			o.Launcher = proc.ID{PID: l.PID, Start: l.Start}
		}
		w.sampler, w.told = monitor.New(o), 0
	}
}

func (w *watcher) off() {
	if w.sampler != nil {
		w.sampler.Close()
		w.sampler = nil
	}
}

// after is the next instant: a multiple of the interval from the first one, so that
// samples do not drift. Instants that went by while the machine slept are left out.
func (w *watcher) after(now time.Time) {
	if w.next = w.next.Add(w.every); w.next.Before(now) {
		w.next = w.next.Add(now.Sub(w.next).Truncate(w.every))
	}
}

func (w *watcher) sample(now time.Time) {
	if w.sampler == nil {
		return
	}
	s := w.sampler.Sample(now)
	w.job.sampling.totals.Add(s)
	if len(s.Values) > 0 {
		w.waiting = append(w.waiting, s)
	}
	all := w.sampler.Missing()
	for ; w.told < len(all); w.told++ {
		w.job.lacks(all[w.told])
	}
}

// hand gives the samples to the store. Where it takes none they wait, the oldest
// are dropped, and that is counted.
func (w *watcher) hand() {
	if len(w.waiting) == 0 {
		return
	}
	if err := storeSamples(w.job, w.waiting); err != nil {
		if gone := w.job.store.Gone(); gone != nil {
			w.job.storeGone(gone)
		} else {
			w.job.storeFailed(err)
		}
		if over := len(w.waiting) - mostWaiting; over > 0 {
			w.job.droppedHere(machineDropped, int64(numbers(w.waiting[:over])))
			w.waiting = slices.Delete(w.waiting, 0, over)
		}
		return
	}
	w.waiting = nil
}

func numbers(list []record.Sample) (n int) {
	for _, s := range list {
		n += len(s.Values)
	}
	return n
}

// storeSamples stores machine metrics; tests put something else here.
var storeSamples = (*job).storeSamples

// lacks notes which of the machine's metrics are absent, once a run.
func (j *job) lacks(m monitor.Missing) {
	name := record.MachineMetrics + m.Name
	j.cmu.Lock()
	_, known := j.counts.missing[missingKey{name, m.Reason}] // an earlier agent did
	j.cmu.Unlock()
	if !known {
		j.missing(name, m.Reason, 1)
	}
}

// trainers are the training processes, for the series of processes.
func (j *job) trainers() []monitor.Trainer {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []monitor.Trainer
	for _, w := range j.workers {
		t := monitor.Trainer{ID: proc.ID{PID: w.s.Peer.PID, Start: w.s.Peer.Start}, Label: strings.TrimPrefix(w.name, "worker_")}
		if !w.isClosed() && !slices.ContainsFunc(list, func(o monitor.Trainer) bool { return o.PID == t.PID || o.Label == t.Label }) {
			list = append(list, t)
		}
	}
	return list
}

// monitorInterval is the interval in milliseconds: the one asked for while the job
// ran, else that of the settings.
func (j *job) monitorInterval() int {
	b, err := j.store.LoadState(monitorState)
	if err == nil {
		var ms int
		if err = json.Unmarshal(b, &ms); err == nil && allowed(ms) {
			return ms
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.events.notice("warning", fmt.Sprintf("the interval of machine metrics cannot be read: %v", err), "repeat `vigil plan --monitor`")
	}
	return j.set.Config.Monitor
}

func allowed(ms int) bool { return ms == 0 || slices.Contains(config.MonitorIntervals, ms) }

// remonitor changes the interval of machine metrics while the job runs. why is for
// the plan's history; empty: it is there already.
func (j *job) remonitor(ms int, why string) error {
	if !allowed(ms) {
		return fmt.Errorf("%d is none of the intervals of machine metrics", ms)
	}
	j.mu.Lock()
	ending := j.ending
	j.mu.Unlock()
	if ending {
		return fmt.Errorf("the run has ended")
	}
	if err := j.keepState(monitorState, ms); err != nil {
		return err
	}
	for sent := false; !sent; { // what was asked for before and not done yet counts no more
		select {
		case j.sampling.change <- ms:
			sent = true
		default:
			select {
			case <-j.sampling.change:
			default:
			}
		}
	}
	if why == "" {
		return nil
	}
	if err := j.store.UpdateRun(func(r *record.Run) {
		if n := len(r.Plan); n > 0 { // the plan is as it was
			r.Plan = append(r.Plan, record.PlanChange{Time: time.Now().UTC(), Step: r.Plan[n-1].Step, Why: why, Plan: r.Plan[n-1].Plan})
		}
	}); err != nil {
		j.storeFailed(err)
	}
	return nil
}
