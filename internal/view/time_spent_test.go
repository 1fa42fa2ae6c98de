package view

import (
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// stepsOf are rows of single steps of a training, one behind another, that take
// some milliseconds each.
func stepsOf(ms ...int64) (rows []record.StepTime) {
	at := time.Unix(1000, 0)
	for i, n := range ms {
		row := record.StepTime{Mode: record.Train, ModeStep: int64(i), Steps: 1, Start: at, End: at.Add(time.Duration(n) * time.Millisecond), Longest: n * 1e6, LongestStep: int64(i)}
		row.Parts[record.Forward] = n * 1e6
		rows, at = append(rows, row), row.End
	}
	return rows
}

func TestLengthsOfSteps(t *testing.T) {
	many := make([]int64, 1000)
	for i := range many {
		if many[i] = 10; i%10 == 0 {
			many[i] = 50 + int64(i)
		}
	}
	for _, tt := range []struct {
		name       string
		rows       []record.StepTime
		shown      bool
		outliers   int
		first      string // of them
		note       string
		typical    string
		logarithms bool
	}{
		{name: "no steps"},
		{name: "too few", rows: stepsOf(1, 2)},
		{name: "alike", rows: stepsOf(10, 11, 10, 12, 10), shown: true, note: "No step took 3 times the median.", typical: "10 ms"},
		{name: "one is slow", rows: stepsOf(10, 10, 10, 100, 10), shown: true, outliers: 1, first: "step 3: 100 ms", note: "One step took 3 times the median or longer; it is marked.", typical: "10 ms", logarithms: true},
		{name: "slow ones come before others", rows: stepsOf(append([]int64{10, 10, 100, 10, 90}, many[1:10]...)...), shown: true, outliers: 2, first: "step 2: 100 ms", note: "2 steps took 3 times the median or longer; they are marked.", typical: "10 ms", logarithms: true},
		{name: "many are slow", rows: stepsOf(many...), shown: true, outliers: mostOutliers, first: "step 990: 1.04 s", note: "The longest 40 of 100 places where a step took 3 times the median or longer are marked.", typical: "10 ms", logarithms: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var l lengthReader
			for i := range tt.rows {
				l.add(&tt.rows[i])
			}
			s := l.of[record.Train].result(l.from, l.to)
			if (s != nil) != tt.shown {
				t.Fatalf("shown: %v, want %v", s != nil, tt.shown)
			}
			if s == nil {
				return
			}
			if s.Note != tt.note || s.Typical != tt.typical || len(s.Outliers) != tt.outliers || s.Logarithmic != tt.logarithms {
				t.Errorf("got %q, %s, %d outliers, logarithmic %v", s.Note, s.Typical, len(s.Outliers), s.Logarithmic)
			}
			if tt.outliers > 0 && s.Outliers[0].Text != tt.first {
				t.Errorf("the longest is %q, want %q", s.Outliers[0].Text, tt.first)
			}
			for _, p := range s.Line {
				if p[0] < 0 || p[0] > 1 || p[1] < 0 || p[1] > 1 {
					t.Fatalf("a point is at %v", p)
				}
			}
		})
	}
}

// Short steps that are stored together have one length, and their longest one.
func TestLengthsOfGroups(t *testing.T) {
	rows := stepsOf(100, 100, 100, 100)
	for i := range rows {
		rows[i].Steps, rows[i].ModeStep, rows[i].Longest = 20, int64(20*i), 6e6
	}
	rows[2].Longest, rows[2].LongestStep = 60e6, 44
	var l lengthReader
	for i := range rows {
		l.add(&rows[i])
	}
	if s := l.of[record.Train].result(l.from, l.to); s.Typical != "5 ms" || len(s.Outliers) != 1 || s.Outliers[0].Text != "step 44: 60 ms" {
		t.Errorf("got %+v", s)
	}
}
