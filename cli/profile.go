package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/vigil-ml/vigil/internal/agent"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// profileCmd asks a running job for a window of detail, and shows or exports those
// that are stored.
type profileCmd struct {
	runArg
	Seconds *float64 `name:"seconds" placeholder:"S" help:"Length of the window (default 5)."`
	Steps   *int64   `name:"steps" placeholder:"N" help:"So many TRAIN steps instead."`
	Kinds   string   `name:"kinds" placeholder:"KINDS" default:"stacks" help:"What is recorded: stacks (default)."`
	Window  int      `name:"window" placeholder:"N" help:"A stored window instead of a new one."`
	Worker  string   `name:"worker" placeholder:"W" help:"Of this worker only."`
	Export  string   `name:"export" placeholder:"FORMAT" help:"Writes a stored window (default: the last one): speedscope, pprof or collapsed."`
	Output  string   `name:"output" short:"o" placeholder:"FILE" help:"File that --export writes."`
	JSON    bool     `name:"json" help:"As JSON."`
}

// Help teaches the command.
func (profileCmd) Help() string {
	return `Examples:

    vigil profile latest --seconds 5
    vigil profile latest --steps 50
    vigil profile latest --window 1
    vigil profile latest --export speedscope -o stacks.json

Notes for a while, every 10 ms, where the running job stands: the thread that trains, and up to eight loader workers of each rank.
Then it prints the lines of code in which the time went. Lines are named from 200 samples of a process on. The window is stored with
the run; vigil report shows it as a flame graph. The numbers of the training are the same with and without.
Speedscope files open at https://www.speedscope.app, pprof files with go tool pprof, collapsed stacks with flamegraph.pl.

Exit codes: 0, or 1 when there is no such run, nothing trains in it, or the window could not be recorded.`
}

// Run asks for a window, or reads stored ones.
func (c profileCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Export != "" || c.Window > 0 {
		return c.stored(a)
	}
	if c.Seconds == nil && c.Steps == nil {
		// A run that has ended can only show what it has.
		if path, name, err := findRun(c.root(), c.Name); err == nil {
			if run, err := readRun(path); err == nil && run.Status != record.Running && c.has(name, path) {
				return c.stored(a)
			}
		}
	}
	run, err := c.running("only a running job can be sampled; `vigil profile " + c.Name + " --window 1` shows the first stored window, if there is one")
	if err != nil {
		return err
	}
	return c.record(a, run)
}

// has reports whether a run has windows.
func (c profileCmd) has(name, path string) bool {
	t, err := openRun(name, path)
	if err != nil {
		return false
	}
	defer t.Close()
	return len(t.Windows()) > 0
}

// formats of --export.
var exportFormats = []string{"speedscope", "pprof", "collapsed"}

func (c profileCmd) check() error {
	if err := config.ParseKinds(c.Kinds); err != nil {
		return &usage{Message: "--kinds: " + err.Error(), What: c.Kinds, Hint: "write --kinds stacks, or leave it out"}
	}
	if err := control.CheckWindow(c.Seconds, c.Steps, dashes); err != nil {
		return err
	}
	switch {
	case c.Window < 0:
		return &usage{Message: fmt.Sprintf("--window %d: windows are numbered from 1", c.Window), What: "--window"}
	case (c.Window > 0 || c.Export != "") && (c.Seconds != nil || c.Steps != nil):
		return &usage{Message: "--window and --export are about stored windows, --seconds and --steps about a new one", What: "vigil profile", Hint: "record the window first, then export it"}
	case c.Export == "" && c.Output != "":
		return &usage{Message: "-o needs --export", What: "-o", Hint: "formats: " + strings.Join(exportFormats, ", ")}
	case c.Export != "" && !slices.Contains(exportFormats, c.Export):
		return &usage{Message: fmt.Sprintf("--export: there is no format %q", c.Export), What: c.Export, Hint: nearest(c.Export, exportFormats, "formats: "+strings.Join(exportFormats, ", "))}
	case c.Export != "" && c.Output == "":
		return &usage{Message: "--export needs a file", What: "--export", Hint: "write -o FILE"}
	}
	return nil
}

// record asks for a window, waits for it and shows it.
func (c profileCmd) record(a *app, run record.Run) error {
	fail := func(err error) error { return control.ProfileFailed(c.Name, err) }
	number, err := control.Profile(&run, c.Name, "vigil profile", c.Seconds, c.Steps, dashes)
	if err != nil {
		return err
	}
	state, err := c.wait(a, run, number)
	if err != nil {
		return fail(err)
	}
	if state.State != "stored" {
		return fail(fmt.Errorf("window %d: %s", number, reasons(state)))
	}
	c.Window = number
	if c.JSON {
		return c.stored(a)
	}
	for _, p := range state.Parts {
		if p.State != "stored" {
			fmt.Fprintf(a.stderr, "vigil: window %d of %s: %s\n", number, printable(p.Worker), plain(p.Text))
		}
	}
	return c.stored(a)
}

// reasons are why there is nothing of a window.
func reasons(s agent.WindowState) string {
	var list []string
	for _, p := range s.Parts {
		if p.Text != "" {
			list = append(list, p.Worker+": "+p.Text)
		}
	}
	if len(list) == 0 {
		return "nothing came"
	}
	return strings.Join(list, "; ")
}

// wait asks from time to time how far a window is, and shows on a terminal how long
// it has taken. When the agent is gone the run may have ended with the window stored.
func (c profileCmd) wait(a *app, run record.Run, number int) (agent.WindowState, error) {
	began := time.Now()
	shown := a.stderr == io.Writer(os.Stderr) && term.IsTerminal(int(os.Stderr.Fd()))
	clear := func() {
		if shown {
			fmt.Fprint(a.stderr, "\r\x1b[K")
		}
	}
	defer clear()
	if !shown && !c.JSON {
		fmt.Fprintf(a.stderr, "vigil: recording window %d\n", number)
	}
	for {
		state, err := control.WindowState(&run, number)
		if err != nil {
			return c.afterEnd(number, err)
		}
		if state.State != "asked" {
			return state, nil
		}
		if shown {
			fmt.Fprintf(a.stderr, "\r\x1b[Krecording window %d: %.0f s", number, time.Since(began).Seconds())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// afterEnd is how a window ended whose agent does not answer any more.
func (c profileCmd) afterEnd(number int, asked error) (agent.WindowState, error) {
	path, _, err := findRun(c.root(), c.Name)
	if err != nil {
		return agent.WindowState{}, asked
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		t, err := openRun(c.Name, path)
		if err != nil {
			return agent.WindowState{}, asked
		}
		status, windows := t.Run().Status, t.Windows()
		t.Close()
		for _, w := range windows {
			if w.Number == number {
				return agent.WindowState{Number: number, State: "stored"}, nil
			}
		}
		if status != record.Running {
			return agent.WindowState{}, errors.New("the job ended in the window, before its samples were stored")
		}
	}
	return agent.WindowState{}, asked
}

// stored shows or exports windows that are stored.
func (c profileCmd) stored(a *app) error {
	t, err := c.open()
	if err != nil {
		return err
	}
	defer t.Close()
	list, err := c.choose(t)
	if err != nil {
		return err
	}
	if c.Export != "" {
		return c.export(a, t, list)
	}
	name := t.Run().Name
	if c.JSON {
		return c.json(a, t, name, list)
	}
	for _, at := range list {
		w, err := t.Stacks(at)
		if err != nil {
			return err
		}
		printWindow(a.stdout, a.page(), name, w)
	}
	return nil
}

// choose are the windows that are meant: those with the number, else the last one.
func (c profileCmd) choose(t source.Run) ([]source.Window, error) {
	all := t.Windows()
	if len(all) == 0 {
		return nil, &usage{Message: fmt.Sprintf("run %q has no windows of detail", c.Name), What: c.Name,
			Hint: "`vigil profile` records one while the job runs; `vigil run --profile stacks:steps=50-80` asks for one before"}
	}
	number := c.Window
	if number == 0 {
		number = all[len(all)-1].Number
	}
	var list []source.Window
	var numbers, workers []string
	for _, w := range all {
		if n := fmt.Sprint(w.Number); !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
		if w.Number != number {
			continue
		}
		workers = append(workers, w.Worker)
		if c.Worker == "" || w.Worker == c.Worker {
			list = append(list, w)
		}
	}
	switch {
	case len(workers) == 0:
		return nil, &usage{Message: fmt.Sprintf("run %q has no window %d", c.Name, number), What: "--window", Hint: "it has " + strings.Join(numbers, ", ")}
	case len(list) == 0:
		return nil, &usage{Message: fmt.Sprintf("window %d has no worker %q", number, c.Worker), What: "--worker", Hint: nearest(c.Worker, workers, "it has "+strings.Join(workers, ", "))}
	}
	return list, nil
}

// export writes one window of one worker to a file, which is replaced only when the
// new one is whole.
func (c profileCmd) export(a *app, t source.Run, list []source.Window) error {
	if len(list) > 1 {
		var names []string
		for _, w := range list {
			names = append(names, w.Worker)
		}
		return &usage{Message: fmt.Sprintf("window %d has several workers", list[0].Number), What: "--export", Hint: "choose one with --worker: " + strings.Join(names, ", ")}
	}
	w, err := t.Stacks(list[0])
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(c.Output), ".stacks-*")
	if err != nil {
		return &usage{Message: fmt.Sprintf("write %q: %v", c.Output, err), What: "-o " + c.Output}
	}
	defer os.Remove(tmp.Name())
	switch c.Export {
	case "speedscope":
		err = w.Speedscope(tmp, t.Run().Name)
	case "collapsed":
		err = w.Collapsed(tmp)
	case "pprof":
		var b []byte
		if b, err = w.Encode(); err == nil {
			_, err = tmp.Write(b)
		}
	}
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), c.Output)
	}
	if err != nil {
		return &usage{Message: fmt.Sprintf("write %q: %v", c.Output, err), What: "-o " + c.Output}
	}
	if !c.JSON {
		fmt.Fprintf(a.stdout, "%s: window %d of %s, %s\n", printable(c.Output), w.Number, printable(w.Worker), c.Export)
		return nil
	}
	return writeJSON(a.stdout, map[string]any{"file": c.Output, "window": w.Number, "worker": w.Worker, "kind": c.Export})
}

// lineJSON is a line of code in JSON.
type lineJSON struct {
	stacks.Frame
	Share   float64 `json:"share"`
	Seconds float64 `json:"seconds"`
}

func (c profileCmd) json(a *app, t source.Run, name string, list []source.Window) error {
	type process struct {
		stacks.Sampled
		Seconds float64    `json:"seconds"`
		Lines   []lineJSON `json:"lines"` // none where there are too few samples
	}
	type window struct {
		Window    int       `json:"window"`
		Worker    string    `json:"worker"`
		Why       string    `json:"why"`
		Automatic bool      `json:"automatic"`
		Began     time.Time `json:"began"`
		Seconds   float64   `json:"seconds"`
		FirstStep int64     `json:"first_step"`
		EndStep   int64     `json:"end_step"`
		Cut       string    `json:"cut"`
		Loaders   int       `json:"loader_workers"`
		Processes []process `json:"processes"`
	}
	out := []window{}
	for _, at := range list {
		w, err := t.Stacks(at)
		if err != nil {
			return err
		}
		o := window{Window: w.Number, Worker: w.Worker, Why: w.Why, Automatic: w.Automatic, Began: w.Began, Seconds: w.Seconds, FirstStep: w.FirstStep, EndStep: w.EndStep, Cut: w.Cut, Loaders: w.Loaders, Processes: []process{}}
		for i := range w.Processes {
			s := &w.Processes[i]
			p := process{Sampled: *s, Seconds: s.Total().Seconds(), Lines: []lineJSON{}}
			for _, l := range s.Lines(true) {
				p.Lines = append(p.Lines, lineJSON{l.Frame, l.Share, l.Time.Seconds()})
			}
			o.Processes = append(o.Processes, p)
		}
		out = append(out, o)
	}
	return writeJSON(a.stdout, map[string]any{"run": name, "windows": out})
}

// linesShown is how many lines of code a table has.
const linesShown = 12

// printWindow prints in which lines the time of a window went.
func printWindow(w io.Writer, p live.Page, run string, seen *stacks.Window) {
	fmt.Fprintf(w, "%s, window %d of %s\n", p.Bold(printable(run)), seen.Number, printable(seen.Worker))
	text := fmt.Sprintf("%.1f s, %s", seen.Seconds, stepsText(seen))
	if seen.Why != "" {
		text += ", asked for by " + seen.Why
	}
	fmt.Fprintln(w, p.Hang("", plain(text)))
	if seen.Cut != "" {
		fmt.Fprintln(w, p.Hang("", plain(seen.Cut)+": it is shorter than was asked for"))
	}
	for i := range seen.Processes {
		if s := &seen.Processes[i]; s.Kind == stacks.Rank {
			printLines(w, p, "the process that trains", s)
		}
	}
	if s, n := seen.Loading(); n > 0 {
		name := fmt.Sprintf("%d of %s together", n, record.Several(int64(max(seen.Loaders, n)), "loader worker"))
		if n == 1 && seen.Loaders <= 1 {
			name = "the loader worker"
		}
		printLines(w, p, name, s)
	}
}

// printLines prints the lines of code of one process, or of several together.
func printLines(w io.Writer, p live.Page, name string, s *stacks.Sampled) {
	fmt.Fprintf(w, "\n%s, %s\n", p.Bold(name), record.Several(s.Samples, "sample"))
	if !s.Named() {
		fmt.Fprintf(w, "  too few to name lines: %d are needed; a longer window has more\n", stacks.Enough)
		return
	}
	var rows [][]string
	for n, l := range s.Lines(true) {
		if n == linesShown || l.Share < 0.005 {
			break
		}
		rows = append(rows, []string{fmt.Sprintf("%.0f %%", 100*l.Share), plain(l.Place()), plain(l.Function)})
	}
	fmt.Fprint(w, p.Table(2, []string{"SHARE", "LINE", "FUNCTION"}, rows))
}

func stepsText(w *stacks.Window) string {
	switch n := w.EndStep - w.FirstStep; {
	case n <= 0:
		return fmt.Sprintf("within TRAIN step %d", w.FirstStep)
	case n == 1:
		return fmt.Sprintf("from TRAIN step %d on, one closed", w.FirstStep)
	default:
		return fmt.Sprintf("from TRAIN step %d on, %d closed", w.FirstStep, n)
	}
}
