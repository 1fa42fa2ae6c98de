package main

import (
	"fmt"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// of is a finding of a check of the catalogue.
func of(rule, check string, severity record.Severity, class string, step int64) record.Finding {
	f := finding(severity, class, record.Train, step)
	f.Rule, f.Configuration, f.Check = rule, rule, check
	return f
}

// A check may be in the default set when it is right on three programs that two
// people wrote without knowing it, and alarms on no healthy one.
func TestAdmission(t *testing.T) {
	kept := of("zero_grad", "kept", record.Error, "zero-grad", 5)
	loss := of("loss_flat", "chance_level", record.Warning, "labels", 50)
	dead := of("dead_relu", "layer", record.Error, "activation", 40)
	var faulty []verdict
	run := func(name, author string, unseen bool, seed int, findings ...record.Finding) {
		p := Program{Path: "faulty/mlp/" + name + ".py", Fault: "zero-grad", Causes: []string{"zero-grad"}, Family: "mlp", Author: author, Unseen: unseen}
		faulty = append(faulty, judge(p, seed, grouped(findings...), map[string]int64{"TRAIN": 100}))
	}
	run("a", "heron", true, 0, kept, loss)
	run("a", "heron", true, 1, kept)
	run("b", "heron", true, 0, kept)
	run("c", "ibis", false, 0, kept, dead)
	healthyRun := judge(Program{Path: "healthy/mlp/d.py", Fault: "none", Family: "mlp"}, 0, grouped(dead), map[string]int64{"TRAIN": 100})

	text := func(sound ...verdict) (s string) {
		for _, c := range scoreChecks(faulty, sound) {
			s += fmt.Sprintf("%s: %d programs, %d unseen by %d, %d alarms; without it %d right, %d false; %v\n", c.id, c.programs, c.unseen, len(c.people), c.alarms, c.right, c.falseAlarms, c.admitted())
		}
		return s
	}
	want := "dead_relu/layer: 0 programs, 0 unseen by 0, 1 alarms; without it 4 right, 0 false; false\n" +
		"loss_flat/chance_level: 0 programs, 0 unseen by 0, 0 alarms; without it 4 right, 1 false; false\n" +
		"zero_grad/kept: 3 programs, 2 unseen by 1, 0 alarms; without it 0 right, 1 false; false\n"
	if got := text(healthyRun); got != want {
		t.Errorf("scores are\n%swant\n%s", got, want)
	}

	run("e", "ibis", true, 0, kept)
	faulty = faulty[:len(faulty):len(faulty)]
	if got := scoreChecks(faulty, nil); !got[2].admitted() || got[2].id != "zero_grad/kept" {
		t.Errorf("three programs of two people: %+v", got[2])
	}
	falseAlarm := judge(healthyRun.Program, 1, grouped(kept), map[string]int64{"TRAIN": 100})
	if got := scoreChecks(faulty, []verdict{falseAlarm}); got[2].admitted() {
		t.Errorf("with an alarm on a healthy program: %+v", got[2])
	}
	faulty = append(faulty[:2:2], faulty[3:]...) // without b: two programs that are unseen
	if got := scoreChecks(faulty, nil); got[2].admitted() {
		t.Errorf("two programs: %+v", got[2])
	}
}
