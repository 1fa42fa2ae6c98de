package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/vigil-ml/vigil/internal/pyre"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// showCmd tells what a run captured.
type showCmd struct {
	runArg
	Regex string `arg:"" optional:"" name:"name_regex" placeholder:"NAME_REGEX" help:"Only tensors whose name matches (a Python regular expression, anywhere in the name)."`
	JSON  bool   `name:"json" help:"As JSON."`
}

// Help teaches the command.
func (showCmd) Help() string {
	return "Examples:\n\n    vigil show\n    vigil show latest~1\n    vigil show 'gradient/.*weight' --json\n\nOne word is a run if it names one exactly, else a NAME_REGEX for the newest run.\nWorkers, modes, steps, what was understood of the training, collections with their schedules, tensors, and what is missing and why.\nExit codes: 0, or 1 when the run cannot be read."
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
			return &usage{Message: fmt.Sprintf("cannot read the regular expression %q: %v", c.Regex, err), What: c.Regex, Hint: "it is read as Python's re.search does"}
		}
	}
	t, err := openRun(c.Name, path)
	if err != nil {
		return err
	}
	defer t.Close()
	run := t.Run()
	infos := t.Tensors()
	collections := view.Collections(run, infos)
	var named []record.TensorInfo
	for _, info := range infos {
		if match != nil {
			ok, err := match.Search(info.Name)
			if err != nil {
				return &usage{Message: fmt.Sprintf("match %q: %v", c.Regex, err), What: c.Regex, Hint: "write it with less nesting of repetitions"}
			}
			if !ok {
				continue
			}
		}
		named = append(named, info)
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
		missing := run.NotCaptured
		if missing == nil {
			missing = []record.NotCaptured{}
		}
		return writeJSON(a.stdout, map[string]any{"run": run, "facts": facts, "collections": collections, "not_captured": missing, "not_judged": view.NotJudged(t.Statuses()), "tensors": tensors, "actions": view.Actions(t), "damage": t.Damage()})
	}
	printRun(a.stdout, t, run)
	printFacts(a.stdout, run.Facts)
	printCollections(a.stdout, collections)
	printTensors(a.stdout, tensors, c.Regex)
	if list := view.Actions(t); len(list) > 0 {
		fmt.Fprintln(a.stdout)
		printActions(a.stdout, "Actions:", list)
	}
	printUnjudged(a.stdout, t.Statuses())
	printMissing(a.stdout, run, t.Damage())
	return nil
}

func printRun(w io.Writer, t source.Run, run record.Run) {
	fmt.Fprintf(w, "run        %s (%s)\n", printable(run.Name), t.Path())
	fmt.Fprintf(w, "command    %s\n", plain(strings.Join(run.Command, " ")))
	fmt.Fprintf(w, "status     %s", run.Status)
	if run.ExitCode != nil {
		fmt.Fprintf(w, ", exit code %d", *run.ExitCode)
	}
	if run.StoppedBy != "" {
		fmt.Fprintf(w, ", stopped by %s", run.StoppedBy)
	}
	switch run.Status {
	case record.Ended:
		fmt.Fprint(w, ", exit code not known: `vigil run` was killed before the training had ended")
	case record.Lost:
		fmt.Fprint(w, ": its processes are gone, killed or with their machine; what was captured until then is there")
	}
	fmt.Fprintf(w, "\nframework  %s on %s\n", frameworkText(run.Framework), run.Host)
	for _, r := range run.Resumptions {
		fmt.Fprintf(w, "resumed    %s %s", r.Time.Local().Format("2006-01-02 15:04:05"), plain(r.Text()))
		if r.Stopped != nil {
			fmt.Fprintf(w, "; it had stood still for %s", r.Time.Sub(*r.Stopped).Round(time.Second))
		}
		fmt.Fprintln(w)
	}
	printLabels(w, record.Labels{Tags: run.Tags, Note: run.Note})
	if run.Said != "" {
		fmt.Fprintf(w, "training   %s\n", plain(run.Said))
	}
	fmt.Fprintf(w, "workers    %s\n", strings.Join(t.Workers(), ", "))
	var modes []string
	for _, m := range t.Modes() {
		steps := t.Steps(m)
		if len(steps) > 0 {
			modes = append(modes, fmt.Sprintf("%s %d (%d to %d)", m, len(steps), steps[0], steps[len(steps)-1]))
		}
	}
	fmt.Fprintf(w, "steps      %s\n", strings.Join(modes, ", "))
	if run.Overhead.StepSeconds > 0 {
		fmt.Fprintf(w, "overhead   %.2f %% of the step time\n", run.Overhead.Percent)
	}
}

func printCollections(w io.Writer, list []view.Collection) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(w, "\nCollections:")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "  NAME\tTENSORS\tKEEPS\tSCHEDULE\tASKED BY")
	for _, c := range list {
		fmt.Fprintf(tw, "  %s\t%d\t%s\t%s\t%s\n", printable(c.Name), len(c.Tensors), c.Want, view.Schedule(c.Schedule), strings.Join(c.By, ", "))
	}
	tw.Flush()
}

func printTensors(w io.Writer, list []view.Tensor, regex string) {
	if len(list) == 0 {
		if regex != "" {
			fmt.Fprintf(w, "\nno tensor matches %s\n", printable(regex))
		}
		return
	}
	fmt.Fprintln(w, "\nTensors:")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "  NAME\tKIND\tTYPE\tSHAPE\tCOLLECTIONS")
	for _, s := range list {
		shape := ""
		if s.DType != "" {
			shape = fmt.Sprint(s.Shape) + partText(s.Part)
		}
		kind := string(s.Kind)
		if s.AliasOf != "" {
			kind += ", the same as " + printable(s.AliasOf)
		}
		if s.Frozen {
			kind += ", frozen"
		}
		fmt.Fprintf(tw, "  %s\t%s\t%s\t%s\t%s\n", printable(s.Name), kind, s.DType, shape, strings.Join(s.Collections, ", "))
	}
	tw.Flush()
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
func printUnjudged(w io.Writer, rules []record.RuleStatus) {
	for i, u := range view.NotJudged(rules) {
		if i == 0 {
			fmt.Fprintln(w, "\nNot judged:")
		}
		fmt.Fprintf(w, "  %s: %s\n", printable(u.Rule), plain(u.Reason))
	}
}

func printMissing(w io.Writer, run record.Run, damage []source.Damage) {
	if len(run.NotCaptured) > 0 {
		fmt.Fprintln(w, "\nNot captured:")
		for _, m := range run.NotCaptured {
			fmt.Fprintf(w, "  %s: %s (%d)\n", printable(m.Name), m.Reason, m.Count)
		}
	}
	for _, d := range view.DroppedOf(run) {
		fmt.Fprintf(w, "  dropped: %s (%d values)\n", d.Reason, d.Values)
	}
	if len(damage) > 0 {
		fmt.Fprintln(w, "\nDamaged:")
		for _, d := range damage {
			fmt.Fprintf(w, "  %s: %s\n", d.File, d.Reason)
		}
	}
}
