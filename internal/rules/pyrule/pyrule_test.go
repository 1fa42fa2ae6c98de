package pyrule

import (
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/rule"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"2GB": 2e9, "1.5GiB": 3 << 29, "512 MB": 512e6, "1048576": 1 << 20, "3g": 3e9, "1TB": 1e12} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GB", "much", "-1GB", "2XB", "1e400", "NaN", "0", "10KB", "1e30GB"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

// The clock measures one turn at a time, from when the one before it is over.
func TestClock(t *testing.T) {
	late := make(chan time.Duration, 1)
	c := newClock(func(after time.Duration) { late <- after })
	c.begin(time.Hour)
	c.begin(time.Millisecond) // waits for the first
	if c.said() {
		t.Error("a turn is over that is not")
	}
	c.done()
	if got := <-late; got != time.Millisecond || !c.said() {
		t.Errorf("late after %v", got)
	}
	c.done()
	c.begin(time.Hour)
	c.stop()
	c.done() // one that nobody asked for
}

// Where a process hangs is the innermost place in the rule's own file.
func TestStackNamesTheRule(t *testing.T) {
	s := stack{text: []byte("Current thread 0x1 (most recent call first):\n  File \"/lib/a.py\", line 3 in sleep\n  File \"/x/my.py\", line 7 in invoke_at_step\n  File \"/x/my.py\", line 70 in other\n")}
	if got := s.wait("/x/my.py", 0); got != "my.py:7, in invoke_at_step" {
		t.Errorf("%q", got)
	}
	if got := s.wait("/x/other.py", 0); got != "" {
		t.Errorf("%q", got)
	}
}

// Prints are shown line by line, cut where they are long, up to a flood.
func TestPrints(t *testing.T) {
	var lines []string
	floods := 0
	p := prints{said: func(line string) { lines = append(lines, line) }, flooded: func() { floods++ }}
	p.read(strings.NewReader("one\n\n"+strings.Repeat("x", 5000)+"\nlast"), true)
	if len(lines) != 3 || lines[0] != "one" || len([]rune(lines[1])) != maxLine || lines[2] != "last" || floods != 0 || !strings.HasSuffix(p.lastWords(), "last") {
		t.Errorf("%d lines, %d floods, %q", len(lines), floods, p.lastWords())
	}
	p.read(strings.NewReader(strings.Repeat("y", 2*maxPrinted)), false)
	if floods != 1 {
		t.Errorf("%d floods", floods)
	}
	p.turn()
	p.read(strings.NewReader("again"), false)
	if floods != 1 || lines[len(lines)-1] != "again" {
		t.Errorf("%d floods, %q", floods, lines[len(lines)-1])
	}
}

// FuzzParseMessage: what a process says is a message within its bounds, or an
// error.
func FuzzParseMessage(f *testing.F) {
	f.Add([]byte(`{"step":3,"findings":[{"observed":"NaN","severity":"error","context":{"a":[1]}}],"notes":["x"]}`))
	f.Add([]byte(`{"findings":[{"severity":"bad"}]}`))
	f.Add([]byte(`{"datapoints":-1}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseMessage(b)
		if err != nil {
			return
		}
		r := newRule(&rule.Definition{Name: "mine", Class: "Mine"}, rule.Params{}, 0, nil)
		var rep rule.Report
		r.report(outcome{said: m}, &rep)
		if len(rep.Violations) != len(m.Findings) || rep.Datapoints < 0 {
			t.Errorf("%q gives %d violations", b, len(rep.Violations))
		}
		for _, v := range rep.Violations {
			if v.Message == "" || v.Check == "" {
				t.Errorf("%q gives a violation that says nothing: %+v", b, v)
			}
		}
	})
}

// FuzzParseSize: a size lies within what memory can be.
func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"2GB", "1.5GiB", "x", "1e9", "-3MB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := parseSize(s); err == nil && n < 1e6 {
			t.Errorf("%q is %d", s, n)
		}
	})
}
