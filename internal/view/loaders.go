package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// LoaderTimes is a loader of data as it was seen: passes of a worker with the same
// settings.
type LoaderTimes struct {
	Worker         string
	Settings       json.RawMessage
	Passes         int
	First, Longest float64 // seconds that the first batch of a pass took: the mean, the longest
}

// mostLoaders bounds the loaders that are listed.
const mostLoaders = 64

// LoadersOf are the loaders of a run, in the order in which they were first used.
func LoadersOf(t source.Run) ([]LoaderTimes, error) {
	list := []LoaderTimes{}
	m, ok := t.(source.Metrics)
	if !ok {
		return list, nil
	}
	events, err := m.Events(time.Time{}, time.Time{})
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	for _, e := range events {
		if e.Kind != record.LoaderEvent {
			continue
		}
		i := slices.IndexFunc(list, func(l LoaderTimes) bool { return l.Worker == e.Worker && string(l.Settings) == string(e.Facts) })
		if i < 0 {
			if len(list) == mostLoaders {
				continue
			}
			i = len(list)
			list = append(list, LoaderTimes{Worker: e.Worker, Settings: e.Facts})
		}
		l, took := &list[i], e.End.Sub(e.Start).Seconds()
		l.First = (l.First*float64(l.Passes) + took) / float64(l.Passes+1)
		l.Longest = max(l.Longest, took)
		l.Passes++
	}
	return list, nil
}
