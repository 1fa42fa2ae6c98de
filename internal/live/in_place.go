package live

import (
	"io"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// InPlace reports whether the state may be drawn in place on a stream: on a
// terminal that understands control sequences and has somebody in front of it.
func InPlace(terminal bool, getenv func(string) string) bool {
	switch getenv("TERM") {
	case "", "dumb", "unknown":
		return false
	}
	switch getenv("CI") {
	case "", "0", "false":
		return terminal
	}
	return false
}

// Keep draws what has changed, four times a second, until the view is closed:
// the last of several events that came at once, and all of it again after the
// terminal has got another size or its job gave it back. (The signal that tells
// of a new size goes to the terminal's owner, which is the job.)
func (v *View) Keep() {
	if !v.o.InPlace {
		return
	}
	ticks := time.NewTicker(redraw)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			v.tick()
		case <-v.closed:
			return
		}
	}
}

func (v *View) tick() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.repeated()
	v.draw()
}

// draw shows the state in place, when it has changed and the time has come:
// where nobody else writes, in the line the cursor is in; else in the last row,
// or, where there is none to spare, in the window's title.
func (v *View) draw() {
	now := v.o.Now()
	if !v.o.InPlace || v.progress == nil || v.away || v.over || now.Sub(v.drawn) < redraw {
		return
	}
	if v.o.Free != nil && !v.o.Free() {
		v.row.out = time.Time{} // what has the terminal may leave it in any state
		return
	}
	columns, rows := v.size()
	switch {
	case v.o.Alone && columns >= leastColumns:
		if text := v.statusText(columns); !v.status || text != v.text {
			v.drawn, v.status, v.text = now, true, text
			v.out("\r\x1b[2K" + text)
		}
	case v.o.Alone:
		if v.status {
			v.erase()
		}
	case columns >= leastColumns && rows >= leastRows:
		text := v.statusText(columns)
		if !v.row.open || text != v.row.text || columns != v.row.columns || rows != v.row.rows {
			v.clearTitle()
			v.drawn = now
			v.out(v.row.draw(text, columns, rows, now))
		}
	default:
		if v.row.open {
			v.erase()
		}
		v.drawTitle(now)
	}
}

// statusText is the status line for a terminal of so many columns.
func (v *View) statusText(columns int) string {
	return v.o.Style.Dim(v.state(columns - 1))
}

// state is the status line in plain letters.
func (v *View) state(width int) string {
	found := "no findings"
	if v.progress != nil && v.progress.Unjudged {
		found = "nothing judged yet"
	}
	if v.found > 0 {
		found = record.Several(int64(v.found), "finding")
	}
	if v.symptoms > 0 {
		found += ", " + record.Several(int64(v.symptoms), "symptom")
	}
	return v.o.Style.statusLine(v.progress, width, found)
}

// drawTitle puts the state into the window's title, which no output can
// collide with. The title before is kept on the terminal's own stack.
func (v *View) drawTitle(now time.Time) {
	if !v.o.Style.Color {
		return // no escape sequences here
	}
	title := v.state(120)
	if v.titled && title == v.text {
		return
	}
	push := ""
	if !v.titled {
		push = "\x1b[22;2t"
	}
	v.drawn, v.titled, v.text = now, true, title
	v.out(push + "\x1b]2;" + title + "\x07")
}

func (v *View) clearTitle() {
	if v.titled {
		v.titled = false
		v.out("\x1b[23;2t")
	}
}

// erase takes the state away and leaves the terminal as it was found.
func (v *View) erase() {
	if v.status {
		v.status = false
		v.out("\r\x1b[2K")
	}
	if v.row.open {
		v.out(v.row.close(v.size()))
	}
	v.clearTitle()
	if v.o.Leave != nil {
		v.o.Leave()
	}
}

func (v *View) out(text string) { _, _ = io.WriteString(v.o.Out, text) }

// size is the terminal's, 0 when unknown.
func (v *View) size() (columns, rows int) {
	if v.o.Size == nil {
		return 0, 0
	}
	return v.o.Size()
}

func (v *View) width() int {
	columns, _ := v.size()
	return columns
}

// Suspend leaves the terminal alone while the job is stopped by job control.
func (v *View) Suspend() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.away = true
	v.erase()
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
	v.over = true
	v.erase()
	v.end.Do(func() { close(v.closed) })
}
