package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
)

// The table of runs at several widths: what is read less goes first, then names are
// cut in the middle.
func TestRunTable(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	ended := func(d time.Duration) *time.Time { e := now.Add(-time.Hour).Add(d); return &e }
	runs := []listed{
		{
			Name: "20261125-110000-train", Framework: record.Framework{Name: "pytorch", Version: "2.15.0+cpu"}, Status: record.Running, Started: now.Add(-3 * time.Minute),
			Steps: map[string]int64{"TRAIN": 1200, "EVAL": 40}, Tags: map[string]string{"lr": "0.1", "experiment": "sweep"},
		},
		{
			Name: "imagenet-resnet50-long-name-of-a-sweep-with-seed-00017", Framework: record.Framework{Name: "xgboost", Version: "3.1.2"}, Status: record.Completed,
			Started: now.Add(-time.Hour), Ended: ended(83 * time.Second), Steps: map[string]int64{"TRAIN": 50}, Findings: map[string]int{"error": 2, "warning": 3, "info": 2},
		},
		{Name: "old", Status: record.Lost, Started: now.Add(-100 * 24 * time.Hour), Findings: map[string]int{"warning": 1}},
	}
	for _, tt := range []struct {
		width int
		want  string
	}{
		{160, `
NAME                                                    FRAMEWORK     STATUS     STARTED       DURATION  STEPS  EVAL  FINDINGS     TAGS
20261125-110000-train                                   pytorch 2.15  running    3 min ago    3 min 0 s   1200    40  none         experiment=sweep lr=0.1
imagenet-resnet50-long-name-of-a-sweep-with-seed-00017  xgboost 3.1   completed  1 h ago     1 min 23 s     50     0  2 errors +5
old                                                     -             lost       2026-08-17           -      0     0  1 warning
`},
		{100, `
NAME                             FRAMEWORK     STATUS     STARTED       DURATION  STEPS  FINDINGS
20261125-110000-train            pytorch 2.15  running    3 min ago    3 min 0 s   1200  none
imagenet-resnet…with-seed-00017  xgboost 3.1   completed  1 h ago     1 min 23 s     50  2 errors +5
old                              -             lost       2026-08-17           -      0  1 warning
`},
		{80, `
NAME                     FRAMEWORK     STATUS     STARTED     STEPS  FINDINGS
20261125-110000-train    pytorch 2.15  running    3 min ago    1200  none
imagenet-re…-seed-00017  xgboost 3.1   completed  1 h ago        50  2 errors +5
old                      -             lost       2026-08-17      0  1 warning
`},
		{50, `
NAME                        STATUS     FINDINGS
20261125-110000-train       running    none
imagenet-res…th-seed-00017  completed  2 errors +5
old                         lost       1 warning
`},
	} {
		got := runTable(runs, now, tt.width, false, live.Style{Unicode: true})
		if got != strings.TrimPrefix(tt.want, "\n") {
			t.Errorf("at %d columns:\n%s\nwant\n%s", tt.width, got, tt.want)
		}
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > tt.width {
				t.Errorf("at %d columns a line has %d: %s", tt.width, n, line)
			}
		}
	}
	plain, coloured := runTable(runs, now, 80, false, live.Style{}), runTable(runs, now, 80, false, live.Style{Color: true})
	if strings.Contains(plain, "\x1b") || !strings.Contains(plain, "imagenet-r") {
		t.Errorf("without colour and beyond ASCII:\n%s", plain)
	}
	if !strings.Contains(coloured, "\x1b[1;31m2 errors +5\x1b[0m") {
		t.Errorf("in colour:\n%q", coloured)
	}
}

// In a pipe names are whole, and the columns are those of 80.
func TestRunTableInAPipe(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	long := strings.Repeat("long-", 20)
	got := runTable([]listed{{Name: long, Status: record.Failed, Started: now}}, now, 80, true, live.Style{})
	want := fmt.Sprintf("%-100s  FRAMEWORK  STATUS  STARTED  STEPS  FINDINGS\n%s  -          failed  0 s ago      0  none\n", "NAME", long)
	if got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.Local)
	for text, want := range map[string]time.Time{
		"12h":                  now.Add(-12 * time.Hour),
		"7d":                   now.Add(-7 * 24 * time.Hour),
		"2026-11-20":           time.Date(2026, 11, 20, 0, 0, 0, 0, time.Local),
		"2026-11-20 15:04":     time.Date(2026, 11, 20, 15, 4, 0, 0, time.Local),
		"2026-11-20T15:04:05Z": time.Date(2026, 11, 20, 15, 4, 5, 0, time.UTC),
	} {
		if got, err := parseSince(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "yesterday", "2026-13-01", "20"} {
		if got, err := parseSince(text, now); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}
