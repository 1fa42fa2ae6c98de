package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
)

// stacksCmd shows where the processes of a running job stand.
type stacksCmd struct {
	runArg
	JSON bool `name:"json" help:"As JSON, with all threads of all processes."`
}

// Help teaches the command.
func (stacksCmd) Help() string {
	return `Examples:

    vigil stacks
    vigil stacks latest --json

Shows the Python stacks of every process of a running job, ranks and loader workers included, at this moment. Processes that stand at
the same place are one group; the smallest group comes first, since the odd one is often the one that others wait for.
A process that hangs with Python's lock held is read, too. Only file, line and function are read, never values.
The run may be left out when exactly one job is running.

Exit codes: 0, or 1 when there is no such run, or it does not run.`
}

// Run asks the agent of the run.
func (c stacksCmd) Run(a *app) error {
	path, err := c.runningPath()
	if err != nil {
		return err
	}
	run, answer, err := control.Run{Path: path, Name: c.Name}.Stacks()
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(a.stdout, map[string]any{"run": run.Name, "time": answer.Time, "summary": stacks.Summary(stacks.Groups(answer.Processes)), "processes": answer.Processes})
	}
	printStacks(a.stdout, a.page(), run.Name, &answer)
	return nil
}

// running is a run that runs, named or the only one; why reports what is missing
// otherwise.
func (r *runArg) running(why string) (record.Run, error) {
	path, err := r.runningPath()
	if err != nil {
		return record.Run{}, err
	}
	return control.Run{Path: path, Name: r.Name}.Running(why)
}

// runningPath is where the run lies that is named, or the only one that runs.
func (r *runArg) runningPath() (string, error) {
	path, name, err := "", "", error(nil)
	if r.Name == "" {
		path, name, err = onlyRunning(r.root())
	} else {
		path, name, err = findRun(r.root(), r.Name)
	}
	if err == nil {
		r.Name = name
	}
	return path, err
}

// mostShown bounds the groups and frames that are printed; --json has all.
const (
	groupsShown  = 20
	framesShown  = 24
	threadsShown = 8
)

func printStacks(w io.Writer, p live.Page, name string, answer *control.Stacks) {
	groups := stacks.Groups(answer.Processes)
	fmt.Fprintf(w, "%s, %s at %s\n", p.Bold(printable(name)), processes(len(answer.Processes)), answer.Time.Local().Format("15:04:05"))
	if len(groups) == 0 {
		fmt.Fprintln(w, "no process of the job is left")
		return
	}
	fmt.Fprintln(w, p.Hang("", plain(unquoted(stacks.Summary(groups)))))
	for i := range groups {
		if i == groupsShown {
			fmt.Fprintf(w, "\nand %s; --json has all\n", record.Several(int64(len(groups)-groupsShown), "further group"))
			break
		}
		printGroup(w, p, &groups[i])
	}
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}

// printGroup prints one group: who it is, where its main thread stands, and in a line
// each the other threads of its first process.
func printGroup(w io.Writer, p live.Page, g *stacks.Group) {
	first := g.Processes[0]
	title := g.Who()
	if g.Kind != stacks.Other || len(g.Processes) > 1 {
		title += " (" + g.Which() + ")"
	}
	note := first.State
	if first.Read == stacks.Signalled {
		note += "; read by a signal"
	}
	fmt.Fprintf(w, "\n%s, %s\n", p.Bold(plain(title)), plain(note))
	if first.Read == stacks.Unread {
		fmt.Fprintln(w, "  no Python stack: it runs no Python, or does not react to the signal at which Python writes it")
		return
	}
	var rows [][]string
	for n, f := range g.Frames {
		if n == framesShown {
			rows = append(rows, []string{"…", fmt.Sprintf("%d further calls", len(g.Frames)-n)})
			break
		}
		rows = append(rows, []string{plain(f.Place()), plain(f.Function)})
	}
	fmt.Fprint(w, p.Table(2, []string{"LINE", "FUNCTION, the innermost first"}, rows))
	main, shown := first.Main(), 0
	for i := range first.Threads {
		t := &first.Threads[i]
		if t == main {
			continue
		}
		if shown == threadsShown {
			fmt.Fprintf(w, "  and %s; --json has all\n", record.Several(int64(len(first.Threads)-1-shown), "further thread"))
			break
		}
		shown++
		fmt.Fprintln(w, p.Hang("  ", "beside it "+plain(t.Name)+" in "+plain(unquoted(stacks.Where(t.Frames, "")))))
	}
}

// unquoted takes the quotes of code out of a sentence that a terminal shows.
func unquoted(s string) string { return strings.ReplaceAll(s, "`", "") }
