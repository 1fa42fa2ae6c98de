package main

import (
	"math"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func finding(severity record.Severity, class string, mode record.Mode, step int64) record.Finding {
	return record.Finding{Rule: "r", Configuration: "r", Severity: severity, CauseClass: class, Mode: mode, ModeStep: step, Step: step}
}

func muted(f record.Finding) record.Finding {
	f.Muted = true
	return f
}

// grouped makes a group of each finding, in their order.
func grouped(findings ...record.Finding) diagnosis {
	d := diagnosis{Findings: findings}
	for _, f := range findings {
		d.Groups = append(d.Groups, record.Group{Root: f, CauseClass: f.CauseClass})
	}
	return d
}

func TestJudge(t *testing.T) {
	program := Program{Path: "faulty/mlp/a.py", Fault: "zero-grad", Causes: []string{"zero-grad", "optimizer"}}
	steps := map[string]int64{"TRAIN": 200, "EVAL": 200}
	under := grouped(finding(record.Error, "learning-rate", record.Train, 40))
	under.Findings = append(under.Findings, finding(record.Warning, "zero-grad", record.Train, 20))
	under.Groups[0].Symptoms = under.Findings[1:]
	for _, c := range []struct {
		name    string
		d       diagnosis
		steps   map[string]int64
		alarmed bool
		right   bool
		any     bool
		said    bool
		first   string
		at      float64 // NaN: no alarm
		failed  bool
	}{
		{name: "nothing found", steps: steps, at: math.NaN()},
		{name: "the best cause", d: grouped(finding(record.Error, "zero-grad", record.Train, 50)), steps: steps,
			alarmed: true, right: true, any: true, said: true, first: "zero-grad", at: 0.25},
		{name: "another right cause, as a warning", d: grouped(finding(record.Warning, "optimizer", record.Train, 0)), steps: steps,
			alarmed: true, right: true, any: true, said: true, first: "optimizer", at: 0},
		{name: "a wrong cause", d: grouped(finding(record.Error, "labels", record.Train, 100)), steps: steps,
			alarmed: true, first: "labels", at: 0.5},
		{name: "the right cause second, earlier", d: grouped(finding(record.Error, "labels", record.Train, 100), finding(record.Warning, "zero-grad", record.Train, 10)), steps: steps,
			alarmed: true, any: true, said: true, first: "labels", at: 0.05},
		{name: "the right cause as a symptom of another", d: under, steps: steps,
			alarmed: true, any: true, said: true, first: "learning-rate", at: 0.1},
		{name: "info is no alarm", d: grouped(finding(record.Info, "zero-grad", record.Train, 10)), steps: steps, said: true, at: math.NaN()},
		{name: "muted is no alarm", d: grouped(muted(finding(record.Error, "zero-grad", record.Train, 10))), steps: steps, at: math.NaN()},
		{name: "the first group that is no alarm is passed over", d: grouped(muted(finding(record.Error, "labels", record.Train, 10)), finding(record.Error, "zero-grad", record.Train, 20)), steps: steps,
			alarmed: true, right: true, any: true, said: true, first: "zero-grad", at: 0.1},
		{name: "an evaluation's place counts all steps", d: grouped(finding(record.Error, "zero-grad", record.Eval, 300)), steps: steps,
			alarmed: true, right: true, any: true, said: true, first: "zero-grad", at: 0.75},
		{name: "no place is beyond the end", d: grouped(finding(record.Error, "zero-grad", record.Train, 201)), steps: steps,
			alarmed: true, right: true, any: true, said: true, first: "zero-grad", at: 1},
		{name: "nothing captured", d: diagnosis{}, steps: map[string]int64{"EVAL": 3}, failed: true, at: math.NaN()},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := judge(program, 1, c.d, c.steps)
			same := v.At == c.at || math.IsNaN(v.At) && math.IsNaN(c.at)
			if v.Alarmed() != c.alarmed || v.Right != c.right || v.Anywhere != c.any || v.Said != c.said || v.First != c.first || !same || (v.Failed != "") != c.failed {
				t.Fatalf("got %+v", v)
			}
		})
	}
}

func TestCount(t *testing.T) {
	alarms := []record.Finding{finding(record.Error, "loss", record.Train, 1)}
	a, b := Program{Path: "a.py"}, Program{Path: "b.py"}
	got := count([]verdict{
		{Program: a, Seed: 0, Alarms: alarms, Right: true, Anywhere: true, At: 0.1},
		{Program: a, Seed: 1, Alarms: alarms, Anywhere: true, At: 0.5},
		{Program: b, Seed: 0, At: math.NaN()},
		{Program: b, Seed: 1, Failed: "exit status 1"},
	})
	if got.programs != 2 || got.runs != 3 || got.alarmed != 2 || got.right != 1 || got.anywhere != 2 || got.clean != 1 || got.median() != 0.3 {
		t.Fatalf("got %+v, median %v", got, got.median())
	}
	if m := count(nil).median(); !math.IsNaN(m) {
		t.Fatalf("median of no alarm is %v", m)
	}
}
