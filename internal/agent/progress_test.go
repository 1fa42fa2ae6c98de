package agent

import (
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
)

// How long it goes on is told where a length is known, and by the pace so far.
func TestProgressPlace(t *testing.T) {
	began := time.Unix(1000, 0)
	at := func(n int64) *int64 { return &n }
	epochs := &record.EpochFacts{Batches: 100, Stretches: []record.EpochStretch{{At: 0, Number: 1, Updates: 100}}}
	total := &record.EpochFacts{Total: 400, Stretches: epochs.Stretches}
	for _, tt := range []struct {
		name   string
		epochs *record.EpochFacts
		step   int64 // of which each took 0.1 s, with all between them
		want   live.Progress
	}{
		{"no length is known", nil, 149, live.Progress{Update: at(149)}},
		{"an epoch", epochs, 149, live.Progress{Update: at(149), Epoch: 2, EpochStep: 50, EpochSteps: 100, EpochLeft: 5}},
		{"too early to tell", epochs, 30, live.Progress{Update: at(30), Epoch: 1, EpochStep: 31, EpochSteps: 100}},
		{"the end of the training", total, 199, live.Progress{Update: at(199), Epoch: 2, EpochStep: 100, EpochSteps: 100, Total: 400, Left: 20}},
		{"longer than was told", total, 450, live.Progress{Update: at(450), Epoch: 5, EpochStep: 51, EpochSteps: 100, EpochLeft: 4.9}},
	} {
		p := progress{clock: record.Clock{Epochs: tt.epochs}}
		for n := range tt.step + 1 {
			p.step(&record.Step{Mode: record.Train, ModeStep: n, Step: n, Time: began.Add(time.Duration(n) * 100 * time.Millisecond)})
		}
		p.step(&record.Step{Mode: record.Eval, Step: tt.step + 1, Time: began.Add(time.Hour)})
		var got live.Progress
		p.place(&got)
		if got.Update == nil || *got.Update != *tt.want.Update {
			t.Errorf("%s: update %v", tt.name, got.Update)
		}
		got.Update, tt.want.Update = nil, nil
		got.Left, got.EpochLeft = round(got.Left), round(got.EpochLeft)
		got.Losses, tt.want.Losses = nil, nil
		if got.Epoch != tt.want.Epoch || got.EpochStep != tt.want.EpochStep || got.EpochSteps != tt.want.EpochSteps || got.Total != tt.want.Total || got.Left != tt.want.Left || got.EpochLeft != tt.want.EpochLeft {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func round(x float64) float64 { return float64(int64(x*10+0.5)) / 10 }
