package view

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// RankTime is the time of one worker's steps in a mode.
type RankTime struct {
	Worker, Host string
	Rank         int
	Steps        int64
	Seconds      float64            // of all of them
	Own          float64            // of these: without waiting for other ranks
	Parts        map[string]float64 // seconds, by part
}

// RankTimes are those of all workers in a mode, by rank, and a sentence on how they
// differ.
func RankTimes(t source.Run, mode record.Mode) (list []RankTime, text string, err error) {
	list = []RankTime{}
	m, ok := t.(source.Metrics)
	if !ok {
		return list, "", nil
	}
	run := t.Run()
	for _, worker := range t.Workers() {
		var of Times
		err := m.Times(worker, time.Time{}, time.Time{}, func(row *record.StepTime) error {
			if row.Mode == mode {
				of.count(row)
			}
			return nil
		})
		if err != nil {
			return nil, "", fmt.Errorf("read step times of %q: %w", worker, err)
		}
		done := finished([]Times{of})
		if len(done) == 0 {
			continue
		}
		r := RankTime{Worker: worker, Rank: -1, Steps: of.Steps, Seconds: done[0].Seconds, Parts: map[string]float64{}}
		for _, w := range run.Workers {
			if w.Name == worker {
				r.Rank, r.Host = w.Rank, w.Host
			}
		}
		for p, ns := range of.parts {
			if ns > 0 {
				r.Parts[record.StepPart(p).String()] = float64(ns) / 1e9
			}
		}
		r.Own = r.Seconds - r.Parts[record.WaitForRanks.String()]
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b RankTime) int { return cmp.Compare(a.Rank, b.Rank) })
	return list, ranksText(list), nil
}

// each is the time of one step.
func (r *RankTime) each(seconds float64) float64 { return seconds / float64(max(r.Steps, 1)) }

// ranksText says which rank has most work of its own in a step.
func ranksText(list []RankTime) string {
	if len(list) < 2 {
		return ""
	}
	slow, fast := 0, 0
	for i := range list {
		if list[i].each(list[i].Own) > list[slow].each(list[slow].Own) {
			slow = i
		}
		if list[i].each(list[i].Own) < list[fast].each(list[fast].Own) {
			fast = i
		}
	}
	most, least := list[slow].each(list[slow].Own), list[fast].each(list[fast].Own)
	if least <= 0 || most < 1.02*least {
		all := fmt.Sprintf("All %d ranks take", len(list))
		if len(list) == 2 {
			all = "Both ranks take"
		}
		return all + " the same time for their own work, within 2 %."
	}
	return fmt.Sprintf("%s has most work besides waiting: %s a step, %.0f %% more than %s.", list[slow].Worker, record.Seconds(most), 100*(most/least-1), list[fast].Worker)
}
