package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/pyre"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// showCmd reports what a run captured.
type showCmd struct {
	runArg
	Regex string `arg:"" optional:"" name:"name_regex" placeholder:"NAME_REGEX" help:"Only tensors whose name matches (a Python regular expression, anywhere in the name)."`
	Why   bool   `name:"why" help:"Show what asked for each collection, too."`
	Diff  bool   `name:"diff" help:"Only the difference from the git commit when the run was started."`
	JSON  bool   `name:"json" help:"As JSON."`
}

// Help teaches the command.
func (showCmd) Help() string {
	return "Examples:\n\n    vigil show\n    vigil show latest~1\n    vigil show --why\n    vigil show 'gradient/.*weight' --json\n    vigil show latest --diff\n\nOne word is a run if it names one exactly, else a NAME_REGEX for the newest run.\nWorkers, modes, steps, what the run was made of, what was understood of the training, collections with their schedules, tensors, and what is missing and why.\nExit codes: 0, or 1 when the run cannot be read."
}

// Run prints the run, its plan and its tensors.
func (c showCmd) Run(a *app) error {
	word := c.Name
	guessed := c.Regex == "" && c.second(&c.Regex)
	path, err := c.path()
	if err != nil {
		return err
	}
	var match *pyre.Regexp
	if c.Regex != "" {
		if match, err = pyre.Compile(c.Regex); err != nil {
			return &usage{Message: fmt.Sprintf("cannot read the regular expression %q: %v", c.Regex, err), What: c.Regex, Hint: "the syntax is that of Python's re.search"}
		}
	}
	t, err := openRun(c.Name, path)
	if err != nil {
		return err
	}
	defer t.Close()
	if c.Diff && c.JSON {
		return writeJSON(a.stdout, map[string]any{"diff": string(t.Diff())})
	}
	if c.Diff {
		return printDiff(a.stdout, t, c.Name)
	}
	run := t.Run()
	infos := t.Tensors()
	collections := view.Collections(run, source.OfTraining(infos))
	listed := infos
	if match == nil { // those by time have blocks of their own
		listed = source.OfTraining(infos)
	}
	var named []record.TensorInfo
	for _, info := range listed {
		if match != nil {
			ok, err := match.Search(info.Name)
			if err != nil {
				return &usage{Message: fmt.Sprintf("match %q: %v", c.Regex, err), What: c.Regex, Hint: "use fewer nested repetitions"}
			}
			if !ok {
				continue
			}
		}
		named = append(named, info)
	}
	if match != nil && len(named) == 0 && !c.JSON && !guessed {
		return &usage{Message: fmt.Sprintf("no tensor of run %q matches %q", c.Name, c.Regex), What: c.Regex, Hint: fmt.Sprintf("`vigil show %s` lists them", c.Name)}
	}
	if guessed && len(named) == 0 {
		return neither(c.root(), word, c.Name, infos)
	}
	tensors := view.Tensors(t, named)
	if c.JSON {
		facts := run.Facts
		if len(facts) == 0 {
			facts = json.RawMessage("null")
		}
		missing := record.OfTraining(run.NotCaptured)
		if missing == nil {
			missing = []record.NotCaptured{}
		}
		trainings, err := view.Trainings(t)
		if err != nil {
			return fmt.Errorf("tell trainings of run %q apart: %w", c.Name, err)
		}
		times, err := view.StepTimes(t)
		if err != nil {
			return fmt.Errorf("read step times of run %q: %w", c.Name, err)
		}
		return writeJSON(a.stdout, map[string]any{"machine": view.Hosts(t), "time": times, "trainings": trainings, "run": run, "facts": facts, "collections": collections, "not_captured": missing, "machine_absent": record.OfMachine(run.NotCaptured), "not_judged": view.NotJudged(t.Statuses()), "tensors": tensors, "actions": view.Actions(t), "files": keptFiles(path), "damage": t.Damage()})
	}
	p := a.page()
	p.Clock = run.Clock()
	printRun(a.stdout, p, t, run)
	trainings, err := view.Trainings(t)
	if err != nil {
		return fmt.Errorf("tell trainings of run %q apart: %w", c.Name, err)
	}
	printTrainings(a.stdout, p, trainings)
	printProvenance(a.stdout, p, run)
	printFacts(a.stdout, p, run.Facts)
	facts, _ := run.KnownFacts() // what cannot be read was said to be damaged
	printNetwork(a.stdout, p, view.NetworkOf(facts, t.Announced()))
	if err := printMachine(a.stdout, p, t); err != nil {
		return fmt.Errorf("read step times of run %q: %w", c.Name, err)
	}
	printCollections(a.stdout, p, collections, c.Why)
	printTensors(a.stdout, p, tensors)
	if list := view.Actions(t); len(list) > 0 {
		fmt.Fprintln(a.stdout)
		printActions(a.stdout, p, "Actions:", list)
	}
	printKept(a.stdout, p, path)
	printUnjudged(a.stdout, p, t.Statuses())
	printMissing(a.stdout, p, run, t.Damage())
	return nil
}

// labelWidth is the width of the longest label of a run, framework.
const labelWidth = 9

func printRun(w io.Writer, p live.Page, t source.Run, run record.Run) {
	line := func(label, text string) { fmt.Fprintln(w, p.Label(label, labelWidth, text)) }
	line("run", p.Bold(printable(run.Name))+" ("+t.Path()+")")
	line("command", plain(strings.Join(run.Command, " ")))
	status := endingText(run)
	switch run.Status {
	case record.Ended:
		status += ": `vigil run` was killed before the training had ended"
	case record.Lost:
		status += ": its processes are gone, killed or with their machine; what was captured before is kept"
	}
	line("status", status)
	line("framework", frameworkText(run.Framework)+" on "+run.Host)
	for _, r := range run.Resumptions {
		text := r.Time.Local().Format("2006-01-02 15:04:05") + " " + plain(r.Text())
		if r.Stopped != nil {
			text += fmt.Sprintf("; no new step for %s", r.Time.Sub(*r.Stopped).Round(time.Second))
		}
		line("resumed", text)
	}
	printLabels(w, p, record.Labels{Tags: run.Tags, Note: run.Note})
	if said := run.Training(); said != "" {
		line("training", plain(said))
	}
	if rate := view.LearningRate(t); rate != "" {
		line("rate", rate)
	}
	line("workers", strings.Join(t.Workers(), ", "))
	line("steps", stepsOf(t, run.Clock()))
	if cost := run.Cost(); cost != "" {
		line("cost", cost)
	}
	if n := record.Count(t.Groups()); len(n.Roots) > 0 {
		line("findings", n.String())
	}
}

// endingText says how a run ended, with the exit code where there is one.
func endingText(run record.Run) string {
	text := plain(run.Ending())
	if code := run.ExitCode; code != nil && !strings.Contains(text, "exit code") {
		text += fmt.Sprintf(", exit code %d", *code)
	}
	return text
}

// stepsOf counts updates and evaluation apart, with the first and the last that
// is stored of each, and reports how long an epoch is.
func stepsOf(t source.Run, clock *record.Clock) string {
	var parts []string
	for _, m := range t.Modes() {
		steps := t.Steps(m)
		if len(steps) == 0 {
			continue
		}
		first, last := steps[0], steps[len(steps)-1]
		parts = append(parts, fmt.Sprintf("%s (%d to %d)", record.StepsText(map[string]int64{m.String(): int64(len(steps))}), first, last))
		if n := len(clock.Trainings); n > 0 && m == record.Train {
			parts[len(parts)-1] += fmt.Sprintf(" in %d trainings", n+1)
		} else if e, ok := clock.Epoch(last); ok && m == record.Train {
			text := record.Several(e.Number, "epoch")
			if e.Updates > 0 {
				text += fmt.Sprintf(" of %d", e.Updates)
			}
			parts[len(parts)-1] += " in " + text
		}
	}
	return strings.Join(parts, ", ")
}

// printCollections prints what is captured, and, when that is asked for, what
// asked for it.
func printCollections(w io.Writer, p live.Page, list []view.Collection, why bool) {
	if len(list) == 0 {
		return
	}
	heads := []string{"NAME", "TENSORS", "KEEPS", "SCHEDULE"}
	if why {
		heads = append(heads, "ASKED BY")
	}
	var rows [][]string
	for _, c := range list {
		row := []string{printable(c.Name), fmt.Sprint(len(c.Tensors)), c.Want, view.Schedule(c.Schedule)}
		if why {
			row = append(row, strings.Join(c.By, ", "))
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(w, "\n%s\n%s", p.Bold("Collections:"), p.Table(2, heads, rows))
}

func printTensors(w io.Writer, p live.Page, list []view.Tensor) {
	if len(list) == 0 {
		return
	}
	var rows [][]string
	for _, s := range list {
		shape := ""
		if s.DType != "" {
			shape = fmt.Sprint(s.Shape) + partText(s.Part)
		}
		if s.Strings {
			s.DType, shape = "strings", ""
		}
		kind := string(s.Kind)
		if s.AliasOf != "" {
			kind += ", the same as " + printable(s.AliasOf)
		}
		if s.Frozen {
			kind += ", frozen"
		}
		rows = append(rows, []string{printable(s.Name), kind, s.DType, shape, strings.Join(s.Collections, ", ")})
	}
	fmt.Fprintf(w, "\n%s\n%s", p.Bold("Tensors:"), p.Table(2, []string{"NAME", "KIND", "TYPE", "SHAPE", "COLLECTIONS"}, rows))
}

// partText says which part of a divided tensor a shape is: " of [8 6] from [4 0], S(0)".
func partText(p *record.Part) string {
	if p == nil {
		return ""
	}
	text := fmt.Sprintf(" of %v", p.Of)
	if len(p.Offset) > 0 {
		text += fmt.Sprintf(" from %v", p.Offset)
	}
	if len(p.Placements) > 0 {
		text += ", " + printable(strings.Join(p.Placements, " "))
	}
	return text
}

// printUnjudged names rules whose silence says nothing.
func printUnjudged(w io.Writer, p live.Page, rules []record.RuleStatus) {
	for i, u := range view.NotJudged(rules) {
		if i == 0 {
			fmt.Fprintln(w, "\n"+p.Bold("Not judged:"))
		}
		fmt.Fprintln(w, p.Hang("  ", printable(u.Rule)+": "+plain(u.Reason)))
	}
}

func printMissing(w io.Writer, p live.Page, run record.Run, damage []source.Damage) {
	if missing := record.OfTraining(run.NotCaptured); len(missing) > 0 {
		fmt.Fprintln(w, "\n"+p.Bold("Not captured:"))
		for _, m := range missing {
			fmt.Fprintln(w, p.Hang("  ", fmt.Sprintf("%s: %s (%d)", printable(m.Name), plain(m.Reason), m.Count)))
		}
	}
	for _, d := range view.DroppedOf(run) {
		fmt.Fprintln(w, p.Hang("  ", fmt.Sprintf("dropped: %s (%s)", plain(d.Reason), record.Several(d.Values, "value"))))
	}
	if absent := record.OfMachine(run.NotCaptured); len(absent) > 0 {
		fmt.Fprintln(w, "\n"+p.Bold("Not sampled of the machine:"))
		for _, m := range absent {
			fmt.Fprintln(w, p.Hang("  ", printable(m.Name)+": "+plain(m.Reason)))
		}
	}
	if len(damage) > 0 {
		fmt.Fprintln(w, "\n"+p.Severity(record.Error, "Damaged:"))
		for _, d := range damage {
			fmt.Fprintln(w, p.Hang("  ", fmt.Sprintf("%s: %s", printable(d.File), plain(d.Reason))))
		}
	}
}
