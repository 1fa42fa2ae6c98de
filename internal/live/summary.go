package live

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// SummaryText is the last word on a run: what was captured, what was not and
// why, what it cost, what was found, and where to look next. It ends with a
// newline.
func (s Style) SummaryText(sum *Summary) string {
	if sum.Removed {
		return removedText(sum)
	}
	var b strings.Builder
	run := &sum.Run
	fmt.Fprintf(&b, "vigil: %s %s\n", s.Bold(clean(run.Name)), s.outcome(run))
	if run.Said != "" {
		fmt.Fprintf(&b, "  %s\n", clean(run.Said))
	}
	fmt.Fprintf(&b, "  captured  %s\n", captured(sum))
	if run.Overhead.StepSeconds > 0 {
		fmt.Fprintf(&b, "  overhead  %s\n", overhead(run.Overhead))
	}
	for i, line := range missing(sum) {
		head := "          "
		if i == 0 {
			head = "  missing "
		}
		fmt.Fprintf(&b, "%s  %s\n", head, line)
	}
	if len(sum.Groups) > 0 {
		b.WriteString(s.groups(sum.Groups))
	} else if total(run.Steps) > 0 {
		b.WriteString("  findings  none\n")
	}
	if note := s.ruleTrouble(sum.Rules); note != "" {
		b.WriteString(note)
	}
	for _, a := range sum.Actions {
		fmt.Fprintf(&b, "  action    %s\n", s.Severity(record.Warning, clean(a.Outcome())))
	}
	fmt.Fprintf(&b, "  run       %s\n", clean(sum.Path))
	for i, command := range next(sum) {
		head := "          "
		if i == 0 {
			head = "  next    "
		}
		fmt.Fprintf(&b, "%s  %s %s %s\n", head, Program(), command, clean(runWord(sum)))
	}
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

// outcome says how the run ended.
func (s Style) outcome(run *record.Run) string {
	text := run.Status
	switch run.Status {
	case record.Stopped:
		text = s.Severity(record.Error, "stopped")
		if run.StoppedBy != "" {
			text = s.Severity(record.Error, "stopped by "+clean(run.StoppedBy))
		}
	case record.Ended:
		text = s.Severity(record.Warning, "ended, exit code not known")
	case record.Failed:
		text = s.Severity(record.Warning, "failed")
		if run.ExitCode != nil {
			text = s.Severity(record.Warning, fmt.Sprintf("failed with exit code %d", *run.ExitCode))
		}
	}
	if run.Ended != nil && !run.Started.IsZero() {
		text += " after " + duration(run.Ended.Sub(run.Started).Seconds())
	}
	return text
}

// FewSeconds is the training time below which a share of it says nothing: the
// first captures, which find out what there is, weigh most.
const FewSeconds = 2

// overhead says what capture cost: as a share of the step time, or in all when
// there was too little training to speak of shares.
func overhead(o record.Overhead) string {
	if o.StepSeconds < FewSeconds {
		return fmt.Sprintf("%.1f ms in %s of training, measured by the hook", o.CapturedSeconds*1e3, duration(o.StepSeconds))
	}
	return fmt.Sprintf("%.2f %% of the step time, measured by the hook", o.Percent)
}

// captured says how much is in the run.
func captured(sum *Summary) string {
	steps := total(sum.Run.Steps)
	if steps == 0 {
		return "nothing: no training step was seen"
	}
	var modes []string
	for mode, n := range sum.Run.Steps {
		if n > 0 {
			modes = append(modes, fmt.Sprintf("%s %s", count(n), strings.ToLower(mode)))
		}
	}
	sort.Strings(modes)
	text := fmt.Sprintf("%s steps, %s tensors, %s values", strings.Join(modes, " + "), count(int64(sum.Tensors)), count(sum.Values))
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

// groups lists root causes with what follows from them.
func (s Style) groups(groups []record.Group) string {
	var b strings.Builder
	const most = 8
	for i, g := range groups {
		head := "          "
		if i == 0 {
			head = "  findings"
		}
		if i == most {
			fmt.Fprintf(&b, "%s  and %d more\n", head, len(groups)-most)
			break
		}
		f := g.Root
		fmt.Fprintf(&b, "%s  %s %s at %s: %s\n", head,
			s.Severity(f.Severity, strings.TrimSpace(s.mark(f.Severity)+" "+string(f.Severity))), s.Bold(clean(f.Rule)), where(&f), clean(f.Message))
		if n := len(g.Symptoms); n > 0 {
			fmt.Fprintf(&b, "            %s\n", s.Dim(fmt.Sprintf("and %s that follow from it: %s", plural(n, "finding"), symptomRules(g.Symptoms))))
		}
		if n := len(g.Outweighed); n > 0 {
			fmt.Fprintf(&b, "            %s\n", s.Dim(fmt.Sprintf("and outweighs %s that would ask for the opposite: %s", plural(n, "finding"), symptomRules(g.Outweighed))))
		}
	}
	return b.String()
}

// symptomRules names the rules of symptoms once each.
func symptomRules(list []record.Finding) string {
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

// ruleTrouble names rules that could not judge.
func (s Style) ruleTrouble(rules []record.RuleStatus) string {
	var b strings.Builder
	for _, r := range rules {
		if r.Status == "Error" {
			fmt.Fprintf(&b, "  rule      %s could not judge: %s\n", clean(r.Configuration), clean(r.Details))
		}
	}
	return b.String()
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
