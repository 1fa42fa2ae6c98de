package live

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Summary is the last word on a run: what was captured, what was not and why,
// what it cost, what was found, and where to look next. It ends with a newline.
func (p Page) Summary(sum *Summary) string {
	if sum.Removed {
		return p.removed(sum)
	}
	var b strings.Builder
	run := &sum.Run
	p.Clock = run.Clock()
	item := func(label string, lines ...string) {
		for _, line := range lines {
			b.WriteString(p.Item(label, line) + "\n")
			label = ""
		}
	}
	b.WriteString(p.Hang("", ours+p.Bold(clean(run.Name))+" "+p.outcome(run)) + "\n")
	if said := run.Training(); said != "" {
		b.WriteString(p.Hang("  ", clean(said)) + "\n")
	}
	item("captured", captured(sum))
	if cost := run.Cost(); cost != "" {
		item("cost", cost)
	}
	p.spent(item, run.Time)
	item("missing", missing(sum)...)
	b.WriteString(p.found(sum))
	for _, r := range sum.Rules {
		if r.Status == "Error" {
			item("rule", fmt.Sprintf("%s could not judge: %s", clean(r.Configuration), clean(r.Details)))
		}
	}
	for _, a := range sum.Actions {
		item("action", p.Severity(record.Warning, clean(a.Outcome())))
	}
	item("run", clean(sum.Path))
	var commands []string
	for _, command := range next(sum) {
		commands = append(commands, fmt.Sprintf("%s %s %s", Program(), command, clean(runWord(sum))))
	}
	if total(sum.Run.Steps) > 0 {
		commands = append(commands, strings.TrimSpace(fmt.Sprintf("%s ui %s", Program(), clean(rootWord(sum)))))
	}
	item("next", commands...)
	return b.String()
}

// next are the commands that lead on from a run.
func next(sum *Summary) []string {
	switch {
	case len(sum.Groups) > 0:
		return []string{"report", "findings", "show"}
	case total(sum.Run.Steps) == 0:
		return []string{"doctor"}
	}
	return []string{"show", "report"}
}

// runWord is how the run is named on a command line in this directory: by its
// name below the root that is there without being asked for, else by its path.
func runWord(sum *Summary) string {
	root := os.Getenv("VIGIL_DIR")
	if root == "" {
		root = "vigil-runs"
	}
	if abs, err := filepath.Abs(root); err == nil && abs == filepath.Dir(sum.Path) {
		return sum.Run.Name
	}
	return sum.Path
}

// rootWord is how the root of the run is named for a command: nothing where it is the
// one that is there without being asked for.
func rootWord(sum *Summary) string {
	if runWord(sum) == sum.Run.Name {
		return ""
	}
	return filepath.Dir(sum.Path)
}

// outcome says how the run ended.
func (s Style) outcome(run *record.Run) string {
	text := clean(run.Ending())
	switch run.Status {
	case record.Stopped:
		text = s.Severity(record.Error, text)
	case record.Ended, record.Failed:
		text = s.Severity(record.Warning, text)
	}
	if run.Ended != nil && !run.Started.IsZero() {
		if strings.Contains(text, ",") {
			text += ","
		}
		text += " after " + record.Seconds(run.Ended.Sub(run.Started).Seconds())
	}
	return text
}

// captured says how much is in the run.
func captured(sum *Summary) string {
	steps := total(sum.Run.Steps)
	if steps == 0 {
		return "nothing: no training step was seen"
	}
	text := fmt.Sprintf("%s, %s, %s", record.StepsText(sum.Run.Steps), record.Several(int64(sum.Tensors), "tensor"), record.Several(sum.Values, "value"))
	if sum.RawBytes > 0 {
		text += fmt.Sprintf(", %s raw", Bytes(sum.RawBytes))
	}
	if n := len(sum.Run.Workers); n > 1 {
		text += fmt.Sprintf(", %d workers", n)
	}
	return text
}

func total(steps map[string]int64) (n int64) {
	for _, v := range steps {
		n += v
	}
	return n
}

// missing are lines for what was not captured and why, largest count first.
func missing(sum *Summary) []string {
	list := append([]record.NotCaptured(nil), sum.NotCaptured...)
	sort.SliceStable(list, func(i, j int) bool { return list[i].Count > list[j].Count })
	const most = 6
	var lines []string
	for i, m := range list {
		if i == most {
			lines = append(lines, fmt.Sprintf("and %d more: vigil show %s", len(list)-most, clean(sum.Run.Name)))
			break
		}
		line := shorten(clean(m.Name))
		if m.Count > 1 {
			line += fmt.Sprintf(" (%s times)", count(m.Count))
		}
		lines = append(lines, line+": "+clean(m.Reason))
	}
	return lines
}

// shorten cuts a name that would fill the screen.
func shorten(name string) string {
	const most = 80
	if r := []rune(name); len(r) > most {
		return string(r[:most/2]) + "…" + string(r[len(r)-most/2+1:])
	}
	return name
}

// found lists root causes, each with what follows from it in one line, or says
// that there are none.
func (p Page) found(sum *Summary) string {
	var b strings.Builder
	const most = 8
	label := "findings"
	for i := range sum.Groups {
		g := &sum.Groups[i]
		if i == most {
			b.WriteString(p.Item("", fmt.Sprintf("and %d more", len(sum.Groups)-most)) + "\n")
			break
		}
		b.WriteString(p.Item(label, p.Head(&g.Root)) + "\n")
		label = ""
		below := strings.Repeat(" ", labels+5)
		b.WriteString(p.Hang(below, clean(g.Root.Message)) + "\n")
		for _, text := range besides(g) {
			b.WriteString(p.Hang(below, p.Dim(text)) + "\n")
		}
	}
	if len(sum.Groups) == 0 && sum.Quiet != "" && total(sum.Run.Steps) > 0 {
		b.WriteString(p.Item(label, p.None(clean(sum.Quiet), sum.Good)) + "\n")
	}
	return b.String()
}

// None says that nothing was found that counts, with a tick where that is good news.
func (p Page) None(text string, good bool) string {
	if good {
		return p.Tick(text)
	}
	return text
}

// besides says in a line each how often a root was found again, what follows
// from it, and what it outweighs.
func besides(g *record.Group) []string {
	var lines []string
	if text := record.Repeated(g.Again()); text != "" {
		lines = append(lines, text)
	}
	if follow := g.Follow(); len(follow) > 0 {
		names := make([]string, len(follow))
		for i, s := range follow {
			if names[i] = clean(s.Rule); len(s.Again) > 0 {
				names[i] += fmt.Sprintf(" (%d)", len(s.Again)+1)
			}
		}
		lines = append(lines, record.Several(int64(len(follow)), "symptom")+": "+strings.Join(names, ", "))
	}
	if n := len(g.Outweighed); n > 0 {
		lines = append(lines, fmt.Sprintf("it outweighs %s that would suggest the opposite: %s", record.Several(int64(n), "finding"), namesOf(g.Outweighed)))
	}
	return lines
}

// namesOf names the rules of findings once each.
func namesOf(list []record.Finding) string {
	counts := map[string]int{}
	var names []string
	for _, f := range list {
		if counts[f.Rule] == 0 {
			names = append(names, f.Rule)
		}
		counts[f.Rule]++
	}
	for i, n := range names {
		if counts[n] > 1 {
			names[i] = fmt.Sprintf("%s (%d)", clean(n), counts[n])
		}
	}
	return strings.Join(names, ", ")
}
