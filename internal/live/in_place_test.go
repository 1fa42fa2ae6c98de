package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/testenv/screen"
)

// cooked is a screen behind a terminal driver, which makes a line feed a new
// line.
type cooked struct{ s *screen.Screen }

func (c cooked) Write(p []byte) (int, error) {
	c.s.Print(string(p))
	return len(p), nil
}

// stage is a view on a terminal that a job writes to as well.
type stage struct {
	*screen.Screen
	view *View
	now  time.Time
	step int64
	free bool
}

func newStage(columns, rows int) *stage {
	s := &stage{Screen: screen.New(columns, rows), now: time.Unix(1000, 0), free: true}
	s.view = NewView(Options{
		Out: cooked{s.Screen}, Terminal: true, InPlace: true, Size: s.Size, Style: Style{Color: true},
		Now: func() time.Time { return s.now }, Free: func() bool { return s.free },
	})
	return s
}

// goOn lets a second pass and a step be made.
func (s *stage) goOn() {
	s.step++
	s.now = s.now.Add(time.Second)
	s.view.Event(Event{Progress: &Progress{Step: s.step}})
}

func (s *stage) state() string {
	return fmt.Sprintf("vigil: step %d | overhead 0.0%% | no findings", s.step)
}

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// check compares what the job and we have written, and the last row.
func (s *stage) check(t *testing.T, what string, above, last string) {
	t.Helper()
	if got := strings.Join(s.Above(), "\n"); got != strings.TrimRight(above, "\n") {
		t.Errorf("%s: the terminal shows\n%s\nwant\n%s", what, got, above)
	}
	if s.Last() != last {
		t.Errorf("%s: the last row is %q, want %q", what, s.Last(), last)
	}
}

// over closes the view and expects the terminal as it was found.
func (s *stage) over(t *testing.T, above string) {
	t.Helper()
	s.view.Close()
	s.check(t, "closed", above, "")
	if _, rows := s.Size(); s.Region() != rows {
		t.Errorf("after the end %d of %d rows scroll", s.Region(), rows)
	}
}

func TestStateInTheLastRow(t *testing.T) {
	s := newStage(60, 12)
	s.Print(lines(0, 3))
	s.goOn()
	s.check(t, "few lines", lines(0, 3), s.state())
	s.Print(lines(3, 40))
	s.goOn()
	s.Print(lines(40, 41))
	s.goOn()
	s.check(t, "many lines", lines(0, 41), s.state())
	s.Print("a line that ")
	s.goOn()
	s.Print("goes on\n")
	s.check(t, "a line in two parts", lines(0, 41)+"a line that goes on", s.state())
	s.over(t, lines(0, 41)+"a line that goes on")
}

// A full screen has no room: its first row goes up.
func TestRowIsMadeBelowAFullScreen(t *testing.T) {
	s := newStage(60, 12)
	s.Print(lines(0, 30) + "$ ")
	s.goOn()
	s.Print("more")
	s.check(t, "full", lines(0, 30)+"$ more", s.state())
	s.over(t, lines(0, 30)+"$ more")
}

// A second bar is below the cursor.
func TestRowIsMadeBelowBars(t *testing.T) {
	s := newStage(60, 12)
	s.Print(lines(0, 30) + "outer\n\rinner\x1b[A")
	s.goOn()
	s.check(t, "bars", lines(0, 30)+"outer\ninner", s.state())
	s.Print("\n\ndone")
	s.check(t, "bars and on", lines(0, 30)+"outer\ninner\ndone", s.state())
}

func TestFindingsStandAboveTheState(t *testing.T) {
	s := newStage(60, 24)
	s.Print("half a li")
	s.goOn()
	s.view.Event(Event{Notice: &Notice{Level: "info", Text: "hello"}})
	s.view.Event(finding("w"))
	s.Print("after")
	s.goOn()
	const above = `half a li
vigil: hello

vigil: !! error exploding_tensor at step 12
  The gradient of w is infinite.
  cause     a learning rate that is too high
  remedy    lower it
after`
	s.check(t, "finding", above, "vigil: step 2 | overhead 0.0% | 1 finding")
	s.view.Event(Event{Summary: &Summary{}})
	if strings.Contains(strings.Join(s.All(), "\n"), "step 2") {
		t.Errorf("the state is still there below the summary:\n%s", strings.Join(s.All(), "\n"))
	}
	s.goOn()
	if s.view.Close(); s.Region() != 24 {
		t.Errorf("after the summary the last row is kept")
	}
}

// A program that has the terminal for itself is not drawn on, and has the last
// row taken again when it goes.
func TestNothingIsDrawnOnAProgramsScreen(t *testing.T) {
	s := newStage(60, 12)
	s.Print(lines(0, 3))
	s.goOn()
	shown := s.state()
	s.free = false
	s.goOn()
	s.goOn()
	s.check(t, "not free", lines(0, 3), shown)
	s.Print("\x1b[r\x1b[12;1H\x1b[2Kbye\n") // it resets the region and leaves from the last row
	s.free = true
	s.goOn()
	if s.Last() != s.state() {
		t.Errorf("free again: the last row is %q, want %q", s.Last(), s.state())
	}
	if rows := s.Rows(); !slices.Contains(rows, "bye") {
		t.Errorf("the program's last line is gone:\n%s", strings.Join(rows, "\n"))
	}
	s.Print("next\n")
	s.goOn()
	if rows := s.Rows(); !slices.Contains(rows, "next") || s.Last() != s.state() {
		t.Errorf("what comes next is gone:\n%s", strings.Join(rows, "\n"))
	}
}

// A program that drew for itself, on a screen of its own, gives back the job's
// screen without its scroll region; the job's next line feed gets to the last
// row.
func TestStateIsErasedUnderTheCursor(t *testing.T) {
	s := newStage(60, 12)
	s.Print(lines(0, 30))
	s.goOn()
	s.free = false
	s.Print("\x1b7\x1b[r\x1b8line 30\n")
	s.goOn()
	s.free = true
	s.goOn()
	s.Print("more\n")
	s.check(t, "free again", lines(0, 31)+"more", s.state())
}

// A job that resets the terminal has its last row taken again.
func TestTerminalReset(t *testing.T) {
	s := newStage(60, 12)
	s.Print(lines(0, 3))
	s.goOn()
	s.Print("\x1bc" + lines(0, 2))
	s.goOn()
	s.Print(lines(2, 30))
	s.goOn()
	s.check(t, "reset", lines(0, 30), s.state())
}

func TestResize(t *testing.T) {
	for _, c := range []struct{ printed, columns, rows int }{
		{3, 60, 18}, {3, 60, 10}, {40, 60, 18}, {40, 60, 10}, {40, 50, 12}, {40, 70, 14}, {3, 42, 11},
	} {
		t.Run(fmt.Sprintf("%d lines to %dx%d", c.printed, c.columns, c.rows), func(t *testing.T) {
			s := newStage(60, 12)
			s.Print(lines(0, c.printed))
			s.goOn()
			s.Resize(c.columns, c.rows)
			s.goOn()
			state := (Style{}).statusLine(&Progress{Step: s.step}, c.columns-1, "no findings")
			s.check(t, "resized", lines(0, c.printed), state)
			s.Print(lines(c.printed, c.printed+30))
			s.goOn()
			s.check(t, "and on", lines(0, c.printed+30), (Style{}).statusLine(&Progress{Step: s.step}, c.columns-1, "no findings"))
			s.over(t, lines(0, c.printed+30))
		})
	}
}

// Below ten rows or forty columns the state goes to the title, and back.
func TestSmallTerminal(t *testing.T) {
	s := newStage(60, 12)
	s.Print(lines(0, 3))
	s.goOn()
	s.Resize(60, 8)
	s.goOn()
	s.check(t, "small", lines(0, 3), "")
	if s.Title() != s.state() {
		t.Errorf("the title is %q, want %q", s.Title(), s.state())
	}
	s.Resize(60, 12)
	s.goOn()
	s.check(t, "large again", lines(0, 3), s.state())
	s.Resize(30, 12)
	s.view.Close()
	s.check(t, "closed while small", lines(0, 3), "")
}

func TestSuspendGivesTheTerminalBack(t *testing.T) {
	s := newStage(60, 12)
	s.Print(lines(0, 20))
	s.goOn()
	s.view.Suspend()
	s.goOn()
	s.check(t, "suspended", lines(0, 20), "")
	s.Print("$ ls\n" + lines(0, 5) + "$ fg\n")
	shell := lines(0, 20) + "$ ls\n" + lines(0, 5) + "$ fg\n"
	s.view.Resume()
	s.goOn()
	s.Print(lines(20, 25))
	s.check(t, "resumed", shell+lines(20, 25), s.state())
	s.over(t, shell+lines(20, 25))
}

// TestJobsOutputIsWhole lets jobs print what jobs print, with and without the
// view: it looks the same, but for the last row.
func TestJobsOutputIsWhole(t *testing.T) {
	pieces := []func(n int) string{
		func(n int) string { return fmt.Sprintf("line %d\n", n) },
		func(n int) string { return fmt.Sprintf("part %d ", n) },
		func(n int) string { return "\n" },
		func(n int) string { return fmt.Sprintf("\r%3d%%|%s", n%100, strings.Repeat("#", n%20)) }, // a bar
		func(n int) string { return fmt.Sprintf("\r\x1b[K\x1b[32m%d\x1b[0m of many", n) },
		// Two bars: down to the second one and up again.
		func(n int) string { return fmt.Sprintf("\router %d\n\rinner %d\x1b[A", n, n) },
		// A display of four lines that is drawn again in its place.
		func(n int) string {
			return fmt.Sprintf("\n\x1b[2Ka %d\n\x1b[2Kb %d\n\x1b[2Kc %d\n\x1b[3A", n, n, n)
		},
		func(n int) string { return strings.Repeat("wide ", 30) + "\n" },
		func(n int) string { return lines(n, n+15) },
	}
	rapid.Check(t, func(t *rapid.T) {
		const columns, rows = 53, 12
		s, alone := newStage(columns, rows), screen.New(columns, rows)
		column := 0
		for n := range rapid.IntRange(1, 40).Draw(t, "pieces") {
			text := rapid.SampledFrom(pieces).Draw(t, "piece")(n)
			// A terminal may forget, when a cursor is put back, that it stood
			// behind the last column.
			if column += len(text); strings.ContainsAny(text, "\n\r") {
				column = 30
			} else if column > columns-20 {
				text, column = "\n"+text, 30
			}
			s.Print(text)
			alone.Print(text)
			if rapid.Bool().Draw(t, "drawn") {
				s.goOn()
			}
		}
		s.view.Close()
		if got, want := s.All(), alone.All(); !slices.Equal(got, want) {
			t.Fatalf("with the view\n%s\nwithout\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// What has not changed is not drawn, and nothing is more often than four times
// a second.
func TestDrawnRarely(t *testing.T) {
	var b strings.Builder
	now := time.Unix(1000, 0)
	v := NewView(Options{Out: &b, Terminal: true, InPlace: true, Now: func() time.Time { return now },
		Size: func() (int, int) { return 80, 24 }})
	for i := range 100 {
		v.Event(Event{Progress: &Progress{Step: int64(i)}})
		now = now.Add(10 * time.Millisecond)
	}
	if n := strings.Count(b.String(), "\x1b[1;23r"); n != 4 {
		t.Errorf("drawn %d times in a second, want 4", n)
	}
	b.Reset()
	now = now.Add(time.Second)
	v.tick()
	if !strings.Contains(b.String(), "step 99") {
		t.Errorf("the last event is not drawn: %q", &b)
	}
	b.Reset()
	now = now.Add(time.Hour)
	v.tick()
	if b.Len() > 0 {
		t.Errorf("drawn without change: %q", &b)
	}
}

// Where nobody else writes, the state is in the cursor's line.
func TestStateAlone(t *testing.T) {
	s := newStage(60, 12)
	s.view.o.Alone = true
	s.goOn()
	s.view.Event(Event{Notice: &Notice{Level: "info", Text: "x"}})
	s.goOn()
	s.check(t, "alone", "vigil: x\n"+s.state(), "")
	s.over(t, "vigil: x")
}

func TestInPlace(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		term, ci string
		want     bool
	}{
		{true, "xterm", "", true}, {true, "xterm-256color", "false", true}, {false, "xterm", "", false},
		{true, "dumb", "", false}, {true, "", "", false}, {true, "xterm", "true", false}, {true, "xterm", "1", false},
	} {
		env := map[string]string{"TERM": c.term, "CI": c.ci}
		if got := InPlace(c.terminal, func(k string) string { return env[k] }); got != c.want {
			t.Errorf("terminal %v, TERM %q, CI %q: in place %v, want %v", c.terminal, c.term, c.ci, got, c.want)
		}
	}
}

// The curve gives way before anything else does, then what capture costs, samples and
// steps a second, and the place in the epoch; never what was found.
func TestStatusLineFits(t *testing.T) {
	loss := 0.5
	p := &Progress{Step: 147, Loss: &loss, Losses: make([]float64, 60), StepSeconds: 0.01, StepsPerSecond: 81.3, SamplesPerSecond: 5202}
	for width, want := range map[int]string{
		0:   "vigil: step 147 · loss 0.5 ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁ · 81.3 steps/s · 5,200 samples/s · overhead 0.0% · 2 findings",
		100: "vigil: step 147 · loss 0.5 ▁▁▁▁▁▁▁▁▁▁▁ · 81.3 steps/s · 5,200 samples/s · overhead 0.0% · 2 findings",
		90:  "vigil: step 147 · loss 0.5 · 81.3 steps/s · 5,200 samples/s · overhead 0.0% · 2 findings",
		80:  "vigil: step 147 · loss 0.5 · 81.3 steps/s · 5,200 samples/s · 2 findings",
		60:  "vigil: step 147 · loss 0.5 · 81.3 steps/s · 2 findings",
		40:  "vigil: step 147 · loss 0.5 · 2 findings",
		30:  "vigil: step 147 · loss 0.5 · >",
	} {
		if got := (Style{Unicode: true}).statusLine(p, width, "2 findings"); got != want {
			t.Errorf("in %d columns %q, want %q", width, got, want)
		}
	}
}
