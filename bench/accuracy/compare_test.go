package main

import (
	"path/filepath"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

func TestCompare(t *testing.T) {
	group := func(check string, severity record.Severity) []reported {
		return []reported{{Check: check, Severity: severity, CauseClass: "optimizer"}}
	}
	right := answer{Program: "faulty/mlp/a.py", Fault: "zero-grad", First: "optimizer", Right: true, Groups: group("zero_grad/kept", record.Error)}
	missed := answer{Program: "faulty/mlp/a.py", Fault: "zero-grad"}
	silent := answer{Program: "healthy/mlp/a.py", Fault: healthy}
	hint := answer{Program: "healthy/mlp/a.py", Fault: healthy, Groups: group("rate_plateau", record.Info)}
	alarmed := answer{Program: "healthy/mlp/a.py", Fault: healthy, Groups: group("overfit", record.Warning)}
	symptom := answer{Program: "healthy/mlp/a.py", Fault: healthy, Groups: []reported{{Check: "x", Severity: record.Info, Symptoms: group("overfit", record.Error)}}}
	failed := answer{Program: "faulty/mlp/a.py", Fault: "zero-grad", Failed: "exit status 1"}
	for _, c := range []struct {
		name                         string
		then, now                    answer
		lost, won, new, gone, broken int
		worse                        bool
	}{
		{"recognised as before", right, right, 0, 0, 0, 0, 0, false},
		{"no longer recognised", right, missed, 1, 0, 0, 0, 0, true},
		{"recognised now", missed, right, 0, 1, 0, 0, 0, false},
		{"silent as before", silent, silent, 0, 0, 0, 0, 0, false},
		{"an info is no alarm", silent, hint, 0, 0, 0, 0, 0, false},
		{"new alarm", hint, alarmed, 0, 0, 1, 0, 0, true},
		{"new alarm below another group", silent, symptom, 0, 0, 1, 0, 0, true},
		{"alarm gone", alarmed, silent, 0, 0, 0, 1, 0, false},
		{"fails now", right, failed, 0, 0, 0, 0, 1, true},
		{"failed then", failed, missed, 0, 0, 0, 0, 0, false},
		{"another program", right, answer{Program: "faulty/mlp/b.py"}, 0, 0, 0, 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := compare([]answer{c.then}, []answer{c.now})
			if len(got.Lost) != c.lost || len(got.Won) != c.won || len(got.New) != c.new || len(got.Gone) != c.gone || len(got.Broken) != c.broken || got.worse() != c.worse {
				t.Errorf("got %+v, want %+v", got, c)
			}
		})
	}
}

func TestAnswersAreReadAsTheyWereKept(t *testing.T) {
	verdicts := []verdict{
		{Program: Program{Path: "faulty/mlp/a.py", Fault: "zero-grad"}, First: "optimizer", Right: true, Groups: []record.Group{{
			Root:     record.Finding{Configuration: "zero_grad", Check: "kept", Severity: record.Error, CauseClass: "optimizer", Step: 3},
			Symptoms: []record.Finding{{Configuration: "exploding_tensor", Check: "exploding_tensor", Severity: record.Warning, Step: 9}},
		}}},
		{Program: Program{Path: "healthy/mlp/a.py", Fault: healthy}, Seed: 1, NotRun: "needs sklearn"},
	}
	for _, name := range []string{"answers.jsonl", "answers.jsonl.gz"} {
		path := filepath.Join(t.TempDir(), name)
		if err := writeAnswers(path, verdicts); err != nil {
			t.Fatal(err)
		}
		list, err := readAnswers(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 2 || list[0].Groups[0].Check != "zero_grad/kept" || list[0].Groups[0].Symptoms[0].Check != "exploding_tensor" || !list[0].Right || list[1].Failed != "needs sklearn" || list[1].Seed != 1 {
			t.Errorf("%s: read %+v", name, list)
		}
	}
	if _, err := readAnswers(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no error for a file that is not there")
	}
}

// The reference that later versions are compared with.
func TestKeptAnswers(t *testing.T) {
	list, err := readAnswers("testdata/answers-a11050b.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	var faulty, right int
	for _, a := range list {
		if a.Fault != healthy {
			faulty++
			if a.Right {
				right++
			}
		}
	}
	if len(list) != 2039 || faulty == 0 || float64(right) < 0.9*float64(faulty) {
		t.Errorf("%d answers, %d of %d faulty programs right", len(list), right, faulty)
	}
}
