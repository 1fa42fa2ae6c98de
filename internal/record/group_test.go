package record

import "testing"

// What says the same once more is no symptom, and counts for nothing; what is
// outweighed neither.
func TestCount(t *testing.T) {
	of := func(rule, check string, severity Severity, step int64) Finding {
		return Finding{Rule: rule, Configuration: rule, Check: check, Severity: severity, Step: step + 100, ModeStep: step}
	}
	spikes := Group{Root: of("loss_spike", "leap", Warning, 10)}
	for step := range int64(23) {
		spikes.Symptoms = append(spikes.Symptoms, of("loss_spike", "leap", Warning, 20+10*step))
	}
	kept := Group{
		Root: of("zero_grad", "kept", Error, 9),
		Symptoms: []Finding{
			of("learning_rate", "high", Error, 105), of("dead_relu", "layer", Error, 120), of("dead_relu", "layer", Error, 140),
			of("zero_grad", "cleared", Error, 9),
		},
		Outweighed: []Finding{of("too_few_updates", "falling", Info, 200)},
	}
	for _, c := range []struct {
		name         string
		groups       []Group
		count, again string
	}{
		{"nothing", nil, "none", ""},
		{"a repeat", []Group{spikes}, "1 warning", "23 more times, last at step 240"},
		{"symptoms", []Group{kept}, "1 error, 3 symptoms", ""},
		{"both", []Group{kept, kept, spikes}, "2 errors, 1 warning, 6 symptoms", ""},
		{"worth knowing", []Group{{Root: of("a", "b", Info, 1)}, {Root: of("c", "d", Info, 1), Symptoms: []Finding{of("e", "f", Info, 2)}}}, "2 info, 1 symptom", ""},
		{"one repeat", []Group{{Root: of("a", "b", Info, 1), Symptoms: []Finding{of("a", "b", Info, 7)}}}, "1 info", "1 more time, at step 7"},
	} {
		if got := Count(c.groups).String(); got != c.count {
			t.Errorf("%s: %q, want %q", c.name, got, c.count)
		}
		if len(c.groups) > 0 {
			if got := Repeated(c.groups[0].Again()); got != c.again {
				t.Errorf("%s: again %q, want %q", c.name, got, c.again)
			}
		}
	}
}
