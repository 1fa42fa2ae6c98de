package main

import (
	"flag"
	"math"
	"os"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

var update = flag.Bool("update", false, "write the golden files")

// TestReport holds the report of a few made verdicts to testdata/report.md.
func TestReport(t *testing.T) {
	grads := Program{Path: "faulty/mlp/spirals.py", Fault: "zero-grad", Causes: []string{"zero-grad"}, Family: "mlp", Split: "tune", Author: "heron", Unseen: true}
	twice := Program{Path: "faulty/cnn/digits.py", Fault: "softmax-twice", Causes: []string{"output-activation", "loss"}, Family: "cnn", Split: "held"}
	few := Program{Path: "faulty/mlp/short.py", Fault: "too-few-updates", Causes: []string{"epochs"}, Family: "mlp", Split: "tune", Hint: true}
	sound := Program{Path: "healthy/mlp/spirals.py", Fault: "none", Family: "mlp", Split: "tune"}
	steps := map[string]int64{"TRAIN": 100}
	dead := finding(record.Error, "activation", record.Train, 50)
	dead.Rule, dead.Configuration, dead.Check = "dead_relu", "dead_relu", "layer"
	kept := finding(record.Error, "zero-grad", record.Train, 10)
	kept.Rule, kept.Configuration, kept.Check = "zero_grad", "zero_grad", "kept"
	kept.Cause, kept.Remedy = "zero_grad() is not called between updates", "look at the loop"
	right := grouped(kept, dead)
	got := report([]verdict{
		judge(grads, 0, right, steps),
		judge(grads, 1, right, steps),
		judge(grads, 2, grouped(dead), steps),
		judge(twice, 0, diagnosis{}, steps),
		judge(few, 0, grouped(finding(record.Info, "epochs", record.Train, 99)), steps),
		judge(sound, 0, diagnosis{}, steps),
		judge(sound, 1, grouped(dead), steps),
		{Program: Program{Path: "healthy/trainer/bert.py", Fault: "none", Family: "trainer", Split: "tune", Needs: []string{"transformers"}}, NotRun: "needs transformers", At: math.NaN()},
		{Program: sound, Seed: 2, Failed: "exit status 1: RuntimeError", At: math.NaN()},
	})
	const golden = "testdata/report.md"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the report differs from %s; -update writes it\n%s", golden, got)
	}
}
