package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// topCmd shows how a running job stands.
type topCmd struct {
	runArg
	JSON bool `name:"json" help:"How it stands now, once, as JSON."`
}

// Help teaches the command.
func (topCmd) Help() string {
	return `Examples:

    vigil top
    vigil top latest~1
    vigil top --json | jq '.ranks[].parts.data'

What the job does now: its phase, where the time of each rank went in the last 30 s, and what cores, GPUs, memory, disks
and network do. Twice a second, until the job ends; q or Ctrl-C ends it before. The terminal should have 80 columns.
Where there is no terminal, and of a run that has ended, one page is printed. It reads what is stored, so it works
beside the job, from another terminal.

Exit codes: 0, or 1 when the run cannot be read or has no times.`
}

// topEvery is how often the screen is drawn.
const topEvery = 500 * time.Millisecond

// Run prints one page, or draws until the job ends.
func (c topCmd) Run(a *app) error {
	t, err := c.open()
	if err != nil {
		return err
	}
	defer t.Close()
	now := func() (view.Top, error) { return c.now(t) }
	if c.JSON {
		top, err := now()
		if err != nil {
			return err
		}
		return writeJSON(a.stdout, top)
	}
	_, terminal := a.terminal()
	if t.Run().Status == record.Running && live.InPlace(terminal, os.Getenv) {
		over, err := a.drawTop(now)
		if err != nil || !over {
			return err
		}
	}
	top, err := now()
	if err != nil {
		return err
	}
	page := a.page()
	text := topPage{page}.text(&top, 0)
	if top.Ended() {
		text += "the run has ended: " + plain(runEnding(t)) + "\n"
	}
	_, err = io.WriteString(a.stdout, text)
	return err
}

func runEnding(t source.Run) string {
	run := t.Run()
	return run.Ending()
}

// now is how the job stands.
func (c topCmd) now(t source.Run) (view.Top, error) {
	top, ok, err := view.TopOf(t, time.Now())
	if err != nil {
		return top, fmt.Errorf("read run %q: %w", c.Name, err)
	}
	if !ok && top.Ended() {
		return top, noTimes(c.Name, t.Run())
	}
	return top, nil
}

// The screen of its own that a terminal has for programs that draw all of it.
const (
	ownScreen   = "\x1b[?1049h\x1b[?25l"
	leaveScreen = "\x1b[?25h\x1b[?1049l"
)

// drawTop draws how the job stands until it ends, or somebody does not want to see
// more; over tells that the job has ended.
func (a *app) drawTop(now func() (view.Top, error)) (over bool, err error) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	keys := make(chan byte, 16)
	if term.IsTerminal(int(a.stdin.Fd())) {
		if state, err := term.MakeRaw(int(a.stdin.Fd())); err == nil {
			defer func() { _ = term.Restore(int(a.stdin.Fd()), state) }()
			go readKeys(a.stdin, keys)
		}
	}
	if _, err := io.WriteString(a.stdout, ownScreen); err != nil {
		return false, err
	}
	defer func() { _, _ = io.WriteString(a.stdout, leaveScreen) }()
	tick := time.NewTicker(topEvery)
	defer tick.Stop()
	for {
		top, err := now()
		if err != nil {
			return false, err
		}
		if top.Ended() {
			return true, nil
		}
		if _, err := io.WriteString(a.stdout, a.topScreen(&top)); err != nil {
			return false, err
		}
		select {
		case <-ctx.Done():
			return false, nil
		case key := <-keys:
			if key == 'q' || key == 'Q' || key == 3 { // Ctrl-C
				return false, nil
			}
		case <-tick.C:
		}
	}
}

func readKeys(r io.Reader, keys chan<- byte) {
	b := make([]byte, 1)
	for {
		n, err := r.Read(b)
		if n > 0 {
			keys <- b[0]
		}
		if err != nil {
			return
		}
	}
}

// topScreen is what draws the whole screen again, as large as it is now.
func (a *app) topScreen(top *view.Top) string {
	columns, rows := 80, 24
	if f, ok := a.stdout.(*os.File); ok {
		if c, r, err := term.GetSize(int(f.Fd())); err == nil && c > 0 && r > 0 {
			columns, rows = c, r
		}
	}
	page := a.page()
	page.Width = columns
	lines := strings.Split(strings.TrimRight(topPage{page}.text(top, rows-1), "\n"), "\n")
	lines = append(lines[:min(len(lines), rows-1)], page.Dim(page.One("q ends it")))
	var b strings.Builder
	b.WriteString("\x1b[H")
	for i, line := range lines {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString("\x1b[2K" + line) // erased first: behind a full line its last sign would go
	}
	b.WriteString("\x1b[J")
	return b.String()
}
