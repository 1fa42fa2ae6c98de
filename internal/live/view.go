package live

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// Options say where a view writes and how.
type Options struct {
	// Out takes what is shown. Each message is one Write.
	Out io.Writer
	// Terminal says that Out is a terminal.
	Terminal bool
	// Alone says that nobody else writes to this terminal, so that a line may
	// be drawn again in place. It is false when the job's output goes there.
	Alone bool
	// Width is the terminal's width now, 0 when unknown; nil elsewhere.
	Width func() int

	Style Style
	Quiet bool // findings and errors only
	JSON  bool // every event as a JSON line, and nothing else

	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// View shows the events of one run as they come. Its methods may be called
// from several goroutines.
//
// It never touches what others wrote. On a terminal that it shares with the
// job it only adds whole lines, each on a line of its own even when the
// job's cursor stands in the middle of one (a progress bar, a prompt), and
// keeps the running state in the window's title; a line is drawn in place only
// on a terminal that nobody else writes to.
type View struct {
	o Options

	mu       sync.Mutex
	progress *Progress
	nextLine time.Time       // when the next plain progress line is due
	interval time.Duration   // to the one after it
	lastStep int64           // of the last plain progress line
	status   bool            // a status line stands in place below
	titled   bool            // the title was set
	drawn    time.Time       // when either was drawn
	shown    map[string]int  // findings by rule, configuration and check
	told     map[string]bool // rules of which a finding was shown
	away     bool
}

// Rates of what is shown.
const (
	firstLine    = 5 * time.Second  // after the first progress
	lineInterval = 15 * time.Second // then; it grows
	lineGrowth   = 1.5
	lineMax      = 5 * time.Minute
	redraw       = 200 * time.Millisecond
	inFull       = 3 // findings of one rule and check shown in full
)

// NewView makes a view.
func NewView(o Options) *View {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &View{o: o, shown: map[string]int{}, told: map[string]bool{}, interval: lineInterval}
}

// Event shows one event.
func (v *View) Event(e Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.o.JSON {
		v.json(e)
		return
	}
	switch {
	case e.Said != nil:
		if !v.o.Quiet {
			v.line("vigil: " + clean(e.Said.Text))
		}
	case e.Progress != nil:
		v.progressed(e.Progress)
	case e.Finding != nil:
		v.finding(e.Finding)
	case e.Notice != nil:
		v.notice(e.Notice)
	case e.Stop != nil:
		v.stop(e.Stop)
	case e.Summary != nil:
		v.summary(e.Summary)
	}
}

// json writes the event as a line with "format" at its top.
func (v *View) json(e Event) {
	b, err := json.Marshal(e)
	if err != nil {
		b, _ = json.Marshal(Event{Time: e.Time, Notice: &Notice{Level: "error", Text: fmt.Sprintf("spell an event: %v", err)}})
	}
	_, _ = v.o.Out.Write(append([]byte(`{"format":1,`), append(b[1:], '\n')...))
}

// finding shows a finding in full, or counts it when several of its kind were
// shown already.
func (v *View) finding(f *record.Finding) {
	if f.Muted {
		return
	}
	kind := f.Rule + "\x00" + f.Configuration + "\x00" + f.Check
	v.shown[kind]++
	v.told[f.Rule] = true
	switch n := v.shown[kind]; {
	case n <= inFull:
		v.block(v.o.Style.findingText(f))
	case n == inFull+1:
		v.line(fmt.Sprintf("vigil: more of %s come; they are counted, and all are in the run", clean(f.Rule)))
	}
}

func (v *View) notice(n *Notice) {
	if v.o.Quiet && n.Level != "error" {
		return
	}
	text := "vigil: " + clean(n.Text)
	switch n.Level {
	case "error":
		text = "vigil: " + v.o.Style.Severity(record.Error, "error") + " " + clean(n.Text)
	case "warning":
		text = "vigil: " + v.o.Style.Severity(record.Warning, "warning") + " " + clean(n.Text)
	}
	if n.Hint != "" {
		text += "\n  " + clean(n.Hint)
	}
	v.line(text)
}

func (v *View) stop(s *Stop) {
	text := "vigil: " + v.o.Style.Severity(record.Error, "stopping the job")
	if s.Rule != "" {
		text += " because of " + v.o.Style.Bold(clean(s.Rule))
	}
	// The finding above it has said why.
	if s.Message != "" && (s.Rule == "" || !v.told[s.Rule]) {
		text += ": " + clean(s.Message)
	}
	v.line(text)
}

func (v *View) summary(s *Summary) {
	v.clearTitle()
	if v.o.Quiet {
		return
	}
	v.block(strings.TrimRight(v.o.Style.SummaryText(s), "\n"))
}

// progressed shows where the job stands: in place where that can harm nobody,
// else in the title and, now and then, as a line.
func (v *View) progressed(p *Progress) {
	if v.o.Quiet {
		return
	}
	now := v.o.Now()
	if v.progress == nil {
		v.nextLine = now.Add(firstLine)
	}
	v.progress = p
	if v.away {
		return
	}
	if v.o.Terminal && now.Sub(v.drawn) >= redraw {
		v.drawn = now
		if v.o.Alone {
			v.drawStatus()
		} else {
			v.drawTitle()
		}
	}
	if v.o.Terminal && v.o.Alone || now.Before(v.nextLine) || p.Step == v.lastStep {
		return
	}
	v.nextLine = now.Add(v.interval)
	v.interval = min(time.Duration(float64(v.interval)*lineGrowth), lineMax)
	v.lastStep = p.Step
	v.line(v.o.Style.statusLine(p, v.width()-1))
}

func (v *View) width() int {
	if v.o.Width == nil {
		return 0
	}
	return v.o.Width()
}

// line writes whole lines. Below a status line in place it goes above it.
func (v *View) line(text string) { v.write(text+"\n", false) }

// block writes lines with an empty one before them.
func (v *View) block(text string) { v.write(text+"\n", true) }

func (v *View) write(text string, apart bool) {
	if v.o.Terminal {
		text = wrap(text, v.width()-1)
	}
	var b strings.Builder
	switch {
	case v.status:
		b.WriteString("\r\x1b[2K")
		v.status = false
	case v.o.Terminal && !v.o.Alone:
		b.WriteString(freshLine(v.width()))
	}
	if apart {
		b.WriteString("\n")
	}
	b.WriteString(text)
	if v.o.Terminal && v.o.Alone && v.progress != nil && !v.away && !v.o.Quiet {
		b.WriteString(v.statusText())
		v.status = true
	}
	_, _ = io.WriteString(v.o.Out, b.String())
}

// freshLine brings the cursor to the start of a line without knowing where it
// is and without losing what stands there: as many blanks as the terminal is
// wide end on the next line, except from the first column, where the cursor
// waits behind the last column and the carriage return brings it back.
func freshLine(width int) string {
	if width <= 0 {
		return "\r\n"
	}
	return strings.Repeat(" ", width) + "\r"
}

func (v *View) statusText() string {
	return v.o.Style.Dim(v.o.Style.statusLine(v.progress, v.width()-1))
}

func (v *View) drawStatus() {
	_, _ = io.WriteString(v.o.Out, "\r\x1b[2K"+v.statusText())
	v.status = true
}

// drawTitle puts the state into the window's title, which no output can
// collide with. The title before is kept on the terminal's own stack.
func (v *View) drawTitle() {
	if !v.o.Style.Color {
		return // no escape sequences here
	}
	title := v.o.Style.statusLine(v.progress, 120)
	push := ""
	if !v.titled {
		push = "\x1b[22;2t"
	}
	v.titled = true
	_, _ = io.WriteString(v.o.Out, push+"\x1b]2;"+title+"\x07")
}

func (v *View) clearTitle() {
	if v.titled {
		v.titled = false
		_, _ = io.WriteString(v.o.Out, "\x1b[23;2t")
	}
}

// Suspend leaves the terminal alone while the job is stopped by job control.
func (v *View) Suspend() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.away = true
	if v.status {
		v.status = false
		_, _ = io.WriteString(v.o.Out, "\r\x1b[2K")
	}
	v.clearTitle()
}

// Resume is the end of Suspend.
func (v *View) Resume() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.away = false
}

// Close leaves the terminal as it was found. Events after it are shown as
// plain lines.
func (v *View) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.status {
		v.status = false
		_, _ = io.WriteString(v.o.Out, "\r\x1b[2K")
	}
	v.clearTitle()
	v.away = true
}
