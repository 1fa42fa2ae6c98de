// Package agent is the process next to the training: it receives what hooks
// copy, computes statistics, writes the store, runs the rules and their
// actions, and tells the launcher what happens. It composes capture, measure,
// plan, store and judge; none of these knows another. The order in which its
// locks are taken is in lock.go.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/proc"
	"github.com/vigil-ml/vigil/internal/provenance"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Run is `vigil agent`: it reads Settings from in, works until in says that
// the job ended (or ctx is cancelled, or in ends because the launcher died and
// every worker is gone), and writes live.Event values as JSON lines to events.
// It returns nil when the run was finished in order.
func Run(ctx context.Context, in io.Reader, events io.Writer) error {
	d := json.NewDecoder(in)
	set, err := readSettings(d)
	if err != nil {
		return err
	}
	ended := make(chan Ended, 1)
	lost := make(chan struct{})
	go func() {
		if e, ok := readEnded(d); ok {
			ended <- e
		} else {
			close(lost)
		}
	}()
	r, err := start(ctx, set, events, (*job).sendStop)
	if err != nil {
		return err
	}
	return r.work(ctx, ended, lost)
}

// running is an agent that listens.
type running struct {
	job     *job
	release func()             // the run
	cancel  context.CancelFunc // makes the producers bring in what they have
	served  chan error         // how the producers ended
	bg      sync.WaitGroup
	quit    chan struct{}
}

// memoryLimit is what the Go part of the agent should stay below; the ring and
// the spill files are not counted.
const memoryLimit = 200 << 20

// start begins or takes over a run and listens. stop is how a job is stopped.
func start(ctx context.Context, set Settings, out io.Writer, stop func(j *job, rule, configuration, message string)) (*running, error) {
	debug.SetMemoryLimit(memoryLimit)
	release, err := own(filepath.Join(set.Dir, set.Name), set.Resume != nil && !set.Takeover)
	if err != nil {
		return nil, err
	}
	w, err := openStore(set)
	if err != nil {
		release()
		return nil, err
	}
	kept := openLogs(w.Path())
	kept.say("the agent of vigil %s, process %d, has the run %s", set.Vigil, os.Getpid(), w.Path())
	ev := newEvents(out, kept)
	w.LeaveFree(set.Config.MinFree.Share, set.Config.MinFree.Bytes)
	j := newJob(set, w, ev)
	j.stop = func(rule, configuration, message string) { stop(j, rule, configuration, message) }
	self, _ := proc.Read(os.Getpid())
	err = w.UpdateRun(func(r *record.Run) {
		j.counts.restore(*r)
		j.spent.restore(r.Time)
		j.progress.clock = *r.Clock()
		r.Agent, r.Control = &record.Process{PID: os.Getpid(), Start: self.Start}, set.Socket
		r.Mutes = nil
		for _, m := range set.Config.Mutes {
			r.Mutes = append(r.Mutes, record.Mute{Rule: m.Rule, Tensor: m.Tensor, Reason: m.Reason})
		}
		if set.Launcher != nil {
			r.Launcher = set.Launcher
		}
	})
	if err != nil {
		j.storeFailed(err)
	}
	if err := label(w, set); err != nil {
		ev.notice("warning", "the tags of the run were not stored: "+err.Error(), "`vigil tag` sets them later")
	}
	if set.Takeover || set.Resume != nil {
		j.recount()
	}
	if len(j.sessions) > 0 { // the rules go on, even if no worker comes back
		if err := j.begin(w.Run().Framework); err != nil {
			ev.notice("error", "the rules could not be started again: "+err.Error(), "")
		}
	}
	o := capture.Options{Handler: j, RingBytes: set.RingBytes}
	var l *capture.Listener
	if set.ListenFD > 0 {
		l, err = capture.Inherit(set.ListenFD, o)
	} else {
		l, err = capture.Listen(set.Socket, o)
	}
	if err != nil {
		ev.close()
		kept.say("cannot listen: %v", err)
		kept.close()
		release()
		return nil, errors.Join(err, w.Close())
	}
	// The sessions outlive ctx until the rings are read to the end.
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &running{job: j, release: release, cancel: cancel, served: make(chan error, 1), quit: make(chan struct{})}
	go func() { r.served <- serve(working, l) }()
	r.bg.Go(r.tick)
	r.bg.Go(r.watch)
	if p := w.Run().Provenance; !set.Takeover || p == nil || p.Machine == nil {
		r.bg.Go(j.gather)
	}
	return r, nil
}

// disk is the file system below the store; tests put a failing one here.
var disk vfs.FS = vfs.OS

// OnDisk has the agents of this process store on another file system than the
// operating system's, for programs that let it fail. It is called before the first starts.
func OnDisk(fsys vfs.FS) { disk = fsys }

// openStore makes the run, or goes on with the one that is there.
func openStore(set Settings) (*store.Writer, error) {
	if set.Resume != nil {
		return reopen(set)
	}
	if set.Created || set.Takeover {
		return store.Resume(disk, filepath.Join(set.Dir, set.Name))
	}
	return store.Create(disk, set.Dir, set.Name, newRun(set))
}

// newRun is run.json at the start.
func newRun(set Settings) record.Run {
	if set.Started.IsZero() {
		set.Started = time.Now()
	}
	return record.Run{
		Format: record.RunFormat, Name: set.Name, Command: provenance.Redact(set.Command), Directory: set.Directory, Host: set.Host,
		Started: set.Started.UTC(), Status: record.Running, Workers: []record.Worker{}, Steps: map[string]int64{},
		Dropped: map[string]int64{}, Plan: []record.PlanChange{}, Launcher: set.Launcher, Vigil: set.Vigil, Profiler: provenance.Profiler(set.Config.Profiler),
	}
}

// tick does what has to be done from time to time.
func (r *running) tick() {
	j := r.job
	progress, run, sync, rules := time.NewTicker(progressEvery), time.NewTicker(runEvery), time.NewTicker(syncEvery), time.NewTicker(time.Second)
	defer progress.Stop()
	defer run.Stop()
	defer sync.Stop()
	defer rules.Stop()
	// Raw tensors become too old without anybody writing one.
	var keep <-chan time.Time
	if j.set.Config.KeepAge > 0 {
		t := time.NewTicker(keepEvery)
		defer t.Stop()
		keep = t.C
		j.keep()
	}
	quiet := silence{begin: r.bg.Go}
	for {
		select {
		case <-r.quit:
			return
		case <-progress.C:
			if p := j.takeProgress(); p != nil {
				j.events.send(live.Event{Progress: p})
			}
		case <-run.C:
			if err := j.writeRun(nil); err != nil {
				j.storeFailed(err)
			}
		case <-sync.C:
			j.sync()
		case <-keep:
			j.keep()
		case now := <-rules.C:
			j.forgetAbsent(now)
			// Without a worker nobody stalls: the training has ended, or has
			// not begun.
			if n, _, _ := j.live(); n > 0 {
				j.eval.tick(now)
				quiet.watch(j, now)
			}
			j.windows.tick(j, now)
			j.lookBack(false)
		}
	}
}

// work waits for the end of the job, and finishes the run.
func (r *running) work(ctx context.Context, ended <-chan Ended, lost <-chan struct{}) error {
	select {
	case e := <-ended:
		return r.finish(e, true)
	case <-ctx.Done():
		return r.finish(r.guess(), false)
	case err := <-r.served:
		r.served <- err
		return errors.Join(err, r.finish(r.guess(), false))
	case <-lost:
	}
	// The launcher died. The training may go on; it is followed to its end, and
	// the socket that the launcher made is removed in its place.
	defer removeSocket(r.job.set.Socket)
	r.waitGone(ctx)
	return r.finish(r.orphaned(), false)
}

// orphaned is how a job ended whose launcher died, and with it the exit code:
// an end that all workers told of is one of the training's own.
func (r *running) orphaned() Ended {
	n, seen, bye := r.job.live()
	if n == 0 && (bye || seen == 0) {
		return Ended{Status: record.Ended}
	}
	return Ended{Status: record.Lost}
}

// removeSocket removes a socket with the directory that was made for it.
func removeSocket(path string) {
	if dir := filepath.Dir(path); strings.HasPrefix(filepath.Base(dir), "vigil-") {
		os.RemoveAll(dir)
	}
}

// waitGone waits until no worker is connected any more and, where none has been
// yet, no process of the job is left that could become one; false when ctx
// ended first.
func (r *running) waitGone(ctx context.Context) bool {
	for {
		if r.deserted() {
			// A worker on its way from one connection to the next is given time.
			select {
			case <-ctx.Done():
				return false
			case <-time.After(500 * time.Millisecond):
			}
			if r.deserted() {
				return true
			}
		}
		select {
		case <-ctx.Done():
			return false
		case <-r.job.left:
		case <-time.After(time.Second):
		}
	}
}

// deserted tells that nobody trains, and nobody is on the way to it. A worker
// that lost its connection without a last word is on the way as long as its
// process lives: on a machine under load a new connection takes seconds.
func (r *running) deserted() bool {
	n, seen, _ := r.job.live()
	switch {
	case n > 0:
		return false
	case seen > 0:
		return !r.job.awaited()
	}
	return len(proc.Carrying("VIGIL_SOCKET="+r.job.set.Socket)) == 0
}

// guess is how the job ended as far as its workers tell.
func (r *running) guess() Ended {
	n, seen, bye := r.job.live()
	if n == 0 && seen > 0 && bye {
		return Ended{Status: record.Completed}
	}
	return Ended{Status: record.Failed}
}

// finish reads the rings to their ends, ends the rules and closes the run.
func (r *running) finish(e Ended, coded bool) error {
	j := r.job
	began := time.Now()
	j.mu.Lock()
	j.ending = true
	j.mu.Unlock()
	r.cancel()
	errServe := <-r.served
	close(r.quit)
	r.bg.Wait()
	j.looking.Wait()
	j.lookBack(true)
	j.starting.Lock()
	defer j.starting.Unlock()
	j.forgetAll()
	unused := r.unused(e, coded)
	if len(j.stepCounts()) == 0 {
		j.noSteps(e, coded)
	}
	j.windows.unrecorded(j)
	if j.eval != nil {
		j.eval.finish(e.Status)
	}
	if err := j.store.Gone(); err != nil {
		j.storeGone(err)
		j.missing("values", "the run's directory was removed while the job ran", 1)
	}
	j.cmu.Lock()
	j.counts.outside += e.StartSeconds + time.Since(began).Seconds()
	j.cmu.Unlock()
	now := time.Now().UTC()
	err := j.writeRun(func(r *record.Run) {
		r.Ended, r.Status, r.StoppedBy, r.Control = &now, e.Status, e.StoppedBy, ""
		r.Exception, r.OutOfMemory = j.raised(), e.OutOfMemory
		if coded {
			r.ExitCode = &e.ExitCode
		}
	})
	if err != nil {
		j.storeFailed(err)
	}
	os.RemoveAll(filepath.Join(j.store.Path(), spillDir))
	errClose := j.store.Close()
	summary := j.summary()
	if unused {
		summary.Removed = os.RemoveAll(j.store.Path()) == nil
	}
	r.release()
	j.events.send(live.Event{Summary: summary})
	j.events.close()
	j.logs.close()
	if errClose != nil {
		errClose = fmt.Errorf("close run: %w", errClose)
	}
	return errors.Join(errServe, err, errClose)
}
