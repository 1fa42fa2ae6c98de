package main

import (
	"strings"
	"testing"
)

func TestAim(t *testing.T) {
	head := func(metric, baseline, reaches string) string {
		return "# fault: none\n# family: mlp\n# split: held\n# set: heron, unseen\n# metric: " + metric + "\n# baseline: " + baseline + "\n# reaches: " + reaches + "\n"
	}
	for _, c := range []struct {
		name, header, printed, want string // want is part of the error, empty for none
	}{
		{"as good", head("accuracy higher", "0.1", "0.9"), "result: accuracy 0.9\n", ""},
		{"better", head("mse lower", "1", "0.2"), "epoch 1\nresult: mse 0.1\nbye\n", ""},
		{"the last counts", head("mse lower", "1", "0.2"), "result: mse 0.9\nresult: mse 0.1\n", ""},
		{"worse", head("mse lower", "1", "0.2"), "result: mse 0.3\n", "not healthy"},
		{"not a number", head("mse lower", "1", "0.2"), "result: mse nan\n", "not healthy"},
		{"no result", head("mse lower", "1", "0.2"), "loss 0.1\n", "printed no line"},
		{"another metric", head("mse lower", "1", "0.2"), "result: mae 0.1\n", "header states"},
		{"no better than the baseline", head("mse lower", "1", "1"), "", "not better than baseline"},
		{"no direction", head("mse", "1", "0.5"), "", "higher or lower"},
		{"no number", head("mse lower", "one", "0.5"), "", "not a number"},
		{"one key alone", "# fault: none\n# family: mlp\n# split: held\n# baseline: 1\n", "", "belong together"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := parseHeader(strings.NewReader(c.header))
			if err == nil {
				err = p.Aim.reached([]byte(c.printed))
			}
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
