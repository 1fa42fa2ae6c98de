package trial_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// schedules is how many random schedules of writing and crashing are tried.
func schedules() uint64 {
	if os.Getenv("VIGIL_TEST_LONG") != "" {
		return 10_000
	}
	if testenv.Raced {
		return 20
	}
	return 200
}

var errDead = errors.New("the process is dead")

// written is the model: what was written, and how much of it was synced.
type written struct {
	steps     map[string][]*record.Step // by worker, acknowledged
	decisions []*record.Complete
	findings  int
	infos     map[string]int
	raw       map[int64]byte // value of the committed raw tensor by step

	samples []record.Sample // of one host
	times   []record.StepTime
	traces  int
	sampled bool // a sample is in flight
	timed   bool

	synced struct {
		samples, times      int
		steps               map[string]int
		decisions, findings int
		infos               map[string]int
	}
	// inFlight are what a call that failed tried to write; it may be there.
	inFlight map[string]*record.Step
	status   string
	seq      map[string]uint64
}

func newWritten() *written {
	m := &written{steps: map[string][]*record.Step{}, infos: map[string]int{}, raw: map[int64]byte{}, inFlight: map[string]*record.Step{}, seq: map[string]uint64{}}
	m.synced.steps, m.synced.infos = map[string]int{}, map[string]int{}
	return m
}

// small is a step that is cheap to write and compare.
func small(worker string, n int64) *record.Step {
	s := &record.Step{Worker: worker, Step: n, ModeStep: n, Time: start.Add(time.Duration(n) * time.Millisecond),
		Scalars: []record.Scalar{{Name: "loss", Value: float64(n) / 3}}}
	for i := range n % 4 {
		s.Stats = append(s.Stats, record.TensorStats{Tensor: fmt.Sprint("t", 3-i), Stats: tensor.Stats{Count: n, Max: float64(n)}})
	}
	return s
}

// act does one random thing; an error means that the process has died.
func (m *written) act(w *store.Writer, rng *rand.Rand, next *int64) error {
	worker := []string{"w0", "w/1"}[rng.IntN(2)]
	switch p := rng.IntN(100); {
	case p < 48:
		*next++
		s := small(worker, *next)
		m.inFlight[worker] = s
		m.seq[worker]++
		if err := w.Append(worker, "session "+worker, m.seq[worker], s); err != nil {
			return err
		}
		delete(m.inFlight, worker)
		m.steps[worker] = append(m.steps[worker], s)
	case p < 56:
		s := machine("host", len(m.samples))
		m.sampled = true
		if err := w.Samples(s); err != nil {
			return err
		}
		m.sampled, m.samples = false, append(m.samples, s)
	case p < 62:
		row := took("w0", int64(len(m.times)))
		m.timed = true
		if err := w.Times("w0", "session w0", uint64(len(m.times))+1, []record.StepTime{row}, nil); err != nil {
			return err
		}
		m.timed, m.times = false, append(m.times, row)
	case p < 63:
		w.TraceLimit(2000)
		if err := w.Trace("w0", []record.Interval{{Start: start, End: start.Add(time.Duration(rng.IntN(1e6))), Step: int64(m.traces)}}); err != nil {
			return err
		}
		m.traces++
	case p < 70:
		if n := len(m.steps[worker]); n > 0 {
			s := m.steps[worker][n-1]
			for _, d := range m.decisions {
				if d.Step == s.Step {
					return nil
				}
			}
			c := complete(s)
			if err := w.Complete(c); err != nil {
				return err
			}
			m.decisions = append(m.decisions, c)
		}
	case p < 77:
		decisions, findings := len(m.decisions), m.findings
		if err := w.Sync(); err != nil {
			return err
		}
		m.synced.decisions, m.synced.findings = decisions, findings
		m.synced.samples, m.synced.times = len(m.samples), len(m.times)
		for name, l := range m.steps {
			m.synced.steps[name] = len(l)
		}
		for name, n := range m.infos {
			m.synced.infos[name] = n
		}
	case p < 84:
		return w.Seal()
	case p < 88:
		n := int64(rng.IntN(3))
		r, err := w.RawStep("w0", record.Train, n)
		if err != nil {
			return err
		}
		v := byte(rng.IntN(200))
		if err := r.Add("raw", tensor.View{DType: tensor.U8, Shape: []int64{3}, Data: []byte{v, v, v}}); err != nil {
			return err
		}
		before, had := m.raw[n]
		m.raw[n] = 255 // either may be there while it is under way
		if err := r.Commit(); err != nil {
			if !had {
				delete(m.raw, n)
			}
			return err
		}
		_ = before
		m.raw[n] = v
	case p < 92:
		if err := w.Finding(record.Finding{Rule: "r", Step: int64(m.findings)}); err != nil {
			return err
		}
		m.findings++
	case p < 96:
		if err := w.Announce(worker, []record.TensorInfo{{Name: fmt.Sprint("t", m.infos[worker])}}); err != nil {
			return err
		}
		m.infos[worker]++
	default:
		m.status = "" // either, until it is known
		status := fmt.Sprint("status ", rng.IntN(1000))
		if err := w.UpdateRun(func(r *record.Run) { r.Said = status }); err != nil {
			return err
		}
		m.status = status
	}
	return nil
}

// check reads everything after a crash. Of what was acknowledged all must be
// there after a kill, and what was synced after a loss of power; nothing else
// than what was written, each thing once, whole and in order.
func (m *written) check(t *testing.T, fsys vfs.FS, power bool) {
	t.Helper()
	tr, err := trial.OpenFS(fsys, "/root/run")
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	byWorker := map[string][]*record.Step{}
	var decisions []*record.Complete
	ok(t, tr.Replay(func(c *record.Complete) error { decisions = append(decisions, c); return nil }))
	// All parts, decided or not, in the order stored.
	all := map[string]map[int64]*record.Step{"w0": {}, "w/1": {}}
	take := func(s *record.Step) {
		if all[s.Worker][s.Step] != nil {
			t.Fatalf("step %d of %q is there twice", s.Step, s.Worker)
		}
		all[s.Worker][s.Step] = s
	}
	for _, d := range decisions {
		for _, p := range d.Parts {
			take(p)
		}
	}
	ok(t, tr.Undecided(func(s *record.Step) error { take(s); return nil }))
	for worker, list := range m.steps {
		need := len(list)
		if power {
			need = m.synced.steps[worker]
		}
		for i, s := range list {
			got := all[worker][s.Step]
			if got == nil {
				if i < need {
					t.Fatalf("step %d of %q is lost", s.Step, worker)
				}
				continue
			}
			delete(all[worker], s.Step)
			byWorker[worker] = append(byWorker[worker], got)
			if !cmp.Equal(got, s, equal) {
				t.Fatalf("step %d of %q is not what was written: %s", s.Step, worker, cmp.Diff(s, got, equal))
			}
		}
	}
	for worker, rest := range all {
		for n, got := range rest {
			s := m.inFlight[worker]
			if s == nil || s.Step != n || !cmp.Equal(got, s, equal) {
				t.Fatalf("step %d of %q was never written", n, worker)
			}
		}
	}
	m.checkTime(t, tr, power)
	need := len(m.decisions)
	if power {
		need = m.synced.decisions
	}
	if len(decisions) < need {
		t.Fatalf("%d decisions of %d", len(decisions), need)
	}
	if n := len(tr.Findings()); !power && n < m.findings || n < m.synced.findings || n > m.findings+1 {
		t.Fatalf("%d findings of %d", n, m.findings)
	}
	if !power && m.status != "" && tr.Run().Said != m.status {
		t.Fatalf("run.json says %q, not %q", tr.Run().Said, m.status)
	}
	for n, v := range m.raw {
		got, err := tr.Raw("raw", record.Train, n, "w0")
		if err != nil || len(got.Data) != 3 || got.Data[0] != got.Data[2] || v != 255 && got.Data[0] != v {
			t.Fatalf("raw tensor of step %d: %v, %v, want %d", n, got.Data, err, v)
		}
	}
	damage, err := tr.Verify(context.Background(), nil)
	ok(t, err)
	for _, d := range damage {
		if !power && !strings.Contains(d.Reason, "writing was cut off") {
			t.Fatalf("damaged after a kill: %+v", d)
		}
	}
}

// checkTime is check of what goes by time.
func (m *written) checkTime(t *testing.T, tr *trial.Trial, power bool) {
	t.Helper()
	samples, times := samplesOf(t, tr, "", time.Time{}, time.Time{}), timesOf(t, tr, "w0")
	compare := func(what string, got, written, needed int, inFlight bool, equal func(i int) bool) {
		t.Helper()
		if !power {
			needed = written
		}
		if most := written + map[bool]int{true: 1}[inFlight]; got < needed || got > most {
			t.Fatalf("%d %s, of %d that were written and %d that must be there", got, what, written, needed)
		}
		for i := range min(got, written) {
			if !equal(i) {
				t.Fatalf("%s: number %d is not what was written", what, i)
			}
		}
	}
	// A loss of power may tear anything out of what was not synced.
	if power {
		samples, times = samples[:min(len(samples), m.synced.samples)], times[:min(len(times), m.synced.times)]
	}
	compare("samples", len(samples), len(m.samples), m.synced.samples, m.sampled, func(i int) bool { return cmp.Equal(samples[i], m.samples[i], equal) })
	compare("step times", len(times), len(m.times), m.synced.times, m.timed, func(i int) bool { return cmp.Equal(times[i], m.times[i]) })
	for _, f := range tr.Traces("") {
		if _, err := tr.Trace(f); err != nil {
			t.Fatalf("detail: %v", err)
		}
	}
}

// A writer is crashed at random points, by a kill or a loss of power, in
// generation after generation; what is left is read, resumed and written on.
func TestCrashes(t *testing.T) {
	for seed := range schedules() {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			crashing(t, seed)
		})
	}
}

func crashing(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	disk := vfs.NewCrash(seed)
	m := newWritten()
	create(t, disk, "/root")
	next := int64(0)
	for generation := range 3 {
		// The process dies at a random operation on a file. What it does after
		// that, such as tidying up, does not happen either.
		ops, deadline := 0, 5+rng.IntN(150)
		dead := false
		dying := vfs.WithFaults(disk, func(vfs.Op) error {
			ops++
			if ops >= deadline {
				dead = true
				return errDead
			}
			return nil
		})
		w, err := store.Resume(dying, "/root/run")
		if err != nil && !dead {
			t.Fatalf("resume, generation %d: %v", generation, err)
		}
		for i := 0; !dead && i < 200; i++ {
			if err := m.act(w, rng, &next); err != nil && !dead {
				t.Fatalf("generation %d: %v", generation, err)
			}
		}
		m.check(t, disk.KillClone(), false)
		lost := disk.CrashClone()
		m.check(t, lost, true)
		if generation == 1 {
			m.repair(t, lost, rng)
		}
		m.settle(t, disk)
	}
	end(t, disk)
	m.check(t, disk.KillClone(), false)
	lost := disk.CrashClone()
	m.check(t, lost, false)
	whole(t, open(t, lost, "/root/run"))
}

// repair lets the writer after a loss of power lose the power too, at a random
// operation of its own, and the one after it end the run: what was synced
// before the first loss is still there, and only what grew by appending can
// hold something torn, which is named.
func (m *written) repair(t *testing.T, disk *vfs.Crash, rng *rand.Rand) {
	t.Helper()
	ops, deadline := 0, 1+rng.IntN(40)
	dying := vfs.WithFaults(disk, func(vfs.Op) error {
		if ops++; ops >= deadline {
			return errDead
		}
		return nil
	})
	if w, err := store.Resume(dying, "/root/run"); err == nil {
		err = w.Close()
		if err != nil && ops < deadline {
			t.Fatalf("close after a loss of power: %v", err)
		}
	} else if ops < deadline {
		t.Fatalf("resume after a loss of power: %v", err)
	}
	disk = disk.CrashClone()
	end(t, disk)
	m.check(t, disk, true)
	damage, err := open(t, disk, "/root/run").Verify(context.Background(), nil)
	ok(t, err)
	for _, d := range damage {
		if !strings.HasSuffix(d.File, ".log") && !strings.HasSuffix(d.File, ".jsonl") || strings.Contains(d.Reason, "missing") {
			t.Errorf("damaged after a loss of power: %+v", d)
		}
	}
}

// end is the last writer of a run: it takes the run over and ends it.
func end(t *testing.T, disk vfs.FS) {
	t.Helper()
	w, err := store.Resume(disk, "/root/run")
	ok(t, err)
	ok(t, w.Close())
}

// settle finds out whether what was in flight when the process died is there,
// as the next writer does by LastSeq.
func (m *written) settle(t *testing.T, disk *vfs.Crash) {
	t.Helper()
	w, err := store.Resume(disk.KillClone(), "/root/run")
	ok(t, err)
	for worker, s := range m.inFlight {
		if w.LastSeq("session "+worker) == m.seq[worker] {
			m.steps[worker] = append(m.steps[worker], s)
		} else {
			m.seq[worker]--
		}
	}
	m.inFlight = map[string]*record.Step{}
	for worker, n := range m.seq {
		if got := w.LastSeq("session " + worker); got != n {
			t.Fatalf("LastSeq of %q is %d, not %d", worker, got, n)
		}
	}
	tr, err := trial.OpenFS(disk.KillClone(), "/root/run")
	ok(t, err)
	m.findings = len(tr.Findings())
	m.samples, m.times = samplesOf(t, tr, "", time.Time{}, time.Time{}), timesOf(t, tr, "w0")
	m.sampled, m.timed = false, false
	if n := w.LastTimes("session w0"); n != uint64(len(m.times)) {
		t.Fatalf("step times up to %d are known, of %d", n, len(m.times))
	}
	m.decisions = nil
	ok(t, tr.Replay(func(c *record.Complete) error { m.decisions = append(m.decisions, c); return nil }))
}

// A restarted agent that sends again what was stored changes nothing.
func TestNothingIsDoubled(t *testing.T) {
	disk := vfs.NewCrash(1)
	w := create(t, disk, "/root")
	for i := range int64(10) {
		ok(t, w.Append("w", "s", uint64(i+1), small("w", i)))
		if i == 4 {
			ok(t, w.Seal())
		}
	}
	w, err := store.Resume(disk.KillClone(), "/root/run")
	ok(t, err)
	if w.LastSeq("s") != 10 || w.LastSeq("other") != 0 {
		t.Fatalf("LastSeq %d, %d", w.LastSeq("s"), w.LastSeq("other"))
	}
	if w.Rows() == 0 {
		t.Error("no rows are counted after Resume")
	}
	for i := range int64(12) {
		ok(t, w.Append("w", "s", uint64(i+1), small("w", i)))
	}
	n := 0
	tr, err := trial.OpenFS(w.FS(), w.Path())
	ok(t, err)
	ok(t, tr.Undecided(func(*record.Step) error { n++; return nil }))
	if n != 12 {
		t.Errorf("%d steps", n)
	}
}
