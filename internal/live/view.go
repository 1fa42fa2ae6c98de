package live

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	// InPlace says that the running state may be drawn in place on Out.
	InPlace bool
	// Alone says that nobody else writes to this terminal. It is false when
	// the job's output goes there.
	Alone bool
	// Size is the terminal's size now, 0 where unknown; nil elsewhere.
	Size func() (columns, rows int)
	// Free reports whether the terminal is in the hands of the job or of us and
	// takes lines: no program is on it that draws for itself or hides what is
	// typed. Nil means that it always is.
	Free func() bool
	// Leave is called when nothing is drawn in place any more; nil: nobody
	// wants to know.
	Leave func()

	Style   Style
	Explain func(*record.Finding) string // the command that explains a finding; may be nil
	Quiet   bool                         // findings and errors only
	JSON    bool                         // every event as a JSON line, and nothing else

	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// View shows the events of one run as they come. Its methods may be called
// from several goroutines.
//
// It never touches what others wrote. On a terminal that it shares with the
// job it adds whole lines, each on a line of its own even when the job's
// cursor is in the middle of one (a progress bar, a prompt), and keeps the
// running state in the last row, which it takes out of the part that scrolls.
type View struct {
	o Options

	mu       sync.Mutex
	progress *Progress
	clock    *record.Clock   // that came last
	nextLine time.Time       // when the next plain progress line is due
	interval time.Duration   // to the one after it
	lastStep int64           // of the last plain progress line
	found    int             // findings that follow from no other
	symptoms int             // findings that do
	row      row             // the last row, with the state in it
	status   bool            // the state is in the line the cursor is in
	titled   bool            // the state is in the title
	text     string          // the state in either
	drawn    time.Time       // when the state was drawn
	turns    Turns           // of the findings shown
	again    []*repeats      // findings that were only counted, by check
	told     map[string]bool // rules of which a finding was shown in full
	away     bool            // the job is stopped: nothing is drawn in place
	over     bool            // the job has ended: nothing is any more
	end      sync.Once
	closed   chan struct{} // closed by Close
}

// Rates of what is shown.
const (
	firstLine    = 5 * time.Second  // after the first progress
	lineInterval = 15 * time.Second // then; it grows
	lineGrowth   = 1.5
	lineMax      = 5 * time.Minute
	redraw       = 250 * time.Millisecond
)

// NewView makes a view.
func NewView(o Options) *View {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &View{o: o, told: map[string]bool{}, interval: lineInterval, closed: make(chan struct{})}
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
	case e.Start != nil:
		v.start(e.Start)
	case e.Said != nil:
		if !v.o.Quiet {
			v.line(v.page().Hang(ours, clean(e.Said.Text)))
		}
	case e.Progress != nil:
		v.progressed(e.Progress)
	case e.Finding != nil:
		v.clock = e.Clock
		v.finding(e.Finding, e.Follows)
	case e.Notice != nil:
		v.notice(e.Notice)
	case e.Stop != nil:
		v.stop(e.Stop)
	case e.Summary != nil:
		v.summary(e.Summary)
	}
	v.repeated()
}

// page is how text is laid out on the terminal as it is now.
func (v *View) page() Page {
	p := Page{Style: v.o.Style, Explain: v.o.Explain, Clock: v.clock}
	if v.o.Terminal {
		p.Width = max(0, v.width()-1)
	}
	return p
}

// json writes the event as a line with "format" at its top.
func (v *View) json(e Event) {
	b, err := json.Marshal(e)
	if err != nil {
		b, _ = json.Marshal(Event{Time: e.Time, Notice: &Notice{Level: "error", Text: fmt.Sprintf("spell an event: %v", err)}})
	}
	_, _ = v.o.Out.Write(append([]byte(`{"format":1,`), append(b[1:], '\n')...))
}

// finding shows a finding in full, one whose cause is known in one line, and
// counts those that say the same once more.
func (v *View) finding(f *record.Finding, follows *record.Follows) {
	if f.Muted {
		return
	}
	page := v.page()
	switch turn := v.turns.Next(f); {
	case turn == Again:
		v.repeat(f)
	case follows != nil:
		v.symptoms++
		if page.Width > len(ours) {
			page.Width -= len(ours)
		}
		v.line(page.Dim(ours) + page.Symptom(f, follows.Rule))
	case turn == Further: // its check is explained above
		v.found++
		v.block(ours + page.Head(f) + "\n" + page.Message(f))
	default:
		v.found++
		v.told[f.Rule] = true
		v.block(ours + page.Finding(f))
	}
}

// start says at once what is begun and where it goes; what was understood of
// the training follows when its first steps were seen.
func (v *View) start(s *Start) {
	if v.o.Quiet {
		return
	}
	verb := "starts"
	if s.Resumed {
		verb = "goes on"
	}
	v.line(v.page().Hang(ours, fmt.Sprintf("%s %s, in %s", v.o.Style.Bold(clean(s.Name)), verb, clean(near(s.Path)))))
}

// near is a path as it is called from here, where it is below.
func near(path string) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// ours begins what is written between the lines of a job.
const ours = "vigil: "

func (v *View) notice(n *Notice) {
	if v.o.Quiet && n.Level != "error" && n.Level != "asked" {
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
	v.over = true
	v.erase()
	if v.o.Quiet {
		v.repeatedNow()
		return
	}
	v.again = nil // it counts them
	v.block(strings.TrimRight(v.page().Summary(s), "\n"))
}

// progressed shows where the job stands: in place where that can harm nobody,
// else, now and then, as a line.
func (v *View) progressed(p *Progress) {
	if v.o.Quiet {
		return
	}
	now := v.o.Now()
	if v.progress == nil {
		v.nextLine = now.Add(firstLine)
	}
	v.progress = p
	if v.away || v.over {
		return
	}
	v.draw()
	if v.status || v.row.open || now.Before(v.nextLine) || p.Step == v.lastStep {
		return
	}
	v.nextLine = now.Add(v.interval)
	v.interval = min(time.Duration(float64(v.interval)*lineGrowth), lineMax)
	v.lastStep = p.Step
	v.line(v.o.Style.statusLine(p, v.width()-1))
}

// line writes whole lines, above the state when that is in place.
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
	case v.o.Terminal && !v.o.Alone:
		b.WriteString(freshLine(v.width()))
	}
	if apart {
		b.WriteString("\n")
	}
	b.WriteString(text)
	if v.status {
		v.text = v.statusText(v.width())
		b.WriteString(v.text)
	}
	_, _ = io.WriteString(v.o.Out, b.String())
}

// freshLine brings the cursor to the start of a line without knowing where it
// is and without losing what is there: as many blanks as the terminal is
// wide end on the next line, except from the first column, where the cursor
// waits behind the last column and the carriage return brings it back.
func freshLine(width int) string {
	if width <= 0 {
		return "\r\n"
	}
	return strings.Repeat(" ", width) + "\r"
}
