package view

import (
	"fmt"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// LastSteps are the last training steps of the chief before some time, and what its
// machine did meanwhile.
type LastSteps struct {
	Worker, Host string
	Steps        []record.StepTime
	Parts        []record.StepPart // that any of them has, in their order
	Uses         []LastUse
}

// LastUse is a machine metric over the steps of LastSteps: the mean of the samples
// in each, of a step between two samples the nearest one.
type LastUse struct {
	Name   string
	Values []float64
}

// usesOfSteps are the metrics that are next to the parts of steps.
var usesOfSteps = []struct{ name, of string }{
	{"CPU", "cpu/total"}, {"I/O wait", "iowait/total"}, {"GPU", "gpu/*/utilization"},
}

// LastStepsOf are the last n rows of training steps that ended before a time; zero:
// the last of all. A row may be of several short steps.
func LastStepsOf(t source.Run, n int, before time.Time) (*LastSteps, error) {
	run := t.Run()
	l := &LastSteps{Worker: t.Chief(), Host: run.Host, Steps: []record.StepTime{}, Parts: []record.StepPart{}, Uses: []LastUse{}}
	m, ok := t.(source.Metrics)
	if !ok {
		return l, nil
	}
	for _, w := range run.Workers {
		if w.Name == l.Worker && w.Host != "" {
			l.Host = w.Host
		}
	}
	var err error
	if l.Steps, err = lastSteps(m, &run, n, before); err != nil || len(l.Steps) == 0 {
		return l, err
	}
	for p := range record.StepParts {
		if slices.ContainsFunc(l.Steps, func(row record.StepTime) bool { return row.Parts[p] > 0 }) {
			l.Parts = append(l.Parts, p)
		}
	}
	return l, l.uses(m)
}

// lastSteps looks in a minute, an hour, then everywhere. What goes on may stand still
// since hours: it is looked at from what is known of its last step.
func lastSteps(m source.Metrics, run *record.Run, n int, before time.Time) ([]record.StepTime, error) {
	end := before
	if end.IsZero() {
		end = time.Now()
		switch {
		case run.Ended != nil:
			end = *run.Ended
		case run.Time != nil && !run.Time.Until.IsZero():
			end = run.Time.Until
		}
	}
	for _, from := range []time.Time{end.Add(-time.Minute), end.Add(-time.Hour), {}} {
		var of [record.Global + 1][]record.StepTime
		err := m.Times("", from, before, func(row *record.StepTime) error {
			if row.Mode <= record.Global && (before.IsZero() || !row.End.After(before)) {
				list := append(of[row.Mode], *row)
				if len(list) >= 4*n+1024 {
					list = slices.Delete(list, 0, len(list)-n)
				}
				of[row.Mode] = list
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read step times: %w", err)
		}
		list := of[record.Train]
		if len(list) == 0 {
			list = of[record.Global]
		}
		if len(list) >= n || from.IsZero() {
			return append([]record.StepTime{}, list[max(len(list)-n, 0):]...), nil
		}
	}
	return nil, nil
}

func (l *LastSteps) uses(m source.Metrics) error {
	first, last := l.Steps[0].Start, l.Steps[len(l.Steps)-1].End
	for _, use := range usesOfSteps {
		f, known, err := metricOf(m, l.Host, use.of, first.Add(-sampled), last.Add(sampled))
		if err != nil {
			return err
		}
		if !known || len(f.at) == 0 {
			continue
		}
		u := LastUse{Name: use.name}
		for i := range l.Steps {
			u.Values = append(u.Values, f.over(l.Steps[i].Start, l.Steps[i].End))
		}
		l.Uses = append(l.Uses, u)
	}
	return nil
}

// over is the mean of the samples in a span, or the sample that is nearest to its
// middle where none is.
func (f *figures) over(from, to time.Time) float64 {
	begin := placeOf(f.at, from)
	sum, n := 0.0, 0
	for i := begin; i < len(f.at) && f.at[i].Before(to); i++ {
		sum, n = sum+f.values[i], n+1
	}
	if n > 0 {
		return sum / float64(n)
	}
	middle := from.Add(to.Sub(from) / 2)
	i := min(placeOf(f.at, middle), len(f.at)-1)
	if i > 0 && middle.Sub(f.at[i-1]) < f.at[i].Sub(middle) {
		i--
	}
	return f.values[i]
}

// placeOf is the number of the first of ascending times that is not before one.
func placeOf(at []time.Time, t time.Time) int {
	i, _ := slices.BinarySearchFunc(at, t, time.Time.Compare)
	return i
}
