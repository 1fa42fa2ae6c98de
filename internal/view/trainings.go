package view

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// TrainingOfProcess is one of those that a process made one after the other.
type TrainingOfProcess struct {
	Number     int            `json:"number"`
	From       int64          `json:"from"` // TRAIN steps
	To         int64          `json:"to"`
	Epochs     int64          `json:"epochs,omitempty"` // 0 where they are not known
	Optimiser  string         `json:"optimiser,omitempty"`
	Loss       *record.Number `json:"loss,omitempty"`            // of its last step
	Validation *record.Number `json:"validation_loss,omitempty"` // of its last evaluation
	Findings   record.Tally   `json:"-"`
}

// Trainings are those of a process that made several, in their order; nil of one.
func Trainings(t source.Run) ([]TrainingOfProcess, error) {
	run := t.Run()
	clock := run.Clock()
	made := run.Steps[record.Train.String()]
	f, err := run.KnownFacts()
	if err != nil || f == nil || len(clock.Trainings) == 0 || made == 0 {
		return nil, nil //nolint:nilerr // facts that cannot be read were said to be damaged
	}
	out := make([]TrainingOfProcess, len(clock.Trainings)+1)
	out[0] = TrainingOfProcess{Number: 1, Optimiser: optimiserText(f.Optimiser)}
	for i, at := range clock.Trainings {
		out[i].To = at.Update - 1
		out[i+1] = TrainingOfProcess{Number: i + 2, From: at.Update, Optimiser: optimiserText(f.Begins(i).Optimiser)}
	}
	out[len(out)-1].To = made - 1
	for i := range out {
		one := &out[i]
		if e, ok := clock.Epoch(one.To); ok {
			one.Epochs = e.Number
		}
		if one.Loss, err = lastLoss(t, one); err != nil {
			return nil, err
		}
	}
	if err := validations(t, out); err != nil {
		return nil, err
	}
	for i, groups := range groupsOf(t.Groups(), f, len(out)) {
		out[i].Findings = record.Count(groups)
	}
	return out, nil
}

// optimiserText names an optimiser and its rate.
func optimiserText(o *record.OptimiserFacts) string {
	switch {
	case o == nil:
		return ""
	case o.Set != nil:
		return fmt.Sprintf("%s lr %s, scheduled", o.Class, record.Digits(*o.Set))
	case o.LR != nil:
		return fmt.Sprintf("%s lr %s", o.Class, record.Digits(*o.LR))
	}
	return o.Class
}

// lossReach is how many steps before its end a training's last loss is looked for.
const lossReach = 1000

func lastLoss(t source.Run, one *TrainingOfProcess) (*record.Number, error) {
	_, values, err := t.Series(source.Query{Tensor: "loss", Stat: "value", Mode: record.Train, From: max(one.From, one.To+1-lossReach), To: one.To + 1})
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(values) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the loss: %w", err)
	}
	n := record.Number(values[len(values)-1])
	return &n, nil
}

// validations gives each training the loss of its last evaluation that is over.
func validations(t source.Run, out []TrainingOfProcess) error {
	passes, err := newPassReader(t, newClock(t)).over(source.Query{Tensor: "loss", Stat: "value", Mode: record.Eval})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the validation loss: %w", err)
	}
	for _, p := range passes {
		for i := range out {
			if p.update >= out[i].From && p.update <= out[i].To {
				n := record.Number(p.value)
				out[i].Validation = &n
			}
		}
	}
	return nil
}

// groupsOf divides groups by the training that their root is of. What a root says once
// more of a later training counts there.
func groupsOf(groups []record.Group, f *record.Facts, n int) [][]record.Group {
	out := make([][]record.Group, n)
	add := func(g record.Group) {
		i := min(f.Training(g.Root.Step), n) - 1
		if !slices.ContainsFunc(out[i], func(o record.Group) bool { return o.Same(&g) }) {
			out[i] = append(out[i], g)
		}
	}
	for _, g := range groups {
		add(g)
		for _, again := range g.Again() {
			add(record.Group{Root: again})
		}
	}
	return out
}

// mostTrainings is how many of them are told one by one.
const mostTrainings = 12

// TellingTrainings are the trainings that are told one by one: where there are many,
// those with the most serious findings and the last ones. more is how many are left out.
func TellingTrainings(list []TrainingOfProcess) (told []TrainingOfProcess, more int) {
	if len(list) <= mostTrainings {
		return list, 0
	}
	told = slices.Clone(list)
	slices.SortStableFunc(told, func(a, b TrainingOfProcess) int {
		for _, s := range []record.Severity{record.Error, record.Warning} {
			if c := cmp.Compare(b.Findings.Roots[s], a.Findings.Roots[s]); c != 0 {
				return c
			}
		}
		return cmp.Compare(b.Number, a.Number)
	})
	told = told[:mostTrainings]
	slices.SortFunc(told, func(a, b TrainingOfProcess) int { return cmp.Compare(a.Number, b.Number) })
	return told, len(list) - mostTrainings
}
