package e2e

import (
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// checkTime compares where the time went by run.json to the step times that are
// stored of the same worker: to the nanosecond, however many agents there were.
func checkTime(t *testing.T, tr *trial.Trial) {
	t.Helper()
	said := tr.Run().Time
	var want record.RunTime
	worker := tr.Run().ChiefName()
	if said != nil {
		worker = said.Worker
	}
	err := tr.Times(worker, time.Time{}, time.Time{}, func(row *record.StepTime) error {
		want.Count(row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if said == nil {
		if want.Total() > 0 {
			t.Errorf("run.json tells of no time; %v of steps are stored", want.Modes)
		}
		return
	}
	for mode, m := range want.Modes {
		got := said.Modes[mode]
		if got.Steps != m.Steps || got.Seconds != m.Seconds {
			t.Errorf("%s: run.json has %d steps of %d ns, stored are %d of %d", mode, got.Steps, got.Seconds, m.Steps, m.Seconds)
		}
		for part, ns := range m.Parts {
			if got.Parts[part] != ns {
				t.Errorf("%s: run.json has %d ns of %s, stored are %d", mode, got.Parts[part], part, ns)
			}
		}
	}
	if len(said.Modes) != len(want.Modes) {
		t.Errorf("run.json has the modes %v, stored are %v", said.Modes, want.Modes)
	}
}
