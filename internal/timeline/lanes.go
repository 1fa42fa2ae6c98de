package timeline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// noSamples is the kind of the gaps between machine metrics.
const noSamples = "no samples"

// tracksOf are the names of the tracks of events, in their order.
var tracksOf = []struct{ kind, name string }{
	{record.PhaseEvent, "phases"}, {record.EvaluationEvent, "evaluation"}, {record.CheckpointEvent, "checkpoints"},
	{record.LoaderEvent, "loaders"}, {record.DetailEvent, "windows of detail"}, {record.ClockEvent, "clock"}, {noSamples, "no samples"},
}

// mostLanes bounds the tracks of events of one kind that overlap.
const mostLanes = 16

// mostFacts bounds what is shown of an event.
const mostFacts = 4 << 10

// lanes writes events, each kind on a track of its own. Those that overlap are on
// several.
func (b *builder) lanes(pid int, events []record.Event) {
	byKind := map[string][]record.Event{}
	var order []string
	for _, t := range tracksOf {
		order = append(order, t.kind)
	}
	for _, e := range events {
		if !slices.Contains(order, e.Kind) {
			order = append(order, e.Kind)
		}
		byKind[e.Kind] = append(byKind[e.Kind], e)
	}
	tid := laneThreads
	for i, kind := range order {
		list := byKind[kind]
		if len(list) == 0 {
			continue
		}
		name := kind
		if i < len(tracksOf) {
			name = tracksOf[i].name
		}
		tid += b.lanesOf(pid, tid, name, list)
	}
}

// lanesOf writes events of one kind, and reports how many tracks they take.
func (b *builder) lanesOf(pid, first int, name string, list []record.Event) int {
	slices.SortStableFunc(list, func(x, y record.Event) int {
		return cmp.Or(x.Start.Compare(y.Start), y.End.Compare(x.End))
	})
	every := (len(list) + b.o.Events - 1) / b.o.Events
	if every > 1 {
		b.note("Of %d %s every %dth is shown.", len(list), name, every)
	}
	var ends []int64 // of the tracks
	left := 0
	for i := 0; i < len(list); i += every {
		e := &list[i]
		from, to := b.out.since(e.Start), b.out.since(e.End)
		lane := slices.IndexFunc(ends, func(end int64) bool { return end <= from })
		if lane < 0 {
			if len(ends) == mostLanes {
				left++
				continue
			}
			lane, ends = len(ends), append(ends, 0)
			title := name
			if lane > 0 {
				title = fmt.Sprintf("%s %d", name, lane+1)
			}
			b.out.thread(pid, first+lane, title)
		}
		title := cmp.Or(e.Name, e.Kind)
		if to <= from {
			b.out.instant(pid, first+lane, title, from, eventArgs(e)...)
			continue
		}
		ends[lane] = to
		b.out.slice(pid, first+lane, title, from, to, eventArgs(e)...)
	}
	if left > 0 {
		b.note("%d %s that overlap %d others are not shown.", left, name, mostLanes)
	}
	return len(ends)
}

func eventArgs(e *record.Event) []arg {
	var args []arg
	if e.Step > 0 {
		args = append(args, arg{"global_step", e.Step})
	}
	if len(e.Facts) > 0 && len(e.Facts) <= mostFacts && json.Valid(e.Facts) {
		args = append(args, arg{"facts", e.Facts})
	}
	return args
}

// mostFindings bounds the findings on the axis.
const mostFindings = 5000

// oneStep names a step of a worker.
type oneStep struct {
	worker string
	mode   record.Mode
	step   int64
}

func stepOf(f *record.Finding, chief string) oneStep {
	return oneStep{cmp.Or(f.Worker, chief), f.Mode, f.ModeStep}
}

// stepEnds is when the steps of findings closed, as far as that is stored.
func (b *builder) stepEnds() map[oneStep]time.Time {
	wanted := map[string]map[record.Mode][]int64{}
	for i := range b.run.Findings {
		f := &b.run.Findings[i]
		if s := stepOf(f, b.run.ChiefName()); !f.Muted && f.ModeStep >= 0 && f.Mode != record.Global {
			if wanted[s.worker] == nil {
				wanted[s.worker] = map[record.Mode][]int64{}
			}
			wanted[s.worker][s.mode] = append(wanted[s.worker][s.mode], s.step)
		}
	}
	ends := map[oneStep]time.Time{}
	for worker, modes := range wanted {
		for _, steps := range modes {
			slices.Sort(steps)
		}
		err := b.run.Metrics.Times(worker, time.Time{}, time.Time{}, func(row *record.StepTime) error {
			steps := modes[row.Mode]
			i, _ := slices.BinarySearch(steps, row.ModeStep)
			for ; i < len(steps) && steps[i] < row.ModeStep+max(row.Steps, 1); i++ {
				ends[oneStep{worker, row.Mode, steps[i]}] = row.End
			}
			return nil
		})
		if err != nil {
			b.fail(fmt.Errorf("read step times of %q: %w", worker, err))
		}
	}
	return ends
}

// findings writes the findings that count, each at the end of its step.
func (b *builder) findings() {
	type found struct {
		at int64
		f  *record.Finding
	}
	var list []found
	for i := range b.run.Findings {
		f := &b.run.Findings[i]
		if f.Muted || len(list) == mostFindings {
			continue
		}
		list = append(list, found{b.out.since(f.Time), f})
	}
	if len(list) == 0 {
		return
	}
	ends := b.stepEnds()
	for i := range list {
		if end, known := ends[stepOf(list[i].f, b.run.ChiefName())]; known {
			list[i].at = b.out.since(end)
		}
	}
	slices.SortStableFunc(list, func(x, y found) int { return cmp.Compare(x.at, y.at) })
	b.out.thread(jobProcess, findingThread, "findings")
	for _, x := range list {
		f := x.f
		args := []arg{{"severity", string(f.Severity)}, {"message", f.Message}, {"at", f.At()}}
		for _, a := range []arg{{"subject", f.Subject}, {"worker", f.Worker}, {"cause", f.Cause}, {"remedy", f.Remedy}} {
			if a.value != "" {
				args = append(args, a)
			}
		}
		if f.Where != nil {
			args = append(args, arg{"where", f.Where.String()})
		}
		name := f.Rule
		if f.Check != "" {
			name += "/" + f.Check
		}
		b.out.instant(jobProcess, findingThread, name, x.at, args...)
	}
}
