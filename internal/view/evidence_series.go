package view

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Shown is a series on which a finding can be seen.
type Shown struct {
	Ask
	Step       int64   // of the series' mode, where the finding is
	Threshold  float64 // that the series is compared with; NaN where what was compared is another number
	Comparator string
}

// mostShown bounds the series that are shown of a finding.
const mostShown = 4

// EvidenceSeries are the series on which a finding can be seen: the statistic of its
// subject that is the number in the finding, and, of the same kind, the other tensors
// that it names. Where the subject has no series, it is the loss.
func EvidenceSeries(t source.Run, f *record.Finding) ([]Shown, error) {
	numbers, names := numbersOf(f)
	var out []Shown
	stat := ""
	for _, name := range append([]string{f.Subject}, names...) {
		if len(out) == mostShown || name == "" || slices.ContainsFunc(out, func(s Shown) bool { return s.Tensor == name }) {
			continue
		}
		s, ok, err := shown(t, f, name, stat, numbers)
		if err != nil {
			return nil, err
		}
		if ok {
			out, stat = append(out, s), s.Stat
		}
	}
	if len(out) > 0 {
		return withItsTwin(t, f, out)
	}
	for _, name := range []string{"time/" + f.Subject, "loss", "time/step"} {
		s, ok, err := shown(t, f, name, "", numbers)
		if err != nil {
			return nil, err
		}
		if ok {
			return []Shown{s}, nil
		}
	}
	return []Shown{}, nil
}

// withItsTwin adds to a scalar what it is in the other of training and evaluation,
// where a finding compares the two.
func withItsTwin(t source.Run, f *record.Finding, out []Shown) ([]Shown, error) {
	_, compares := f.Context["validation"]
	twin := out[0]
	switch {
	case !compares || len(out) == mostShown || twin.Stat != "value":
		return out, nil
	case f.Mode == record.Train:
		twin.Mode = record.Eval.String()
	case f.Mode == record.Eval:
		twin.Mode = record.Train.String()
	default:
		return out, nil
	}
	mode, _ := record.ParseMode(twin.Mode)
	steps, _, err := t.Series(source.Query{Tensor: twin.Tensor, Stat: twin.Stat, Mode: mode, Worker: twin.Worker})
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(steps) == 0 {
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read series %q: %w", twin.Tensor, err)
	}
	twin.Threshold, twin.Comparator = math.NaN(), ""
	return append(out, twin), nil
}

// shown finds the statistic of a tensor that shows a finding; prefer is that of
// another one.
func shown(t source.Run, f *record.Finding, name, prefer string, numbers []float64) (Shown, bool, error) {
	stats := t.StatNames(name)
	if len(stats) == 0 {
		return Shown{}, false, nil
	}
	s := Shown{Ask: Ask{Tensor: name, Mode: f.Mode.String(), Worker: f.Worker}, Step: f.ModeStep, Threshold: math.NaN()}
	if !slices.Contains(t.Workers(), f.Worker) {
		s.Worker = ""
	}
	best := len(numbers)
	for _, stat := range stats {
		v, ok, err := valueAt(t, &s.Ask, stat, f)
		if err != nil {
			return s, false, err
		}
		if !ok {
			continue
		}
		if i := slices.IndexFunc(numbers, func(n float64) bool { return same(n, v) }); i >= 0 && i < best {
			best, s.Stat = i, stat
		}
	}
	switch {
	case best == 0 && len(numbers) > 0:
		if f.Observed != f.Threshold {
			s.Threshold, s.Comparator = float64(f.Threshold), f.Comparator
		}
	case s.Stat != "":
	case prefer != "" && slices.Contains(stats, prefer):
		s.Stat = prefer
	default:
		for _, stat := range []string{"value", "abs_mean", "mean", stats[0]} {
			if slices.Contains(stats, stat) {
				s.Stat = stat
				break
			}
		}
	}
	return s, true, nil
}

// valueAt is the value of a statistic at the step of a finding.
func valueAt(t source.Run, ask *Ask, stat string, f *record.Finding) (float64, bool, error) {
	if f.ModeStep < 0 {
		return 0, false, nil
	}
	_, values, err := t.Series(source.Query{Tensor: ask.Tensor, Stat: stat, Mode: f.Mode, Worker: ask.Worker, From: f.ModeStep, To: f.ModeStep + 1})
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("read series %q: %w", ask.Tensor, err)
	}
	if len(values) == 0 {
		return 0, false, nil
	}
	return values[len(values)-1], true, nil
}

// same reports whether two numbers are one, written with fewer digits.
func same(a, b float64) bool {
	return a == b && a != 0 || math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) && a != 0 || math.IsNaN(a) && math.IsNaN(b)
}

// numbersOf are the numbers of a finding, the one that was judged first, and the
// texts of its context, which may name tensors.
func numbersOf(f *record.Finding) (numbers []float64, names []string) {
	numbers = []float64{float64(f.Observed)}
	keys := make([]string, 0, len(f.Context))
	for k := range f.Context {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		switch x := record.Plainly(f.Context[k]).(type) {
		case float64:
			numbers = append(numbers, x)
		case string:
			names = append(names, x)
		case []any:
			for _, e := range x {
				if s, ok := e.(string); ok {
					names = append(names, s)
				}
			}
		}
	}
	return numbers, names
}
