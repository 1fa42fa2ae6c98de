package slow_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/rule"
)

func TestStartUp(t *testing.T) {
	began := func(seconds, imports, data, firstStep float64) []rule.Event {
		b, _ := json.Marshal(map[string]float64{"imports_seconds": imports, "data_seconds": data, "first_step_seconds": firstStep})
		return []rule.Event{
			{Worker: "worker_1", Kind: rule.PhaseEvent, Name: rule.StartUpPhase, Start: at(-900), End: at(0.055)},
			{Worker: "worker_0", Kind: rule.PhaseEvent, Name: rule.StartUpPhase, Start: at(0.055 - seconds), End: at(0.055), Facts: b},
		}
	}
	for _, c := range []struct {
		name string
		training
		want string // "" or how the finding begins
	}{
		{"before PyTorch is imported", training{events: began(100, 80, 5, 5)}, "warning 0.77 4.3 The job takes 100 seconds to start and then trains for 30 seconds: starting is 77 % of that, most of it before PyTorch is imported; by estimate the job would be 4.3 times as fast without that."},
		{"waiting for the first batch", training{events: began(100, 3, 80, 5)}, "warning 0.77 4.3 The job takes 100 seconds to start and then trains for 30 seconds: starting is 77 % of that, most of it waiting for the first batch; "},
		{"in the first step", training{events: began(100, 3, 5, 80)}, "warning 0.77 4.3 The job takes 100 seconds to start and then trains for 30 seconds: starting is 77 % of that, most of it in the first step; "},
		{"before the first batch", training{events: began(300, 3, 5, 5)}, "warning 0.91 11.0 The job takes 5 minutes to start and then trains for 30 seconds: starting is 91 % of that, most of it between the import of PyTorch and the first batch; "},
		{"everywhere", training{events: began(100, 30, 30, 30)}, "warning 0.77 4.3 The job takes 100 seconds to start and then trains for 30 seconds: starting is 77 % of that; "},
		{"shorter than a minute", training{events: began(55, 50, 1, 1)}, ""},
		{"shorter than the training", training{events: began(100, 80, 5, 5), seconds: 110}, ""},
		{"somebody stopped it", training{events: began(100, 80, 5, 5), cut: true}, ""},
		{"trained for seconds", training{events: began(100, 80, 5, 5), seconds: 9}, ""},
		{"not known", training{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.parts, c.cores, c.used = computing, 2, 1
			if c.seconds == 0 {
				c.seconds = 30
			}
			got := saidBy(t, "start_up", c.training)
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
