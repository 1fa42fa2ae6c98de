package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/vigil-ml/vigil/internal/measure"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// spillDir is where a run keeps earlier values of tensors while it lives.
const spillDir = "spill"

// measurement is one tensor to be measured and, perhaps, stored raw.
type measurement struct {
	o     *openStep
	info  record.TensorInfo
	dec   plan.Decision
	view  tensor.View
	raw   bool
	stats record.TensorStats
	more  []record.Derived
	err   error
}

// meters measures tensors on a few threads: each tensor always goes to the
// same Meter, since that keeps its earlier values.
type meters struct {
	list []*measure.Meter
}

// shards is how many threads measure one worker's tensors: the training needs
// the machine more.
func shards() int { return min(max(runtime.GOMAXPROCS(0)/2, 1), 4) }

func newMeters(dir, worker string) (meters, error) {
	var m meters
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return m, err
	}
	for i := range shards() {
		mt, err := measure.New(measure.Options{
			Spill: filepath.Join(dir, fmt.Sprintf("%s-%d", worker, i)), Limit: spillLimit,
		})
		if err != nil {
			m.close()
			return m, err
		}
		m.list = append(m.list, mt)
	}
	for mode := record.Train; mode <= record.Global; mode++ {
		m.stored(mode, -1)
	}
	return m, nil
}

// stored says that a step and those before it in its mode are in the store, so
// that no later agent measures them again.
func (m *meters) stored(mode record.Mode, modeStep int64) {
	for _, mt := range m.list {
		mt.Acked(mode, modeStep)
	}
}

// spillLimit bounds each spill file.
const spillLimit = 8 << 30

func (m *meters) close() {
	for _, mt := range m.list {
		mt.Close()
	}
}

// shard spreads names in the same way in every process of this program.
func shard(name string, n int) int {
	h := uint32(2166136261) // FNV-1a
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return int(h % uint32(n))
}

// step gives what could only be computed when all tensors of a step had come.
func (m *meters) step(mode record.Mode, modeStep int64) []record.Derived {
	return m.list[0].Step(mode, modeStep)
}

// shard is the Meter for a tensor: what is computed from several tensors
// together goes to the first one.
func (m *measurement) shard(n int) int {
	if measure.Joint(m.dec) {
		return 0
	}
	return shard(m.info.Name, n)
}

// parallelFrom is the number of bytes from which a second thread is worth
// waking.
const parallelFrom = 1 << 20

// measure computes everything in the queue and adds it to the steps.
func (w *worker) measure() {
	if len(w.queue) == 0 {
		return
	}
	total := 0
	for i := range w.queue {
		total += len(w.queue[i].view.Data)
	}
	if n := len(w.meters.list); n > 1 && total >= parallelFrom {
		var wg sync.WaitGroup
		for k := range n {
			wg.Go(func() { w.measureShard(k, n) })
		}
		wg.Wait()
	} else {
		for k := range n {
			w.measureShard(k, n)
		}
	}
	for i := range w.queue {
		m := &w.queue[i]
		if m.err != nil {
			w.job.missing(m.info.Name, "measure: "+cut(m.err.Error(), 200), 1)
		}
		if m.stats.Tensor != "" {
			m.o.step.Stats = append(m.o.step.Stats, m.stats)
			w.shaped(m.o, m.info.Name, m.view.Shape)
		}
		m.o.step.Derived = append(m.o.step.Derived, m.more...)
		if m.raw {
			w.addRaw(m.o, m.info.Name, m.view)
		}
	}
	clear(w.queue)
	w.queue = w.queue[:0]
}

func (w *worker) measureShard(k, n int) {
	for i := range w.queue {
		m := &w.queue[i]
		if m.shard(n) == k {
			m.compute(w.meters.list[k])
		}
	}
}

// deadly is called before a tensor is measured; tests make agents die there.
var deadly func(m *measurement)

// compute measures. A failure inside is the tensor's alone.
func (m *measurement) compute(mt *measure.Meter) {
	defer func() {
		if r := recover(); r != nil {
			m.stats = record.TensorStats{}
			m.err = fmt.Errorf("the agent failed: %v", r)
		}
	}()
	if deadly != nil {
		deadly(m)
	}
	m.stats, m.more, m.err = mt.Tensor(m.info, m.dec, m.o.key.mode, m.o.step.ModeStep, m.view)
}
