package judge

import (
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// Host announces a host whose samples are to be waited for.
func (j *Judge) Host(name string) { j.closer.Host(name) }

// HostGone says that a host samples no more, and judges the windows of time that
// waited for nobody else.
func (j *Judge) HostGone(name string) { j.windows(j.closer.HostGone(name)) }

// Samples takes what hosts sampled, and judges the windows that are closed by it.
// What it is given belongs to it, here and below; it comes in the order in which
// it is stored.
func (j *Judge) Samples(list ...record.Sample) { j.windows(j.closer.Samples(list...)) }

// Times takes step times and events that are stored with a worker, and judges the
// windows that are closed by them.
func (j *Judge) Times(worker string, times []record.StepTime, events []record.Event) {
	j.windows(j.closer.Times(worker, times, events))
}

// Put takes a row without closing a window, which suits rows that come source
// after source.
func (j *Judge) Put(s record.RowSource, r record.Row) { j.closer.Put(s, r) }

// Late judges the windows that are closed at a time of the clock, whoever is late.
func (j *Judge) Late(now time.Time) { j.windows(j.closer.Close(now)) }

// DecidedWindow judges a window that was closed before, by whoever judged the run
// then.
func (j *Judge) DecidedWindow(w *record.Window) {
	j.closer.Resume(w)
	j.window(w)
}

func (j *Judge) windows(list []*record.Window) {
	for _, w := range list {
		if j.opts.OnWindow != nil {
			j.opts.OnWindow(w)
		}
		j.window(w)
	}
}

func (j *Judge) window(w *record.Window) {
	if j.ctx.Err() == nil {
		j.Engine.Window(w)
	}
}
