package live

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv/screen"
)

func finding(subject string) Event {
	return Event{Finding: &record.Finding{
		Rule: "exploding_tensor", Configuration: "exploding_tensor", Severity: record.Error, Step: 12, ModeStep: 12, Worker: "worker_0",
		Check: "max", Subject: subject, Message: "The gradient of " + subject + " is infinite.",
		CauseClass: "learning-rate", Cause: "a learning rate that is too high", Remedy: "lower it",
	}}
}

// TestScriptsOutputStays writes between the pieces of a script's output, at
// every column: nothing of it may be lost, and no line of ours may share one
// with it.
func TestScriptsOutputStays(t *testing.T) {
	const width = 30
	for column := 0; column <= width; column++ {
		s := screen.New(width, 24)
		v := NewView(Options{Out: cooked{s}, Terminal: true, Size: s.Size})
		before := strings.Repeat("x", column)
		s.Print(before)
		v.Event(Event{Notice: &Notice{Level: "info", Text: "hello"}})
		s.Print("after")
		text := strings.Join(s.All(), "\n")
		want := before + "\nvigil: hello\nafter"
		if column == 0 {
			want = "vigil: hello\nafter"
		}
		if text != want {
			t.Errorf("script's cursor in column %d: the screen shows\n%s\nwant\n%s", column, text, want)
		}
	}
}

func TestPlainOutputHasNoEscapes(t *testing.T) {
	var b bytes.Buffer
	v := NewView(Options{Out: &b})
	loss := 0.5
	v.Event(Event{Said: &Said{Text: "a model\x1b[31m"}})
	v.Event(Event{Progress: &Progress{Step: 1, Loss: &loss}})
	v.Event(finding("fc.weight\nwith \x1b]0;title\x07"))
	v.Event(Event{Stop: &Stop{Rule: "exploding_tensor", Message: "too much"}})
	v.Close()
	if strings.ContainsAny(b.String(), "\x1b\r\x07") {
		t.Errorf("escape sequences in plain output: %q", &b)
	}
	for _, want := range []string{
		"vigil: a model\\x1b[31m\n",
		"vigil: !! error exploding_tensor at step 12\n  The gradient of fc.weight\\nwith",
		"  cause     a learning rate that is too high\n  remedy    lower it\n",
		"vigil: stopping the job because of exploding_tensor\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, &b)
		}
	}
}

// What follows from a cause that is known is one line that names the cause.
func TestFindingThatFollows(t *testing.T) {
	var b bytes.Buffer
	v := NewView(Options{Out: &b})
	e := finding("w")
	e.Follows = &record.Follows{Rule: "zero_grad", Step: 9}
	v.Event(e)
	if got := b.String(); got != "vigil: exploding_tensor at step 12 follows from zero_grad\n" {
		t.Errorf("output is:\n%s", got)
	}
}

// The run's name and place come at once, before anything is known of the training.
func TestStartLine(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		o     Options
		start Start
		want  string
	}{
		{"below this directory", Options{}, Start{Name: "try-3", Path: filepath.Join(here, "vigil-runs", "try-3")}, "vigil: try-3 starts, in vigil-runs/try-3\n"},
		{"elsewhere", Options{}, Start{Name: "a\x1b", Path: "/runs/a\x1b"}, "vigil: a\\x1b starts, in /runs/a\\x1b\n"},
		{"resumed", Options{}, Start{Name: "a", Path: "/runs/a", Resumed: true}, "vigil: a goes on, in /runs/a\n"},
		{"quiet", Options{Quiet: true}, Start{Name: "a", Path: "/runs/a"}, ""},
		{"for programs", Options{JSON: true}, Start{Name: "a", Path: "/runs/a"}, `{"format":1,"time":"0001-01-01T00:00:00Z","start":{"name":"a","path":"/runs/a"}}` + "\n"},
	} {
		var b bytes.Buffer
		c.o.Out = &b
		NewView(c.o).Event(Event{Start: &c.start})
		if b.String() != c.want {
			t.Errorf("%s: %q, want %q", c.name, &b, c.want)
		}
	}
}

// The state counts updates, and says apart that the model is evaluated.
func TestStatusLineCountsUpdates(t *testing.T) {
	at := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name string
		p    Progress
		want string
	}{
		{"training", Progress{Step: 1300, Mode: "TRAIN", ModeStep: 1234, Update: at(1234)}, "step 1,234"},
		{"in an epoch", Progress{Mode: "TRAIN", Update: at(237), Epoch: 3, EpochStep: 38, EpochSteps: 100}, "step 237 · epoch 3, 38 of 100"},
		{"in one whose length is not known", Progress{Mode: "TRAIN", Update: at(237), Epoch: 3}, "step 237 · epoch 3"},
		{"evaluation", Progress{Step: 1300, Mode: "EVAL", ModeStep: 12, Update: at(1234)}, "step 1,234, evaluation"},
		{"evaluation alone", Progress{Step: 12, Mode: "EVAL", ModeStep: 12}, "evaluation step 12"},
		{"a framework without modes", Progress{Step: 12, Mode: "GLOBAL", ModeStep: 12}, "step 12"},
		{"a known end", Progress{Mode: "TRAIN", Update: at(500), Total: 3000, StepSeconds: 0.02, Left: 49.9}, "step 500 of 3,000, 49.9 s left · 50 steps/s"},
		{"the end of an epoch alone", Progress{Mode: "TRAIN", Update: at(237), Epoch: 3, EpochStep: 38, EpochSteps: 100, EpochLeft: 12.4}, "step 237 · epoch 3, 38 of 100, 12.4 s left"},
	} {
		c.p.Early = true
		if got := (Style{Unicode: true}).statusLine(&c.p, 0); got != "vigil: "+c.want {
			t.Errorf("%s: %q, want %q", c.name, got, "vigil: "+c.want)
		}
	}
}

// What the first captures cost is no share of anything yet.
func TestEarlyProgressSaysNoOverhead(t *testing.T) {
	var b bytes.Buffer
	now := time.Unix(1000, 0)
	v := NewView(Options{Out: &b, Now: func() time.Time { return now }})
	for i := range 60 {
		v.Event(Event{Progress: &Progress{Step: int64(i), StepSeconds: 1, Overhead: 64, Early: true}})
		now = now.Add(time.Second)
	}
	if !strings.HasPrefix(b.String(), "vigil: step 5 | 1 steps/s\n") {
		t.Errorf("output is %q", &b)
	}
}

func TestProgressIsRateLimited(t *testing.T) {
	var b bytes.Buffer
	now := time.Unix(1000, 0)
	v := NewView(Options{Out: &b, Now: func() time.Time { return now }})
	for i := range 5 * 3600 {
		v.Event(Event{Progress: &Progress{Step: int64(i), StepSeconds: 1}})
		now = now.Add(time.Second)
	}
	lines := strings.Count(b.String(), "\n")
	if lines < 30 || lines > 90 {
		t.Errorf("%d lines in five hours, want some 70:\n%.2000s", lines, &b)
	}
	if !strings.HasPrefix(b.String(), "vigil: step 5 | 1 steps/s | overhead 0.0%\n") {
		t.Errorf("the first line is %.80q", &b)
	}
	// A job that stands still is not told again.
	b.Reset()
	for range 3600 {
		v.Event(Event{Progress: &Progress{Step: 5*3600 - 1}})
		now = now.Add(time.Second)
	}
	if n := strings.Count(b.String(), "\n"); n > 1 {
		t.Errorf("%d lines about a job that stands still", n)
	}
}

// Of findings of one check the first is shown in full, two of other subjects by
// what they say; the others are counted, and told now and then.
func TestFloodOfFindings(t *testing.T) {
	var b bytes.Buffer
	now := time.Unix(1000, 0)
	v := NewView(Options{Out: &b, Now: func() time.Time { return now }})
	at := func(subject string, step int64) {
		e := finding(subject)
		e.Finding.Step, e.Finding.ModeStep = step, step
		v.Event(e)
	}
	at("w", 12)
	at("w", 13)
	at("v", 14)
	at("u", 15)
	at("t", 16)
	now = now.Add(firstLine)
	at("w", 17)
	at("w", 18)
	v.Event(Event{Summary: &Summary{}})
	got, _, _ := strings.Cut(b.String(), "\nvigil:  ") // the summary
	const want = `
vigil: !! error exploding_tensor at step 12
  The gradient of w is infinite.
  cause     a learning rate that is too high
  remedy    lower it

vigil: !! error exploding_tensor at step 14
  The gradient of v is infinite.

vigil: !! error exploding_tensor at step 15
  The gradient of u is infinite.
vigil: exploding_tensor 3 more times, last at step 17
`
	if got != want {
		t.Errorf("output is\n%s\nwant\n%s", got, want)
	}
}

// Where there is no summary to count them, repeats are told at the end.
func TestRepeatsAreToldWhenQuiet(t *testing.T) {
	var b bytes.Buffer
	v := NewView(Options{Out: &b, Quiet: true})
	for range 100 {
		v.Event(finding("w"))
	}
	v.Event(Event{Summary: &Summary{}})
	if got := b.String(); !strings.HasSuffix(got, "\nvigil: exploding_tensor 99 more times, last at step 12\n") || strings.Count(got, "\n") != 6 {
		t.Errorf("output is:\n%s", got)
	}
}

func TestQuietAndMuted(t *testing.T) {
	var b bytes.Buffer
	v := NewView(Options{Out: &b, Quiet: true})
	muted := finding("w")
	muted.Finding.Muted = true
	for _, e := range []Event{
		{Said: &Said{Text: "x"}}, {Progress: &Progress{}}, {Notice: &Notice{Level: "warning", Text: "x"}}, {Summary: &Summary{}}, muted,
	} {
		v.Event(e)
	}
	if b.Len() > 0 {
		t.Errorf("quiet shows %q", &b)
	}
	v.Event(finding("w"))
	v.Event(Event{Notice: &Notice{Level: "error", Text: "disk full", Hint: "make room"}})
	if !strings.Contains(b.String(), "is infinite") || !strings.Contains(b.String(), "disk full\n  make room") {
		t.Errorf("quiet hides findings or errors: %q", &b)
	}
}

func TestJSONLines(t *testing.T) {
	var b bytes.Buffer
	v := NewView(Options{Out: &b, JSON: true})
	v.Event(finding("w"))
	v.Event(Event{Notice: &Notice{Level: "info", Text: "x"}})
	v.Close()
	n := 0
	for line := range strings.Lines(b.String()) {
		var e struct {
			Format int `json:"format"`
			Event
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Format != 1 {
			t.Errorf("line %q: format %d, %v", line, e.Format, err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d lines, want 2", n)
	}
}

func TestSparkline(t *testing.T) {
	s := Style{Unicode: true}
	for _, c := range []struct {
		values []float64
		width  int
		want   string
	}{
		{nil, 10, ""},
		{[]float64{1}, 10, "▁"},
		{[]float64{3, 2, 1, 0}, 10, "█▆▃▁"},
		{[]float64{0, 0, 8, 8}, 2, "▁█"},
		{[]float64{0, math.NaN(), 1, math.Inf(1)}, 10, "▁×█×"},
		{[]float64{-math.MaxFloat64, math.MaxFloat64}, 10, "▁█"},
	} {
		if got := s.Sparkline(c.values, c.width); got != c.want {
			t.Errorf("Sparkline(%v, %d) = %q, want %q", c.values, c.width, got, c.want)
		}
	}
	if got := (Style{}).Sparkline([]float64{1, 2}, 5); got != "" {
		t.Errorf("ASCII sparkline %q, want none", got)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"short", "short"},
		{"one two three four five six\n", "one two three four\n  five six\n"},
		{"  one two three four five\n", "  one two three four\n    five\n"},
		{"\x1b[1;31mone\x1b[0m two three four", "\x1b[1;31mone\x1b[0m two three four"},
		{strings.Repeat("w", 40), strings.Repeat("w", 40)},
	} {
		if got := wrap(c.in, 20); got != c.want {
			t.Errorf("wrap(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestSummaryText(t *testing.T) {
	code, ended := 3, time.Unix(1100, 0)
	sum := &Summary{
		Run: record.Run{
			Name: "first", Status: record.Stopped, StoppedBy: "exploding_tensor", ExitCode: &code, Said: "MLP · SGD",
			Started: time.Unix(1000, 0), Ended: &ended, Steps: map[string]int64{"TRAIN": 1200, "EVAL": 30},
			Overhead: record.Overhead{StepSeconds: 90, OnceSeconds: 0.2, SinceSeconds: 80, SincePercent: 1.25},
		},
		Path: "/elsewhere/first", Tensors: 8, Values: 12345, RawBytes: 2_500_000,
		NotCaptured: []record.NotCaptured{{Name: "fc.weight", Reason: "the ring was full", Count: 1200}, {Name: "a\nb", Reason: "sparse", Count: 1}},
		Groups:      []record.Group{{Root: *finding("w").Finding, Symptoms: []record.Finding{*finding("v").Finding, {Rule: "dead_relu"}, {Rule: "loss_spike"}, {Rule: "dead_relu"}}}},
		Rules:       []record.RuleStatus{{Configuration: "dead_relu", Status: "Error", Details: "no ReLU"}},
	}
	const want = `vigil: first stopped by exploding_tensor after 1 min 40 s
  MLP · SGD
  captured  1,200 steps, 30 evaluation steps, 8 tensors, 12,345 values, 2.5 MB raw
  cost      1.2 s of 1 min 40 s, 1.2 % in steady state
  missing   fc.weight (1,200 times): the ring was full
            a\nb: sparse
  findings  !! error exploding_tensor at step 12
              The gradient of w is infinite.
              1 more time, at step 12
              2 symptoms: dead_relu (2), loss_spike
  rule      dead_relu could not judge: no ReLU
  run       /elsewhere/first
  next      vigil report /elsewhere/first
            vigil findings /elsewhere/first
            vigil show /elsewhere/first
            vigil ui /elsewhere
`
	if got := (Page{}).Summary(sum); got != want {
		t.Errorf("summary\n%s\nwant\n%s", got, want)
	}
	t.Setenv("VIGIL_DIR", "/root/of/runs")
	if got := (Page{}).Summary(&Summary{Run: record.Run{Name: "none", Status: record.Completed}, Path: "/root/of/runs/none"}); !strings.Contains(got, "nothing: no training step") || !strings.Contains(got, "vigil doctor none") {
		t.Errorf("summary of an empty run:\n%s", got)
	}
}

// A run that was not kept is not pointed to.
func TestSummaryOfARemovedRun(t *testing.T) {
	got := Page{}.Summary(&Summary{Path: "/runs/r", Removed: true, Run: record.Run{Name: "r", Command: []string{"sh", "job.sh"}}})
	want := "vigil: nothing was captured, and no run is kept: no process was seen to import PyTorch or XGBoost\n" +
		"  next      " + Program() + " doctor -- sh job.sh\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
