package agent

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// A finding about a job that stands still says where; others are as they were.
func TestStacksOfAFinding(t *testing.T) {
	r, err := start(t.Context(), settings(t), discard{}, func(*job, string, string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	about := map[string]any{"last_step": int64(7)}
	f := record.Finding{Rule: stallRule, Context: about}
	r.job.attachStacks(&f)
	if !reflect.DeepEqual(f.Context, about) {
		t.Errorf("nobody trains, and there are stacks: %v", f.Context)
	}
	c := session(t, r.job.set, "0", "go")
	other := record.Finding{Rule: "overfit", Context: about}
	r.job.attachStacks(&other)
	r.job.attachStacks(&f)
	if !reflect.DeepEqual(other.Context, about) || len(about) != 1 {
		t.Errorf("of another rule: %v", other.Context)
	}
	sentence, _ := f.Context["stands_in"].(string)
	lines, _ := f.Context["stacks"].([]string)
	// The process of the test stands for a rank that runs no Python: the kernel says what it does.
	if f.Context["last_step"] != int64(7) || !strings.HasPrefix(sentence, "rank 0 in ") || len(lines) == 0 || lines[0] != sentence && !slices.Contains(lines, sentence) {
		t.Errorf("%q, %q", sentence, lines)
	}
	c.End()
	c.Close()
	if err := r.finish(Ended{Status: record.Completed}, false); err != nil {
		t.Error(err)
	}
}

// Silence is told once, when it is ten times as long as a step and a minute.
func TestSilence(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name    string
		steps   int     // that there were
		length  float64 // seconds of each
		quiet   time.Duration
		silence bool
	}{
		{"short steps, not a minute yet", 100, 0.1, 58 * time.Second, false},
		{"short steps", 100, 0.1, 61 * time.Second, true},
		{"long steps, not ten times yet", 100, 30, 290 * time.Second, false},
		{"long steps", 100, 30, 301 * time.Second, true},
		{"few steps say nothing", 19, 0.1, time.Hour, false},
		{"no step", 0, 0, time.Hour, false},
	} {
		j := &job{}
		for range c.steps {
			j.progress.step(&record.Step{Mode: record.Train, Seconds: c.length})
		}
		j.progress.came = now.Add(-c.quiet)
		told := 0
		s := silence{begin: func(func()) { told++ }}
		s.watch(j, now)
		s.watch(j, now.Add(time.Second))
		if told != map[bool]int{true: 1}[c.silence] {
			t.Errorf("%s: told %d times", c.name, told)
		}
		if c.silence { // it goes on, and stands still again
			j.progress.came = now
			s.watch(j, now.Add(time.Second))
			s.watch(j, now.Add(time.Hour))
			if told != 2 {
				t.Errorf("%s: the second silence was told %d times", c.name, told)
			}
		}
	}
}
