package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/trial"
)

// Limits of the windows that nobody asked for.
const (
	autoWindows   = 3  // of a run
	autoSeconds   = 5  // the longest length of one
	autoFirstStep = 20 // from this TRAIN step on, or
	autoFirst     = time.Minute
	autoNever     = 3 // steps in which there is none, however long they take
)

// Limits of those that somebody asked for.
const (
	maxWindowSeconds = 600
	maxWindowSteps   = 1_000_000
	// lateTime is how long after its longest length the samples of a window may
	// come.
	lateTime = 15 * time.Second
)

// windows are the windows of detail of the run.
type windows struct {
	mu    sync.Mutex // no other lock is taken while it is held
	list  []*windowAsk
	ready bool // stored windows are known
}

// windowAsk is one window, in all the processes that train.
type windowAsk struct {
	number int
	asked  capture.Window
	at     float64 // seconds after the beginning of the run; 0: not by time
	why    string
	auto   bool
	began  time.Time // when it was asked for
	parts  map[string]*windowPart
}

// windowPart is a window in one worker.
type windowPart struct {
	session string
	state   string // one of the words below
	text    string // why there is nothing
	samples int64
	seconds float64
	sent    time.Time
	gone    time.Time // since when the worker has no connection
}

// States of a window in a worker.
const (
	partAsked  = "asked"
	partStored = "stored"
	partFailed = "failed"
)

// open reports whether samples are still to come.
func (w *windowAsk) open() bool {
	for _, p := range w.parts {
		if p.state == partAsked {
			return true
		}
	}
	return len(w.parts) == 0
}

// longest is the longest time that the window may take.
func (w *windowAsk) longest() time.Duration {
	seconds := w.asked.Seconds
	if seconds == 0 {
		seconds = maxWindowSeconds
	}
	return time.Duration((seconds + w.asked.After) * float64(time.Second))
}

// load takes in the windows that are stored, and those of the configuration; mu is
// held.
func (ws *windows) load(j *job) {
	if ws.ready {
		return
	}
	ws.ready = true
	if t, err := trial.OpenFS(j.store.FS(), j.store.Path()); err == nil {
		for _, at := range t.Windows() {
			w := ws.of(at.Number)
			if w == nil {
				w = &windowAsk{number: at.Number, parts: map[string]*windowPart{}}
				if seen, err := t.Stacks(at); err == nil {
					w.auto, w.why = seen.Automatic, seen.Why
				}
				ws.list = append(ws.list, w)
			}
			w.parts[at.Worker] = &windowPart{state: partStored}
		}
		t.Close()
	}
	for i, asked := range j.set.Config.Windows {
		number := i + 1
		w := ws.of(number)
		if w == nil {
			w = &windowAsk{number: number, parts: map[string]*windowPart{}}
			ws.list = append(ws.list, w)
		}
		w.why = asked.Why()
		w.asked = capture.Window{Number: number, FirstStep: asked.FirstStep, EndStep: asked.EndStep, Seconds: asked.Seconds}
		w.at = asked.From
		w.began = time.Now()
	}
}

func (ws *windows) of(number int) *windowAsk {
	for _, w := range ws.list {
		if w.number == number {
			return w
		}
	}
	return nil
}

// next is the number of the next window; mu is held.
func (ws *windows) next(j *job) int {
	n := len(j.set.Config.Windows)
	for _, w := range ws.list {
		n = max(n, w.number)
	}
	return n + 1
}

// due are the windows of the configuration that are to come in a worker. They are
// part of its welcome, because the first steps of a training may be over within
// milliseconds.
func (ws *windows) due(j *job, w *worker, language string) []capture.Window {
	if len(j.set.Config.Windows) == 0 {
		return nil
	}
	if language != "python" {
		j.noticeOnce("warning", "there is no window of detail: the job does not train in Python, and only Python's stacks can be sampled", "")
		return nil
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.load(j)
	var out []capture.Window
	for _, window := range ws.list {
		if window.number > len(j.set.Config.Windows) || window.parts[w.name] != nil && window.parts[w.name].state != partAsked {
			continue
		}
		ask := window.asked
		if window.at > 0 || ask.FirstStep == nil {
			ask.After = max(time.Until(j.set.Started.Add(time.Duration(window.at*float64(time.Second)))).Seconds(), 0.001)
		}
		window.parts[w.name] = &windowPart{session: w.session, state: partAsked, sent: time.Now()}
		out = append(out, ask)
	}
	return out
}

// errWindow says why there can be no window.
type errWindow string

func (e errWindow) Error() string { return string(e) }

// askWindow answers `vigil profile`.
func (j *job) askWindow(r *capture.WindowRequest) any {
	if r == nil || r.Seconds < 0 || r.Seconds > maxWindowSeconds || r.Steps < 0 || r.Steps > maxWindowSteps || r.Seconds == 0 && r.Steps == 0 {
		return map[string]any{"ok": false, "error": fmt.Sprintf("a window has up to %d seconds or %d steps", maxWindowSeconds, maxWindowSteps)}
	}
	number, workers, err := j.openWindow(capture.Window{Seconds: r.Seconds, Steps: r.Steps}, r.Why, false)
	if err != nil {
		return map[string]any{"ok": false, "error": err.Error()}
	}
	return map[string]any{"ok": true, "number": number, "workers": workers}
}

// openWindow asks all processes that train in Python for a window that begins now.
func (j *job) openWindow(asked capture.Window, why string, auto bool) (number, workers int, err error) {
	var python []*worker
	trainers := j.training()
	for _, w := range trainers {
		if w.s.Hello.Language.Name == "python" {
			python = append(python, w)
		}
	}
	switch {
	case len(python) == 0 && len(trainers) > 0:
		return 0, 0, errWindow("the job trains, but not in Python, and only Python's stacks can be sampled")
	case len(python) == 0:
		return 0, 0, errWindow("no process of the job trains at this moment, so there is nothing to sample; `vigil stacks` shows where its processes stand")
	}
	ws := &j.windows
	ws.mu.Lock()
	ws.load(j)
	for _, w := range ws.list {
		if w.number > len(j.set.Config.Windows) && w.open() {
			ws.mu.Unlock()
			return 0, 0, errWindow(fmt.Sprintf("window %d is being recorded: try again when it has ended", w.number))
		}
	}
	asked.Number = ws.next(j)
	w := &windowAsk{number: asked.Number, asked: asked, why: cut(why, 500), auto: auto, began: time.Now(), parts: map[string]*windowPart{}}
	for _, one := range python {
		w.parts[one.name] = &windowPart{session: one.session, state: partAsked, sent: time.Now()}
	}
	ws.list = append(ws.list, w)
	ws.mu.Unlock()
	for _, one := range python {
		go func() {
			err := one.s.Tell(capture.TypeWindow, asked)
			if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, net.ErrClosed) {
				return // its process has just ended: tick says so
			}
			if err != nil {
				j.windows.fail(asked.Number, one.name, "it could not be asked: "+err.Error())
			}
		}()
	}
	return asked.Number, len(python), nil
}

// ownWindow is for checks that want to know where a large share of the time goes: it
// asks for a short window, unless the run has had its windows, it is too early, or
// --no-profile was given. It reports whether there will be one. Why is for the user.
func (j *job) ownWindow(why string) bool {
	if j.set.Config.NoProfile || !j.windowsMayBegin(time.Now()) {
		return false
	}
	j.windows.mu.Lock()
	j.windows.load(j)
	n := 0
	for _, w := range j.windows.list {
		if w.auto {
			n++
		}
	}
	j.windows.mu.Unlock()
	if n >= autoWindows {
		return false
	}
	_, _, err := j.openWindow(capture.Window{Seconds: autoSeconds}, why, true)
	return err == nil
}

// windowsMayBegin reports whether the training is far enough for windows by themselves.
func (j *job) windowsMayBegin(now time.Time) bool {
	counts := j.stepCounts()
	steps := counts[record.Train.String()]
	if steps == 0 { // a framework without modes
		steps = counts[record.Global.String()]
	}
	return steps >= autoFirstStep || steps > autoNever && now.Sub(j.set.Started) >= autoFirst
}

// fail says that there will be no samples of a worker.
func (ws *windows) fail(number int, worker, text string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if w := ws.of(number); w != nil {
		if p := w.parts[worker]; p != nil && p.state == partAsked {
			p.state, p.text = partFailed, text
		}
	}
}

// samples takes what a process has seen in a window, and stores it.
func (j *job) samples(raw json.RawMessage) any {
	refuse := func(text string) any { return map[string]any{"ok": false, "error": text} }
	seen, session, err := stacks.Sent(raw)
	if err != nil {
		return refuse(err.Error())
	}
	name := j.known()[session].Worker
	if name == "" {
		return refuse("the samples are of no process of this run")
	}
	seen.Worker = name
	ws := &j.windows
	ws.mu.Lock()
	ws.load(j)
	if w := ws.of(seen.Number); w != nil {
		seen.Why, seen.Automatic = w.why, w.auto
	} else { // an agent before this one asked for it
		ws.list = append(ws.list, &windowAsk{number: seen.Number, parts: map[string]*windowPart{name: {session: session, state: partAsked}}})
	}
	ws.mu.Unlock()
	b, err := seen.Encode()
	if err == nil {
		err = j.store.Profile(name, seen.Number, b)
	}
	if err != nil {
		text := "its samples could not be stored: " + err.Error()
		if errors.Is(err, store.ErrNoSpace) {
			text = "the disk is full, its samples are lost; free some space and ask again"
		}
		ws.fail(seen.Number, name, text)
		j.events.notice("warning", fmt.Sprintf("window %d of %s: %s", seen.Number, name, text), "training continues")
		return refuse(text)
	}
	ws.mu.Lock()
	if w := ws.of(seen.Number); w != nil {
		p := &windowPart{session: session, state: partStored, seconds: seen.Seconds}
		if t := seen.Trains(); t != nil {
			p.samples = t.Samples
		}
		w.parts[name] = p
	}
	ws.mu.Unlock()
	j.logs.say("window %d of %s is stored: %d bytes", seen.Number, name, len(b))
	j.tellWindow(seen)
	return map[string]any{"ok": true}
}

// WindowState is how far a window is.
type WindowState struct {
	Number int               `json:"number"`
	State  string            `json:"state"` // asked, stored, failed
	Parts  []WindowPartState `json:"parts"`
}

// WindowPartState is how far a window is in one worker.
type WindowPartState struct {
	Worker  string  `json:"worker"`
	State   string  `json:"state"`
	Text    string  `json:"text,omitempty"` // why there are no samples
	Samples int64   `json:"samples"`
	Seconds float64 `json:"seconds"`
}

// unrecorded tells at the end which windows of the configuration there are not.
func (ws *windows) unrecorded(j *job) {
	ws.mu.Lock()
	var lacking []string
	for _, w := range ws.list {
		stored := false
		for _, p := range w.parts {
			stored = stored || p.state == partStored
		}
		if w.number <= len(j.set.Config.Windows) && len(w.parts) > 0 && !stored {
			lacking = append(lacking, j.set.Config.Windows[w.number-1].Spec)
		}
	}
	ws.mu.Unlock()
	steps := j.stepCounts()[record.Train.String()]
	for _, spec := range lacking {
		j.events.notice("warning", fmt.Sprintf("the window %s was not recorded: the training ended before it, after %d steps", spec, steps), "")
	}
}

// windowState answers how far a window is.
func (j *job) windowState(number int) any {
	ws := &j.windows
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w := ws.of(number)
	if w == nil {
		return map[string]any{"ok": false, "error": fmt.Sprintf("there is no window %d", number)}
	}
	out := struct {
		OK bool `json:"ok"`
		WindowState
	}{true, WindowState{Number: number, State: partAsked}}
	stored := false
	for name, p := range w.parts {
		out.Parts = append(out.Parts, WindowPartState{name, p.state, p.text, p.samples, p.seconds})
		stored = stored || p.state == partStored
	}
	slices.SortFunc(out.Parts, func(a, b WindowPartState) int { return strings.Compare(a.Worker, b.Worker) })
	if !w.open() {
		if out.State = partFailed; stored {
			out.State = partStored
		}
	}
	return out
}

// tick notices windows whose samples do not come any more.
func (ws *windows) tick(j *job, now time.Time) {
	ws.mu.Lock()
	any := slices.ContainsFunc(ws.list, func(w *windowAsk) bool { return len(w.parts) > 0 && w.open() })
	ws.mu.Unlock()
	if !any {
		return
	}
	connected := map[string]bool{}
	for _, w := range j.training() {
		connected[w.session] = true
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, w := range ws.list {
		for _, p := range w.parts {
			switch {
			case p.state != partAsked:
			case connected[p.session]:
				p.gone = time.Time{}
				if w.asked.FirstStep == nil && now.Sub(p.sent) > w.longest()+lateTime {
					p.state = partFailed
					p.text = "its interpreter did not answer in time: a call in it may hold Python's lock, or it hangs; `vigil stacks " + filepath.Base(j.store.Path()) + "` shows where"
				}
			case p.gone.IsZero():
				p.gone = now
			case now.Sub(p.gone) > goneTime:
				p.state, p.text = partFailed, "the process ended in the window, before it could send its samples"
			}
		}
	}
}

// goneTime is how long the samples of a process may come after its end.
const goneTime = 3 * time.Second
