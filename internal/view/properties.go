package view

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
)

// Property is one thing that is known of a run.
type Property struct{ Label, Value string }

// Properties are what a run is and how much of it there is, with a word for each.
// rate is what LearningRate says of it.
func Properties(run record.Run, rate string) []Property {
	list := []Property{{"status", run.Ending()}}
	if run.Framework.Name != "" {
		list = append(list, Property{"framework", run.Framework.Name + " " + run.Framework.Version})
	}
	list = append(list, Property{"host", run.Host}, Property{"started", run.Started.UTC().Format("2006-01-02 15:04:05") + " UTC"})
	if run.Ended != nil {
		list = append(list, Property{"duration", record.Seconds(run.Ended.Sub(run.Started).Seconds())})
	}
	for _, m := range []struct {
		mode  record.Mode
		label string
	}{{record.Train, "steps"}, {record.Global, "steps"}, {record.Eval, "evaluation steps"}, {record.Predict, "prediction steps"}} {
		if n := run.Steps[m.mode.String()]; n > 0 {
			list = append(list, Property{m.label, fmt.Sprint(n)})
		}
	}
	if run.Steps[record.Train.String()] > 0 {
		if e, ok := run.Clock().Epoch(run.Steps[record.Train.String()] - 1); ok {
			list = append(list, Property{"epochs", fmt.Sprint(e.Number)})
		}
	}
	if rate != "" {
		list = append(list, Property{"learning rate", rate})
	}
	if cost := run.Cost(); cost != "" {
		list = append(list, Property{"cost of capture", cost})
	}
	for _, r := range run.Resumptions {
		list = append(list, Property{"resumed", r.Time.UTC().Format("2006-01-02 15:04:05") + " UTC " + r.Text()})
	}
	for _, key := range slices.Sorted(maps.Keys(run.Tags)) {
		list = append(list, Property{"tag " + key, run.Tags[key]})
	}
	if run.Note != "" {
		list = append(list, Property{"note", run.Note})
	}
	if n := len(run.Workers); n > 1 {
		list = append(list, Property{"workers", fmt.Sprint(n)})
	}
	return list
}
