package cli

import (
	"bufio"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/trial"
)

// rmCmd removes runs.
type rmCmd struct {
	rootFlag
	Names     []string `arg:"" optional:"" name:"run" placeholder:"RUN" help:"Runs: their names below the root, the beginning of one, latest, latest~1, or paths."`
	OlderThan string   `name:"older-than" placeholder:"AGE" help:"Runs that ended longer ago than this: 12h, 7d, 4w."`
	Failed    bool     `name:"failed" help:"Runs whose command failed."`
	Yes       bool     `name:"yes" short:"y" help:"Remove without asking."`
	JSON      bool     `name:"json" help:"As JSON; needs --yes."`
}

// Help teaches the command.
func (rmCmd) Help() string {
	return `Examples:

    vigil rm latest --yes
    vigil rm --older-than 4w --yes
    vigil rm --failed --older-than 7d --yes

It lists what it is about to remove, and asks. A run is removed with all that is stored in it, and cannot be
brought back. A run that is still running is never removed: by its name it is refused, by a filter it is left
out, and named. Both filters together remove what both find.

Exit codes: 0, also when the answer is no; 1 when a run is not there or still running, when there is no answer, or
when one could not be removed.`
}

// doomed is a run that is to be removed.
type doomed struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	run   record.Run
	at    time.Time // when it ended, or was written last
}

// Run asks, and removes.
func (c rmCmd) Run(a *app) error {
	filtered := c.Failed || c.OlderThan != ""
	switch {
	case len(c.Names) > 0 && filtered:
		return &usage{Message: "runs are removed either by their names or by a filter", What: c.Names[0], Hint: "leave out the names, or --older-than and --failed"}
	case len(c.Names) == 0 && !filtered:
		return &usage{Message: "name the runs to remove, or a filter", What: "RUN", Hint: "vigil rm RUN..., vigil rm --older-than 4w, vigil rm --failed"}
	case c.JSON && !c.Yes:
		return &usage{Message: "--json does not ask; it needs --yes", What: "--json"}
	}
	list, running, err := c.chosen()
	if err != nil {
		return err
	}
	if len(running) > 0 && !c.JSON {
		fmt.Fprintf(a.stderr, "vigil: still running, and kept: %s\n", printable(strings.Join(running, ", ")))
	}
	if len(list) == 0 && !c.JSON {
		_, err := fmt.Fprintf(a.stdout, "no run in %s matches; nothing to remove\n", c.root())
		return err
	}
	if !c.Yes {
		printDoomed(a, list)
		yes, err := confirmed(a)
		if err != nil {
			return err
		}
		if !yes {
			_, err := fmt.Fprintln(a.stdout, "nothing was removed")
			return err
		}
	}
	removed, bytes := []doomed{}, int64(0)
	for _, d := range list {
		if err = control.Remove(d.Path); err != nil {
			err = fmt.Errorf("remove run %q: %w", d.Name, err)
			break
		}
		removed, bytes = append(removed, d), bytes+d.Bytes
	}
	if c.JSON {
		if err != nil {
			return err
		}
		if running == nil {
			running = []string{}
		}
		return writeJSON(a.stdout, map[string]any{"removed": removed, "running": running})
	}
	if len(removed) > 0 {
		fmt.Fprintf(a.stdout, "removed %s, %s\n", record.Several(int64(len(removed)), "run"), live.Bytes(bytes))
	}
	return err
}

// chosen are the runs that names or filters choose; running are those that the
// filters chose and that are kept because their jobs are running.
func (c rmCmd) chosen() (list []doomed, running []string, err error) {
	if len(c.Names) == 0 {
		return c.filtered()
	}
	seen := map[string]bool{}
	for _, word := range c.Names {
		if word == "" {
			return nil, nil, &usage{Message: "the name of a run is empty", What: "RUN", Hint: "`vigil ls` lists the runs"}
		}
		path, name, err := findRun(c.root(), word)
		if err != nil {
			return nil, nil, err
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, nil, fmt.Errorf("find run %q: %w", word, err)
		}
		if seen[path] {
			continue
		}
		seen[path] = true
		run, _ := trial.Brief(path) // a damaged one goes, too
		d := doom(path, run)
		if why := d.busy(); why != "" {
			return nil, nil, &usage{Message: fmt.Sprintf("run %q is still running: %s", name, why), What: word, Hint: "`vigil stop " + name + "` ends its job; nothing was removed"}
		}
		list = append(list, d)
	}
	return list, nil, nil
}

func (c rmCmd) filtered() (list []doomed, running []string, err error) {
	var age time.Duration
	if c.OlderThan != "" {
		if age, err = config.ParseAge(c.OlderThan); err != nil {
			return nil, nil, &usage{Message: fmt.Sprintf("--older-than: %v", err), What: c.OlderThan, Hint: config.Hint(err)}
		}
	}
	entries, err := trial.Briefs(c.root())
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if c.Failed && e.Run.Status != record.Failed {
			continue
		}
		d := doom(e.Path, e.Run)
		if age > 0 && time.Since(d.at) < age {
			continue
		}
		if d.busy() != "" {
			running = append(running, d.Name)
			continue
		}
		list = append(list, d)
	}
	return list, running, nil
}

// doom looks at a run that is to be removed.
func doom(path string, run record.Run) doomed {
	d := doomed{Name: filepath.Base(path), Path: path, run: run}
	d.at = control.Touched(path, &run)
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				d.Bytes += info.Size()
			}
		}
		return nil
	})
	return d
}

// busy says why a run may still be written; "" when it is not.
func (d doomed) busy() string { return control.Busy(d.Path, &d.run) }

func printDoomed(a *app, list []doomed) {
	total := int64(0)
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, d := range list {
		status := d.run.Status
		if status == record.Running {
			status = "running on " + d.run.Host + "?"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", printable(d.Name), status, ago(time.Since(d.at)), live.Bytes(d.Bytes))
		total += d.Bytes
	}
	w.Flush()
	fmt.Fprintf(a.stdout, "Remove %s for good (%s)? [y/N] ", record.Several(int64(len(list)), "run"), live.Bytes(total))
}

// confirmed reads the answer to a question; that there is none is an error.
func confirmed(a *app) (bool, error) {
	answer, err := bufio.NewReader(a.stdin).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer == "" && err != nil {
		fmt.Fprintln(a.stdout)
		return false, &usage{Message: "no answer; nothing was removed", What: "standard input", Hint: "--yes removes without asking"}
	}
	return answer == "y" || answer == "yes", nil
}

// ago is a length of time in one word and unit, for a table.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", max(int(d.Seconds()), 0))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 1000*24*time.Hour:
		return fmt.Sprintf("%d d ago", int(d.Hours()/24))
	}
	return fmt.Sprintf("%d years ago", int(d.Hours()/24/365))
}
