package timeline

import (
	"fmt"
	"iter"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// steps writes the steps of a worker: in detail where that is stored, else with
// the sums of their parts.
func (b *builder) steps(pid int, worker string) {
	limit := max(b.o.Rows/max(len(b.run.Workers), 1), 100)
	together, every, err := b.thinning(worker, limit)
	if err != nil {
		b.fail(err)
		return
	}
	details := b.details(worker)
	if together == 0 && details == nil {
		return
	}
	b.out.thread(pid, stepThread, "steps")
	next, stop := iter.Pull(b.detailSteps(worker, details))
	defer stop()
	t := stepTrack{b: b, pid: pid, next: next}
	t.advance()
	groups := 0
	write := func(row *record.StepTime) {
		if groups++; (groups-1)%every == 0 {
			t.row(row)
		}
	}
	var group record.StepTime
	rows := 0
	err = b.run.Metrics.Times(worker, time.Time{}, time.Time{}, func(row *record.StepTime) error {
		switch {
		case rows > 0 && rows < together && follows(&group, row):
			join(&group, row)
			rows++
		default:
			if rows > 0 {
				write(&group)
			}
			group, rows = *row, 1
		}
		return b.out.err
	})
	if rows > 0 {
		write(&group)
	}
	if err != nil {
		b.fail(fmt.Errorf("read step times of %q: %w", worker, err))
	}
	t.rest()
}

// pause is the time between two rows beyond which they are not taken together.
const pause = time.Second

// follows reports whether a row may be taken together with those before it.
func follows(group, row *record.StepTime) bool {
	return row.Mode == group.Mode && row.Start.Sub(group.End) < pause
}

// join takes a row together with those before it.
func join(group, row *record.StepTime) {
	if row.Longest > group.Longest {
		group.Longest, group.LongestStep = row.Longest, row.LongestStep
	}
	group.Steps += row.Steps
	group.Gap += row.Gap
	group.End = row.End
	for p, ns := range row.Parts {
		group.Parts[p] += ns
	}
}

// mostTogether bounds how many rows are taken together, as a power of two.
const mostTogether = 20

// thinning is how many rows of a worker are taken together, and that of these
// groups every how manieth is shown, so that there are not more than limit.
// together is 0 where there is no row.
func (b *builder) thinning(worker string, limit int) (together, every int, err error) {
	var groups, open [mostTogether + 1]int // by the power of two
	var last record.StepTime
	n := 0
	err = b.run.Metrics.Times(worker, time.Time{}, time.Time{}, func(row *record.StepTime) error {
		joins := n > 0 && follows(&last, row)
		for i := range groups {
			if open[i]++; !joins || open[i] > 1<<i {
				groups[i]++
				open[i] = 1
			}
		}
		last, n = *row, n+1
		return nil
	})
	if err != nil {
		return 0, 1, fmt.Errorf("read step times of %q: %w", worker, err)
	}
	if n == 0 {
		return 0, 1, nil
	}
	for i, groups := range groups {
		if groups <= limit {
			if i > 0 {
				b.note("Steps of %s are shown in groups: one slice for up to %d of the %d stored rows, with the sums of their parts.", worker, 1<<i, n)
			}
			return 1 << i, 1, nil
		}
	}
	every = (groups[mostTogether] + limit - 1) / limit
	b.note("Of %d groups of steps of %s every %dth is shown.", groups[mostTogether], worker, every)
	return 1 << mostTogether, every, nil
}

// details are the pieces of detail of a worker that are shown: all, or some of
// them at equal distances.
func (b *builder) details(worker string) []Detail {
	all := b.run.Details[worker]
	total := int64(0)
	for _, d := range all {
		total += d.Bytes
	}
	limit := b.o.Detail / int64(max(len(b.run.Workers), 1))
	if total <= limit {
		return all
	}
	var kept []Detail
	taken, passed := int64(0), int64(0)
	for _, d := range all {
		passed += d.Bytes
		if float64(taken+d.Bytes) <= float64(limit)*float64(passed)/float64(total) || len(kept) == 0 && d.Bytes <= limit {
			kept = append(kept, d)
			taken += d.Bytes
		}
	}
	b.note("Of the detail of single steps of %s %d of %d pieces are shown; elsewhere the parts are sums.", worker, len(kept), len(all))
	return kept
}

// detailStep is a step in detail.
type detailStep struct {
	record.Interval // its place and mode, from the first to the last interval
	parts           []record.Interval
}

// detailSteps hands over the steps that stored detail tells of.
func (b *builder) detailSteps(worker string, details []Detail) iter.Seq[detailStep] {
	return func(yield func(detailStep) bool) {
		var step detailStep
		for _, d := range details {
			list, err := d.Read()
			if err != nil {
				b.note("A piece of the detail of %s cannot be read: %v.", worker, err)
				continue
			}
			for _, v := range list {
				if !v.End.After(v.Start) {
					continue
				}
				if len(step.parts) > 0 && (v.Step != step.Step || v.Mode != step.Mode || v.ModeStep != step.ModeStep || v.Start.Sub(step.End) > pause) {
					if !yield(step) {
						return
					}
					step = detailStep{}
				}
				if len(step.parts) == 0 {
					step.Interval = v
				}
				step.End = v.End
				step.parts = append(step.parts, v)
			}
		}
		if len(step.parts) > 0 {
			yield(step)
		}
	}
}

// stepTrack are the tracks of a worker's steps. The slices of a track follow each
// other.
type stepTrack struct {
	b     *builder
	pid   int
	last  int64 // end of the last slice
	lone  int64 // end of the last slice of single steps; 0: there is none yet
	next  func() (detailStep, bool)
	step  detailStep // the next one in detail
	there bool
}

func (t *stepTrack) advance() { t.step, t.there = t.next() }

// row writes a row: as the steps in detail that lie in it, where these fill it.
// Where only some of its steps are there, these are on a track of their own.
func (t *stepTrack) row(row *record.StepTime) {
	out := t.b.out
	from, to := out.since(row.Start), out.since(row.End)
	var within []detailStep
	covered := int64(0)
	for t.there && out.since(t.step.Start) < to {
		if out.since(t.step.End) <= from {
			t.detailed(&t.step, stepThread, &t.last, from)
		} else {
			within = append(within, t.step)
			covered += min(out.since(t.step.End), to) - max(out.since(t.step.Start), from)
		}
		t.advance()
	}
	if covered*10 >= (to-from)*9 && len(within) > 0 {
		for i := range within {
			t.detailed(&within[i], stepThread, &t.last, to)
		}
		return
	}
	t.sums(row, from, to)
	for i := range within {
		if t.lone == 0 {
			out.thread(t.pid, loneThread, "single steps")
			t.lone = 1
		}
		t.detailed(&within[i], loneThread, &t.lone, out.since(within[i].End))
	}
}

// rest writes the steps in detail behind the last row.
func (t *stepTrack) rest() {
	for ; t.there; t.advance() {
		t.detailed(&t.step, stepThread, &t.last, t.b.out.since(t.step.End))
	}
}

// detailed writes a step in detail on a track, behind the last slice there and up
// to a time.
func (t *stepTrack) detailed(s *detailStep, thread int, last *int64, until int64) {
	out := t.b.out
	from, to := max(out.since(s.Start), *last), min(out.since(s.End), until)
	if to <= from {
		return
	}
	t.b.result.Steps++
	out.slice(t.pid, thread, s.Mode.Activity()+" step", from, to, arg{"step", s.ModeStep}, arg{"global_step", s.Step})
	at := from
	for _, p := range s.parts {
		start, end := max(out.since(p.Start), at), min(out.since(p.End), to)
		if end <= start {
			continue
		}
		if p.MicroBatch > 0 {
			out.slice(t.pid, thread, p.Part.Word(), start, end, arg{"micro_batch", int64(p.MicroBatch)})
		} else {
			out.slice(t.pid, thread, p.Part.Word(), start, end)
		}
		at = end
	}
	*last = to
}

// sums writes a row, and the sums of its parts one behind another.
func (t *stepTrack) sums(row *record.StepTime, from, to int64) {
	from = max(from, t.last)
	if to <= from {
		return
	}
	t.b.result.Steps++
	name := row.Mode.Activity() + " step"
	args := []arg{{"step", row.ModeStep}, {"global_step", row.Step}}
	if row.Steps > 1 {
		name += "s"
		args = append(args, arg{"steps", row.Steps}, arg{"longest_ms", float64(row.Longest) / 1e6}, arg{"longest_step", row.LongestStep})
	}
	t.b.out.slice(t.pid, stepThread, name, from, to, append(args, arg{"parts", "sums"})...)
	at := from
	for p, ns := range row.Parts {
		if end := min(at+ns, to); end > at {
			t.b.out.slice(t.pid, stepThread, record.StepPart(p).Word(), at, end)
			at = end
		}
	}
	t.last = to
}
