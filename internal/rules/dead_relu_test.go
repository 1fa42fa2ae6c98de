package rules_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/record"
)

// A layer that begins with many dead units and loses few more is none that dies.
func TestDeadReluRise(t *testing.T) {
	for _, c := range []struct {
		name         string
		first, later int // units of 16 that are alive
		says         bool
	}{
		{"half of them die", 12, 4, true},
		{"one more", 5, 4, false},
		{"dead from the start", 0, 0, true},
		{"many from the start", 3, 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := newJob(t, config("DeadRelu", "every", "25", "confirm", "3", "min_samples", "16", "threshold_layer", "70", "threshold_inactivity", "0.1", "least_rise", "15"))
			for step := range 150 {
				alive := c.first
				if step >= 30 {
					alive = c.later
				}
				var active []int
				for u := range alive {
					active = append(active, u)
				}
				j.feed(tensorAt("relu_output", int64(step), relu(16, 16, 16, active...)))
			}
			if got := len(j.found) > 0; got != c.says {
				t.Errorf("found %+v", j.found)
			}
		})
	}
}

// What is said of units that are dead, by what the training does without them and
// by what became of its weights before.
func TestDeadReluHarm(t *testing.T) {
	const steps = 120
	for _, c := range []struct {
		name        string
		loss        float64 // from the sixth step on; at first it is 2
		fall        float64 // what each further step takes off it
		pace        float64 // by which weights of 1 change in each of the first 20 steps
		dies        int     // step from which the layer is dead
		severity    record.Severity
		class, says string
		at          int64
	}{
		{"it learns nothing", 2, 0, 0.001, 40, record.Error, "activation", "since step 50", 100},
		{"dead from the start", 2, 0, 0.001, 0, record.Error, "activation", "from the start", 50},
		{"thrown by one update", 2, 0, 0.2, 40, record.Error, "learning-rate", "since step 50", 100},
		{"thrown within 50", 2, 0, 0.06, 10, record.Error, "learning-rate", "since step 25", 75},
		{"it learns all the same", 0.1, 0, 0.001, 40, record.Info, "activation", "still makes progress", steps - 1},
		{"the loss is coming down", 1.7, 0.007, 0.001, 0, record.Info, "activation", "still makes progress", steps - 1},
		{"it comes down, but not far", 1.7, 0.0035, 0.001, 0, record.Error, "activation", "from the start", steps - 1},
		{"it came down before", 1.5, 0, 0.001, 40, record.Error, "activation", "since step 50", 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			rule := config("DeadRelu", "every", "25", "confirm", "3", "min_samples", "16", "threshold_layer", "70", "threshold_inactivity", "0.1", "learnt", "0.25", "large_update", "0.1")
			j := newJob(t, rule)
			w := 1.0
			for step := range steps {
				if step == 60 { // the evaluator starts again
					state, err := j.engine.Save()
					if err != nil {
						t.Fatal(err)
					}
					again := newJob(t, rule)
					again.meters = j.meters
					for _, info := range j.infos {
						again.describe(info)
					}
					if err := again.engine.Restore(state); err != nil {
						t.Fatal(err)
					}
					again.found = j.found
					j = again
				}
				loss := 2.0
				if step > 5 {
					loss = c.loss - c.fall*float64(step)
				}
				active := []int{0, 1, 2, 3}
				if step >= c.dies {
					active = active[:0]
					if c.fall > 0 { // one of four is left
						active = active[:1]
					}
				}
				j.feed(input{step: int64(step), scalars: map[string]float64{"loss": loss}, tensors: map[string]values{
					"relu_output": relu(16, 4, 16, active...),
					"fc.weight":   {[]int64{2, 2}, fill(4, w)},
				}})
				if step < 20 {
					w += c.pace
				}
			}
			j.engine.Finish(record.Completed)
			if len(j.found) != 1 {
				t.Fatalf("%d findings: %+v", len(j.found), j.found)
			}
			f := j.found[0]
			if f.Severity != c.severity || f.CauseClass != c.class || !strings.Contains(f.Message, c.says) || f.Step != c.at {
				t.Errorf("%s %s at step %d: %s (%s)", f.Severity, f.CauseClass, f.Step, f.Message, f.Cause)
			}
		})
	}
}

// Units that were dead when their layer was first looked at, after some updates, may
// have lived before.
func TestDeadReluFirstLook(t *testing.T) {
	for _, c := range []struct {
		name  string
		first int64
		says  string
		cause string
	}{
		{"before the first update", 0, "(from the start)", "the units were dead from the start"},
		{"after updates", 25, "(at TRAIN step 25 already, the first one examined)", "a learning rate that is too high"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := newJob(t, config("DeadRelu", "every", "25", "confirm", "3", "min_samples", "16"))
			for step := c.first; step < 150; step++ {
				j.feed(tensorAt("relu_output", step, relu(16, 4, 16)))
			}
			if len(j.found) == 0 || !strings.Contains(j.found[0].Message, c.says) || !strings.Contains(j.found[0].Cause, c.cause) {
				t.Errorf("found %+v", j.found)
			}
		})
	}
}

// Units of a layer that gave values other than zero in the first steps died after them,
// and those of a layer that was loaded were not dead since they were initialised.
func TestDeadReluByTheFirstForward(t *testing.T) {
	for _, c := range []struct {
		name   string
		first  int64
		zeros  float64 // of what the layer gave in the first steps; -1: not known
		loaded bool
		says   string
		cause  string
	}{
		{"alive in the first steps", 25, 0.55, false, "(at step 25 already, the first one examined closely; at most 55 % of them were dead in the first forward passes)", "the units died within the first updates"},
		{"zeros in the first steps", 25, 0.98, false, "(at TRAIN step 25 already, the first one examined)", "a learning rate that is too high"},
		{"nothing but zeros in the first steps", 25, 1, false, "(from the start)", "the units were dead from the start"},
		{"nothing but zeros, with weights that were loaded", 25, 1, true, "(from the start)", "the loaded weights do not fit the input"},
		{"nothing is known of the first steps", 25, -1, false, "(at TRAIN step 25 already, the first one examined)", "a learning rate that is too high"},
		{"dead with weights that were loaded", 0, -1, true, "(from the start)", "the loaded weights do not fit the input"},
		{"dead with weights that were drawn", 0, -1, false, "(from the start)", "the units were dead from the start"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := network("fc Linear 4 4", "act ReLU", "out Linear 4 2")
			if c.loaded {
				change(f, func(p *record.ParameterFact) { p.Loaded = true }, "fc")
			}
			if act := module(f, "act"); c.zeros >= 0 {
				act.Calls, act.Output = 1, &record.TensorFacts{Shape: []int64{16, 4}, Values: &record.ValueFacts{Elements: 64, Max: 1, Zeros: record.Number(c.zeros)}}
			}
			j := newJob(t, config("DeadRelu", "every", "25", "confirm", "3", "min_samples", "16", "threshold_layer", "70"))
			j.describe(record.TensorInfo{Name: "act_relu_output_0", Kind: record.Output, Module: "act"})
			j.engine.Facts(f)
			for step := c.first; step < 150; step++ {
				j.feed(input{step: step, tensors: map[string]values{"act_relu_output_0": relu(16, 4, 16)}})
			}
			if len(j.found) == 0 || !strings.Contains(j.found[0].Message, c.says) || !strings.Contains(j.found[0].Cause, c.cause) {
				t.Errorf("found %+v", j.found)
			}
		})
	}
}

// A module that is called several times in a step has an output for each call, and one
// finding.
func TestDeadReluOfOneModule(t *testing.T) {
	j := newJob(t, config("DeadRelu", "every", "25", "confirm", "3", "min_samples", "16"))
	for _, name := range []string{"act_relu_output_0", "act_relu_output_1", "other_relu_output_0"} {
		module, _, _ := strings.Cut(name, "_")
		j.describe(record.TensorInfo{Name: name, Kind: record.Output, Module: module})
	}
	for step := range int64(150) {
		dead := relu(16, 4, 16)
		j.feed(input{step: step, tensors: map[string]values{"act_relu_output_0": dead, "act_relu_output_1": dead, "other_relu_output_0": dead}})
	}
	if len(j.found) != 2 || j.found[0].Subject != "act_relu_output_0" || j.found[1].Subject != "other_relu_output_0" {
		t.Errorf("found %+v", j.found)
	}
	j = newJob(t, config("DeadRelu", "every", "1", "confirm", "1", "min_samples", "16"))
	j.describe(record.TensorInfo{Name: "act_relu_output_0", Kind: record.Output, Module: "act"})
	j.describe(record.TensorInfo{Name: "act_relu_output_1", Kind: record.Output, Module: "act"})
	for step := range int64(2) {
		dead := relu(16, 4, 16)
		j.feed(input{step: step, tensors: map[string]values{"act_relu_output_0": dead, "act_relu_output_1": dead}})
	}
	if len(j.found) != 2 || j.found[0].Step == j.found[1].Step {
		t.Errorf("where every look counts: found %+v", j.found)
	}
}

// The step since which units are dead is the first of the looks in a row whose share of
// dead units is above the limit, counted another way: from the series itself. It does not
// matter which of these looks chance explains.
func TestDeadReluSince(t *testing.T) {
	const units, every, limit = 16, 5, 70.0
	rapid.Check(t, func(rt *rapid.T) {
		alive := rapid.SliceOfN(rapid.IntRange(0, 8), 4, 16).Draw(rt, "units that live")
		j := newJob(t, config("DeadRelu", "every", "5", "confirm", "3", "min_samples", "16", "threshold_layer", "70", "threshold_inactivity", "0.1", "least_rise", "15"))
		for step := range every * len(alive) {
			var active []int
			for u := range alive[step/every] {
				active = append(active, u)
			}
			j.feed(tensorAt("relu_output", int64(step), relu(16, units, 16, active...)))
		}
		for _, f := range j.found {
			first := int64(-1)
			below := false
			for i := range alive {
				at := int64(every * i)
				switch over := 100*float64(units-alive[i])/units > limit; {
				case at > f.ModeStep:
				case !over:
					first, below = -1, true
				case first < 0:
					first = at
				}
			}
			if got := f.Context["since_mode_step"]; got != first || f.Context["alive_before"] != below {
				rt.Fatalf("since step %v, want %d; units that live: %v; %s", got, first, alive, f.Message)
			}
		}
	})
}
