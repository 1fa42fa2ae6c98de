package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// fsckCmd proves that a run is whole, or names what is damaged.
type fsckCmd struct {
	runArg
	JSON bool `name:"json" help:"As JSON."`
}

// Help teaches the command.
func (fsckCmd) Help() string {
	return "Examples:\n\n    vigil fsck\n    vigil fsck latest --json\n\n" +
		"Reads every file of the run and compares it with its checksums. Nothing is changed; what is damaged is named, the rest stays readable.\n" +
		"Exit codes: 0 whole, 2 damaged, 1 when the run cannot be read."
}

// Run reads the whole run.
func (c fsckCmd) Run(a *app) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	t, err := trial.Open(path)
	if err != nil {
		return fmt.Errorf("read run %q: %w", c.Name, err)
	}
	defer t.Close()
	var seen trial.Verified
	show, clear := progress(a)
	damage, err := t.Verify(context.Background(), func(v trial.Verified) {
		seen = v
		show(v)
	})
	clear()
	if err != nil {
		return err
	}
	running := t.Run().Status == record.Running
	if c.JSON {
		if damage == nil {
			damage = []trial.Damage{}
		}
		if err := writeJSON(a.stdout, map[string]any{"run": t.Run().Name, "status": t.Run().Status, "whole": len(damage) == 0, "checked": seen, "damage": damage}); err != nil {
			return err
		}
	} else {
		for _, d := range damage {
			fmt.Fprintf(a.stdout, "damaged  %s: %s\n", printable(d.File), plain(d.Reason))
		}
		verdict := "whole"
		if n := len(damage); n > 0 {
			verdict = fmt.Sprintf("%d damaged %s, the rest is whole", n, map[bool]string{true: "place", false: "places"}[n == 1])
		}
		fmt.Fprintf(a.stdout, "%s: %s; %d tables and raw files (%s), and every journal and document were read\n", t.Run().Name, verdict, seen.Files, live.Bytes(seen.Bytes))
		if running {
			fmt.Fprintln(a.stdout, "the run is still being written: what comes from now on was not read")
		}
	}
	if len(damage) > 0 {
		return &exitError{code: 2}
	}
	return nil
}

// progress shows on a terminal how far a long check is, at most four times a
// second; clear takes the line away.
func progress(a *app) (show func(trial.Verified), clear func()) {
	if a.stderr != os.Stderr || !term.IsTerminal(int(os.Stderr.Fd())) {
		return func(trial.Verified) {}, func() {}
	}
	var last time.Time
	return func(v trial.Verified) {
			if now := time.Now(); now.Sub(last) > time.Second/4 && v.Of > 0 {
				last = now
				fmt.Fprintf(a.stderr, "\r\x1b[K%s of %s read", live.Bytes(v.Bytes), live.Bytes(v.Of))
			}
		}, func() {
			if !last.IsZero() {
				fmt.Fprint(a.stderr, "\r\x1b[K")
			}
		}
}
