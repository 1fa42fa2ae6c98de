package cli

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
)

// usual is how wide output is where no terminal says it.
const usual = 80

// output is how wide standard output is, whether it is a terminal, and in which
// style it is written.
func (a *app) output() (width int, terminal bool, style live.Style) {
	terminal = a.stdout == os.Stdout && term.IsTerminal(int(os.Stdout.Fd()))
	width = usual
	if terminal {
		if columns, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && columns > 0 {
			width = columns
		}
	}
	return width, terminal, live.StyleFor(terminal, false)
}

// column is one of the table of runs.
type column struct {
	head  string
	cell  func(*listed) string
	right bool // numbers stand under each other
	spare bool // left out where it says nothing of any run
	leave int  // in which order columns are left out; 0: never
}

// leastNames are the widths that names are not cut below before the columns with a
// number are left out, and shortestName is the last one.
var leastNames = [...]int{1: 1000, 2: 28, 3: 28, 4: 22, 5: shortestName, 6: shortestName}

const shortestName = 16

// runTable lays the runs out in columns that fit the width: of what does not fit,
// the least important columns are left out, and long names are cut in the middle,
// unless they are to stay whole: then their lines may be longer.
func runTable(runs []listed, now time.Time, width int, whole bool, style live.Style) string {
	var columns []column
	for _, c := range []column{
		{head: "NAME", cell: func(l *listed) string { return printable(l.Name) }},
		{head: "FRAMEWORK", cell: func(l *listed) string { return printable(shortFramework(l.Framework)) }, leave: 4},
		{head: "STATUS", cell: func(l *listed) string { return cmp.Or(l.word, l.Status) }},
		{head: "STARTED", cell: func(l *listed) string { return started(l.Started, now) }, leave: 6},
		{head: "DURATION", cell: func(l *listed) string { return durationText(l.duration(now)) }, right: true, leave: 3},
		{head: "STEPS", cell: func(l *listed) string { return strconv.FormatInt(l.trained(), 10) }, right: true, leave: 5},
		{head: "EVAL", cell: func(l *listed) string { return strconv.FormatInt(l.Steps[record.Eval.String()], 10) }, right: true, spare: true, leave: 2},
		{head: "FINDINGS", cell: func(l *listed) string { return l.findings() }},
		{head: "TAGS", cell: func(l *listed) string { return tagText(l.Tags) }, spare: true, leave: 1},
	} {
		if !c.spare || slices.ContainsFunc(runs, func(l listed) bool { t := c.cell(&l); return t != "" && t != "0" }) {
			columns = append(columns, c)
		}
	}
	widths := func() (list []int, sum int) {
		for _, c := range columns {
			w := len(c.head)
			for i := range runs {
				w = max(w, utf8.RuneCountInString(c.cell(&runs[i])))
			}
			list, sum = append(list, w), sum+w+2
		}
		return list, sum - 2
	}
	list, sum := widths()
	for leave := 1; leave <= 6; leave++ {
		// Long names are cut before a column goes that is read more.
		if floor := leastNames[leave]; sum-max(list[0]-floor, 0) <= width {
			break
		}
		columns = slices.DeleteFunc(columns, func(c column) bool { return c.leave == leave })
		list, sum = widths()
	}
	if over := sum - width; over > 0 && !whole {
		list[0] = min(list[0], max(list[0]-over, shortestName))
	}
	heads := make([]string, len(columns))
	rows := make([][]string, len(runs))
	for i := range runs {
		rows[i] = make([]string, len(columns))
	}
	for n, c := range columns {
		heads[n] = c.head
		for i := range runs {
			text := c.cell(&runs[i])
			switch {
			case n == 0:
				text = shortened(text, list[0], style.Unicode)
			case c.right:
				text = strings.Repeat(" ", max(list[n]-utf8.RuneCountInString(text), 0)) + text
			case c.head == "FINDINGS":
				text = tinted(style, text)
			}
			rows[i][n] = text
		}
		if c.right {
			heads[n] = strings.Repeat(" ", list[n]-len(c.head)) + c.head
		}
	}
	return live.Page{Style: style}.Table(0, heads, rows) // it fits
}

// shortened cuts a name in the middle: both its ends tell runs apart.
func shortened(name string, width int, unicode bool) string {
	r := []rune(name)
	if len(r) <= width {
		return name
	}
	dots := "..."
	if unicode {
		dots = "…"
	}
	rest := width - utf8.RuneCountInString(dots)
	return string(r[:rest/2]) + dots + string(r[len(r)-(rest-rest/2):])
}

// tinted gives what the worst finding is in its colour.
func tinted(style live.Style, text string) string {
	for _, s := range severities {
		if strings.Contains(text, " "+string(s)) {
			return style.Severity(s, text)
		}
	}
	return text
}

// shortFramework leaves out of a version what tells builds apart.
func shortFramework(f record.Framework) string {
	f.Version, _, _ = strings.Cut(f.Version, "+")
	if p := strings.SplitN(f.Version, ".", 3); len(p) == 3 {
		f.Version = p[0] + "." + p[1]
	}
	return frameworkText(f)
}

// findings says what was found; of a run that no rule has judged, or in which all is muted,
// it says that.
func (l *listed) findings() string {
	switch l.Verdict.Class {
	case "idle":
		return "not judged"
	case "muted":
		return "muted"
	}
	return tallyText(l.tally, l.Findings)
}

// tallyText counts the worst root causes, the other ones together, and what
// follows from them: "2 errors +1, 4 symptoms".
func tallyText(t record.Tally, findings map[string]int) string {
	if len(t.Roots) == 0 { // nothing was grouped
		return worstText(findings)
	}
	roots := map[string]int{}
	for s, n := range t.Roots {
		roots[string(s)] = n
	}
	text := worstText(roots)
	if n := t.Symptoms; n > 0 {
		text += ", " + record.Several(int64(n), "symptom")
	}
	return text
}

// worstText counts the worst findings, and the others together: "2 errors +5".
func worstText(n map[string]int) string {
	text, others := "", 0
	for _, s := range []string{"error", "warning", "info"} {
		switch {
		case n[s] == 0:
		case text == "" && n[s] > 1 && s != "info":
			text = fmt.Sprintf("%d %ss", n[s], s)
		case text == "":
			text = fmt.Sprintf("%d %s", n[s], s)
		default:
			others += n[s]
		}
	}
	switch {
	case text == "":
		return "none"
	case others > 0:
		return fmt.Sprintf("%s +%d", text, others)
	}
	return text
}

// started says when a run began: how long ago it was, while that says more than a
// date.
func started(t, now time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return "-"
	case d < 48*time.Hour:
		return ago(d)
	}
	return t.Local().Format(time.DateOnly)
}

// durationText is a length of time in two units at most.
func durationText(d time.Duration) string {
	switch {
	case d <= 0:
		return "-"
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
}

func tagText(tags map[string]string) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, plain(key)+"="+plain(tags[key]))
	}
	return strings.Join(list, " ")
}
