package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// line says in a few words how a run went.
func (v verdict) line() string {
	switch {
	case v.NotRun != "":
		return "not run: " + v.NotRun
	case v.Failed != "":
		return "FAILED: " + v.Failed
	case v.Program.Healthy() && v.Alarmed():
		return "FALSE ALARM: " + v.alarms()
	case v.Program.Healthy():
		return "silent"
	case v.Program.Hint && v.Said:
		return "said"
	case v.Program.Hint && !v.Alarmed():
		return "nothing was said"
	case !v.Alarmed():
		return "missed"
	case v.Right:
		return "right: " + v.First
	case v.Anywhere:
		return "right cause, but first " + v.First + ": " + v.alarms()
	}
	return "wrong cause: " + v.alarms()
}

// alarms names the rules that gave an alarm, with the cause class of each.
func (v verdict) alarms() string {
	var l []string
	for _, f := range v.Alarms {
		name := f.Configuration
		if f.Check != "" && f.Check != f.Configuration {
			name += "/" + f.Check
		}
		if s := fmt.Sprintf("%s %s (%s)", f.Severity, name, f.CauseClass); !slices.Contains(l, s) {
			l = append(l, s)
		}
	}
	return strings.Join(l, ", ")
}

// report writes the whole report in Markdown.
func report(all []verdict) string {
	var w strings.Builder
	w.WriteString("# Accuracy of the default diagnosis\n\n")
	w.WriteString("Shares of runs; in brackets the 95 % interval of Wilson, counted over programs, because runs of one program with other seeds are alike.\n")
	var faulty, sound, hints, failed, left []verdict
	for _, v := range all {
		switch {
		case v.NotRun != "":
			left = append(left, v)
		case v.Failed != "":
			failed = append(failed, v)
		case v.Program.Healthy():
			sound = append(sound, v)
		case v.Program.Hint:
			hints = append(hints, v)
		default:
			faulty = append(faulty, v)
		}
	}
	summary(&w, faulty, sound)
	perFault(&w, faulty)
	perFamily(&w, faulty, sound)
	withoutFamily(&w, faulty, sound)
	perCheck(&w, faulty, sound)
	notIndexed(&w, all)
	list(&w, "False alarms", sound, verdict.Alarmed, verdict.alarms)
	list(&w, "Missed faults", faulty, func(v verdict) bool { return !v.Alarmed() }, func(v verdict) string { return v.Program.Fault })
	list(&w, "Alarms with another cause first", faulty, func(v verdict) bool { return v.Alarmed() && !v.Right }, func(v verdict) string {
		return v.Program.Fault + " (" + strings.Join(v.Program.Causes, ", ") + "): " + v.alarms()
	})
	list(&w, "Worth knowing", hints, func(verdict) bool { return true }, func(v verdict) string {
		said := "nothing was said"
		if v.Said {
			said = "said"
		}
		if v.Alarmed() {
			said += "; " + v.alarms()
		}
		return v.Program.Fault + ": " + said
	})
	list(&w, "Programs that were not run", left, func(verdict) bool { return true }, func(v verdict) string { return v.NotRun })
	list(&w, "Programs that failed to run", failed, func(verdict) bool { return true }, func(v verdict) string { return v.Failed })
	return w.String()
}

// summary is the table of totals, one column for each split.
func summary(w *strings.Builder, faulty, sound []verdict) {
	columns := []string{"tune", "held", "all"}
	rows := []struct {
		name string
		cell func(f, s tally) string
	}{
		{"faulty programs (runs)", func(f, _ tally) string { return fmt.Sprintf("%d (%d)", f.programs, f.runs) }},
		{"healthy programs (runs)", func(_, s tally) string { return fmt.Sprintf("%d (%d)", s.programs, s.runs) }},
		{"recall: any alarm", func(f, _ tally) string { return f.share(f.alarmed).String() }},
		{"right cause first", func(f, _ tally) string { return f.share(f.right).String() }},
		{"right cause in an alarm", func(f, _ tally) string { return f.share(f.anywhere).String() }},
		{"healthy runs with a false alarm", func(_, s tally) string { return opposite(s.share(s.clean)).String() }},
		{"balanced accuracy, any alarm", func(f, s tally) string { return mean(f.share(f.alarmed), s.share(s.clean)).String() }},
		{"balanced accuracy, right cause first", func(f, s tally) string { return mean(f.share(f.right), s.share(s.clean)).String() }},
		{"first alarm, median share of the run", func(f, _ tally) string { return percent(f.median()) }},
	}
	fmt.Fprintf(w, "\n| | %s |\n| --- |%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
	for _, r := range rows {
		fmt.Fprintf(w, "| %s |", r.name)
		for _, c := range columns {
			in := func(v verdict) bool { return c == "all" || v.Program.Split == c }
			fmt.Fprintf(w, " %s |", r.cell(count(filter(faulty, in)), count(filter(sound, in))))
		}
		w.WriteString("\n")
	}
}

func perFault(w *strings.Builder, faulty []verdict) {
	if len(faulty) == 0 {
		return
	}
	w.WriteString("\n## By fault\n\n| fault | programs | runs | any alarm | right cause first | right cause in an alarm | first alarm |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, fault := range keys(faulty, func(p Program) string { return p.Fault }) {
		t := count(filter(faulty, func(v verdict) bool { return v.Program.Fault == fault }))
		fmt.Fprintf(w, "| %s | %d | %d | %s | %s | %s | %s |\n", fault, t.programs, t.runs,
			part(t.alarmed, t.runs), part(t.right, t.runs), part(t.anywhere, t.runs), percent(t.median()))
	}
}

func perFamily(w *strings.Builder, faulty, sound []verdict) {
	w.WriteString("\n## By family\n\n| family | faulty runs | any alarm | right cause first | first alarm | healthy runs | false alarms |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, family := range keys(append(slices.Clone(faulty), sound...), func(p Program) string { return p.Family }) {
		in := func(v verdict) bool { return v.Program.Family == family }
		f, s := count(filter(faulty, in)), count(filter(sound, in))
		fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %d | %s |\n", family, f.runs, part(f.alarmed, f.runs), part(f.right, f.runs),
			percent(f.median()), s.runs, part(s.alarmed, s.runs))
	}
}

// withoutFamily is what is left of the totals without one family: whether a
// single kind of programs makes them. Thresholds stay what they are.
func withoutFamily(w *strings.Builder, faulty, sound []verdict) {
	families := keys(append(slices.Clone(faulty), sound...), func(p Program) string { return p.Family })
	if len(families) < 2 {
		return
	}
	w.WriteString("\n## With one family left out\n\n| without | right cause first | right cause in an alarm | healthy runs with a false alarm |\n| --- | --- | --- | --- |\n")
	for _, family := range families {
		others := func(v verdict) bool { return v.Program.Family != family }
		f, s := count(filter(faulty, others)), count(filter(sound, others))
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", family, f.share(f.right), f.share(f.anywhere), opposite(s.share(s.clean)))
	}
}

// list names the runs that which picks, one line for each program.
func list(w *strings.Builder, title string, all []verdict, which func(verdict) bool, what func(verdict) string) {
	picked := filter(all, which)
	if len(picked) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## %s\n\n", title)
	lines := map[string][]string{}
	var order []string
	for _, v := range picked {
		key := fmt.Sprintf("%s: %s", v.Program.Name(), what(v))
		if lines[key] == nil {
			order = append(order, key)
		}
		lines[key] = append(lines[key], fmt.Sprint(v.Seed))
	}
	for _, key := range order {
		name, rest, _ := strings.Cut(key, ": ")
		fmt.Fprintf(w, "* `%s` (seed %s): %s\n", name, strings.Join(lines[key], ", "), rest)
	}
}

func filter(all []verdict, keep func(verdict) bool) []verdict {
	var l []verdict
	for _, v := range all {
		if keep(v) {
			l = append(l, v)
		}
	}
	return l
}

// keys are the different values of a property, sorted.
func keys(all []verdict, of func(Program) string) []string {
	var l []string
	for _, v := range all {
		if k := of(v.Program); !slices.Contains(l, k) {
			l = append(l, k)
		}
	}
	slices.Sort(l)
	return l
}

func part(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", n, of)
}

func percent(share float64) string {
	if math.IsNaN(share) {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
