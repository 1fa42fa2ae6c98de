package agent

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
)

// worker is one process of the training: the capture.Sink of its session. Its
// methods are called by the session's goroutine unless they say otherwise.
type worker struct {
	job     *job
	s       *capture.Session
	session string
	name    string
	rank    int
	full    bool // tensors are captured, not only losses
	chief   bool
	plain   bool // a script that only logs, without a framework's hook

	defs    []*capture.TensorDef // by id, as announced
	modules []capture.Module
	unsaved []record.TensorInfo // announced, not yet stored

	open    map[stepKey]*openStep
	order   []*openStep // open steps in the order they were begun
	ready   []readyStep
	readySq uint64 // seq of the last of ready
	stored  uint64 // seq that the store knows; steps up to it are not stored again
	seen    uint64 // records handled
	last    uint64 // seq of the last tensor that was given between steps
	held    uint64 // seq of the last step, while the rules wait for what may be given to it; 0: they do not
	retry   time.Time
	failing bool

	aside []uint64 // records that are not read
	note  *note    // of what is read, while the worker is careful
	until uint64   // it is, up to this record

	meters  meters
	shapes  shapes
	curves  trainingCurves
	queue   []measurement
	pieces  map[uint32]*assembly
	batches map[batch]bool // of numbers: whether all their names differ
	acked   atomic.Uint64
	marked  uint64 // acked when last synced; belongs to job.sync
	spent   stepTimes
	said    map[string]int64 // dropped, by reason, from the hook's bye
	bye     bool
	closed  chan struct{}
	marking mutex // guards the ring's synced mark against its unmapping
}

type stepKey struct {
	mode    record.Mode
	step    int64
	between bool // tensors given after the step had closed
}

// openStep is a step whose closing record has not come.
type openStep struct {
	key   stepKey
	first uint64 // number of its first record
	step  *record.Step
	raw   *store.RawWriter
	rawN  []string
	lost  int64
	bytes int64
	drops bool // some of what was due was dropped
	apart bool // its scalars came as one batch of names that differ

	shapes []shapeSeen // of its tensors, where they may have to be stored
}

// readyStep waits for the store. A free one holds what was given after its step
// had closed.
type readyStep struct {
	*record.Step
	seq  uint64
	free bool
}

// Bounds of what a hook may make the agent hold.
const (
	maxOpenSteps = 64
	maxBatches   = 4096      // whose names are known to differ
	maxScalars   = 1_000_000 // of one step
	maxReady     = 2000      // steps waiting for a full disk
)

func newWorker(j *job, s *capture.Session, st sessionState) (*worker, error) {
	w := &worker{
		job: j, s: s, session: s.Hello.Session, name: st.Worker, rank: max(s.Hello.Rank, 0), full: st.Full, chief: st.Chief,
		open: map[stepKey]*openStep{}, pieces: map[uint32]*assembly{}, batches: map[batch]bool{}, closed: make(chan struct{}), marking: mutex{order: lockMarking},
		stored: j.store.LastSeq(s.Hello.Session), aside: st.Aside,
	}
	w.plain = s.Hello.Framework.Name == "python"
	w.shapes = newShapes(j.store.Path(), w.name)
	w.curves.dropped = s.Dropped()
	w.spent = newStepTimes(w.name, s.Peer)
	if s.Hello.Takeover {
		w.held = max(w.stored, 1) // by the agent before, or by none
	}
	var err error
	w.meters, err = newMeters(filepath.Join(j.store.Path(), spillDir), w.name)
	if err != nil {
		return nil, fmt.Errorf("open worker %s: %w", w.name, err)
	}
	if st.Tries >= carefulFrom {
		if err := w.beCareful(j.store.Path()); err != nil {
			j.events.notice("warning", err.Error(), "")
		}
	}
	return w, nil
}

func (w *worker) isClosed() bool {
	select {
	case <-w.closed:
		return true
	default:
		return false
	}
}

// Modules adds to the modules that are known: a hook announces each model, its
// loss modules and long lists in messages of their own. A path that was
// announced before is replaced.
func (w *worker) Modules(m capture.Modules) {
	place := make(map[string]int, len(w.modules))
	for i, known := range w.modules {
		place[known.Path] = i
	}
	for _, module := range m.Modules {
		if i, there := place[module.Path]; there {
			w.modules[i] = module
			continue
		}
		place[module.Path] = len(w.modules)
		w.modules = append(w.modules, module)
	}
}

// Tensors takes announcements: the plan's collections go with them to the
// store and to the rules.
func (w *worker) Tensors(defs []*capture.TensorDef) {
	clear(w.batches)
	w.curves.stale = true
	infos := make([]record.TensorInfo, 0, len(defs))
	for _, d := range defs {
		for int64(len(w.defs)) <= int64(d.ID) {
			w.defs = append(w.defs, nil)
		}
		w.defs[d.ID] = d
		if !d.Strings { // whose shape is that of their bytes
			w.shapes.announce(d.Name, d.Shape)
		}
		dec := w.decide(d)
		d.Collections = dec.Collections
		infos = append(infos, d.TensorInfo)
		if d.Cut {
			w.job.missing(d.Name, "the name was too long and was truncated", 1)
		}
	}
	w.unsaved = append(w.unsaved, infos...)
	w.announce()
	w.job.eval.announce(w.name, infos)
}

// collectAgain announces once more the tensors that belong to other collections
// since the plan has changed, so that rules and readers find them there.
func (w *worker) collectAgain() {
	var infos []record.TensorInfo
	for _, d := range w.defs {
		if d == nil {
			continue
		}
		if now := w.decide(d).Collections; !slices.Equal(now, d.Collections) {
			d.Collections = now
			infos = append(infos, d.TensorInfo)
		}
	}
	if len(infos) == 0 {
		return
	}
	w.unsaved = append(w.unsaved, infos...)
	w.announce()
	w.job.eval.announce(w.name, infos)
}

// announce stores announcements; those that cannot be stored now wait.
func (w *worker) announce() bool {
	if len(w.unsaved) == 0 {
		return true
	}
	if err := w.job.store.Announce(w.name, w.unsaved); err != nil {
		w.job.storeFailed(err)
		return false
	}
	w.unsaved = w.unsaved[:0]
	return true
}

// decided is a plan's decision, kept with the tensor until the plan changes.
type decided struct {
	gen int
	plan.Decision
}

func (w *worker) decide(d *capture.TensorDef) plan.Decision {
	p, gen := w.job.currentPlan()
	if k, ok := d.User.(*decided); ok && k.gen == gen {
		return k.Decision
	}
	k := &decided{gen, p.Decide(d.TensorInfo)}
	d.User = k
	return k.Decision
}

// Collection takes a collection that the script defined.
func (w *worker) Collection(c capture.Collection) {
	col, err := collectionOf(c)
	if err == nil {
		err = w.job.addCollection(col)
	}
	if err != nil {
		w.job.noticeOnce("warning", cut(fmt.Sprintf("the script's collection %.200q was ignored: %v", c.Name, err), 2000),
			"see `vigil run --help` for the form of a collection")
	}
}

// Facts takes what was understood of the training.
func (w *worker) Facts(f capture.Facts) {
	if w.job.takeFacts(w, f) && f.Said != "" {
		w.job.events.send(live.Event{Said: &live.Said{Worker: w.name, Text: f.Said}})
	}
}

// Missing takes what the hook could not capture.
func (w *worker) Missing(m capture.Missing) {
	for _, n := range m.Missing {
		w.job.missing(n.Name, n.Reason, max(n.Count, 1))
	}
}

// Notice passes a line on to the user.
func (w *worker) Notice(n capture.Notice) {
	switch n.Level {
	case "info", "warning", "error":
	default:
		n.Level = "info"
	}
	w.job.noticeOnce(n.Level, cut(n.Text, 2000), cut(n.Hint, 2000))
}

// Bye says that the hook closes in good order.
func (w *worker) Bye(b capture.Bye) {
	w.bye = true
	w.said = b.Dropped
	w.job.once(b.Overhead.OnceSeconds)
}

// Refuse counts what did not fit the protocol.
func (w *worker) Refuse(reason string, n int64) {
	w.job.missing(w.name, "refused: "+cut(reason, 300), n)
}

// Failed says that nothing more of the session can be read.
func (w *worker) Failed(reason string) { w.job.failed(w, reason) }

// Closed ends the worker: a step that was not closed is not stored. The bye of
// a hook that closed in good order may not have arrived.
func (w *worker) Closed(bye bool) {
	w.bye = w.bye || bye
	if w.bye || !w.s.Peer.Alive() {
		w.endTimes()
	}
	for end := time.Now().Add(2 * time.Second); !w.flush(true) && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
	}
	w.storeDetail()
	partial := 0
	for _, o := range w.order {
		o.abort()
		partial += len(o.step.Scalars) + len(o.step.Stats)
	}
	for _, a := range w.pieces {
		a.close()
	}
	w.countDrops()
	w.meters.close()
	if w.note != nil {
		w.note.close()
	}
	w.marking.Lock()
	close(w.closed)
	w.marking.Unlock()
	w.job.gone(w, int64(partial))
}

// synced publishes that everything that was acked before is safe from a loss
// of power. Any goroutine may call it.
func (w *worker) synced(n uint64) {
	w.marking.Lock()
	defer w.marking.Unlock()
	if !w.isClosed() {
		w.s.SetSynced(n)
	}
}

func cut(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}
