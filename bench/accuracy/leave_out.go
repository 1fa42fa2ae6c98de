package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// falseAlarmCosts is how many recognised faults a false alarm outweighs when
// thresholds are chosen.
const falseAlarmCosts = 3

// trial is one run with what is said of it under other thresholds.
type trial struct {
	present verdict
	other   [][3]verdict // by threshold and value; that at present is empty
}

func (t trial) under(threshold, value int) verdict {
	if value == present {
		return t.present
	}
	return t.other[threshold][value]
}

// leaveOut chooses the thresholds of the default rules again without each
// family, and scores the choice on that family. It judges kept runs.
func (b bench) leaveOut(programs []Program, seeds, jobs int) (string, error) {
	thresholds, err := b.thresholds()
	if err != nil {
		return "", err
	}
	programs = slices.DeleteFunc(slices.Clone(programs), func(p Program) bool {
		_, err := os.Stat(filepath.Join(b.runs, runName(p, 0)))
		return err != nil
	})
	var trials []trial
	for _, v := range all(programs, seeds, jobs, b.check) {
		if v.Failed == "" && !v.Program.Hint {
			trials = append(trials, trial{present: v, other: make([][3]verdict, len(thresholds))})
		}
	}
	if len(trials) == 0 {
		return "", fmt.Errorf("none of the programs asked for has a run in %q; -keep names the folder in which an earlier call kept them", b.runs)
	}
	unchanged := slices.Repeat([]int{present}, len(thresholds))
	but := func(threshold, value int) []int {
		chosen := slices.Clone(unchanged)
		chosen[threshold] = value
		return chosen
	}
	// A value that the rule does not take is passed over.
	for i := range thresholds {
		for _, value := range otherValues {
			if v := b.under(trials[0].present, thresholds, but(i, value)); v.Failed != "" {
				thresholds[i].values[value] = ""
			}
		}
	}
	each(len(trials), jobs, "judged under other thresholds", func(n int) {
		t := &trials[n]
		matters, err := b.matters(t.present, thresholds)
		for i := range thresholds {
			for _, value := range otherValues {
				t.other[i][value] = t.present
				if err != nil {
					t.other[i][value].Failed = err.Error()
				} else if matters[i][value] {
					t.other[i][value] = b.under(t.present, thresholds, but(i, value))
				}
			}
		}
	})
	for _, t := range trials {
		for i := range t.other {
			for _, value := range otherValues {
				if v := t.other[i][value]; v.Failed != "" {
					return "", fmt.Errorf("judge %q with %s = %s: %s", v.Program.Path, thresholds[i].name(), thresholds[i].values[value], v.Failed)
				}
			}
		}
	}
	var families []leftOut
	for _, name := range keys(verdicts(trials), func(p Program) string { return p.Family }) {
		f := leftOut{name: name, chosen: chooseWithout(trials, name, len(thresholds))}
		for _, t := range trials {
			if t.present.Program.Family != name {
				continue
			}
			after := t.present
			if !slices.Equal(f.chosen, unchanged) {
				after = b.under(t.present, thresholds, f.chosen)
			}
			if after.Failed != "" {
				return "", fmt.Errorf("judge %q with the thresholds chosen without its family: %s", after.Program.Path, after.Failed)
			}
			f.before, f.after = append(f.before, t.present), append(f.after, after)
		}
		families = append(families, f)
	}
	return leaveOutReport(thresholds, trials, families), nil
}

// under judges a run again with thresholds of the given indices. How far the
// run had come at an alarm is not asked.
func (b bench) under(v verdict, thresholds []threshold, chosen []int) verdict {
	command := append([]string{"check", "--rules", "default", "--fail-on", "never"}, ruleArguments(thresholds, chosen)...)
	again := verdict{Program: v.Program, Seed: v.Seed, At: math.NaN()}
	d, err := b.diagnosis(filepath.Join(b.runs, runName(v.Program, v.Seed)), command...)
	if err != nil {
		again.Failed = err.Error()
		return again
	}
	return again.compare(d, nil)
}

// matters tells for each threshold and value whether its rule finds something
// else with it. A rule does not see what others find, so all values are judged
// in one reading of the run; only where one matters the whole set is judged.
func (b bench) matters(v verdict, thresholds []threshold) ([][3]bool, error) {
	const most = 100 // rules that vigil takes at once
	run := filepath.Join(b.runs, runName(v.Program, v.Seed))
	by := make([][3]bool, len(thresholds))
	unchanged := slices.Repeat([]int{present}, len(thresholds))
	type place struct{ threshold, value int }
	var places []place
	for i, t := range thresholds {
		for value := range t.values {
			// The present value is judged as well, to compare with.
			if t.values[value] != "" && (value != present || i == 0 || thresholds[i-1].rule != t.rule) {
				places = append(places, place{i, value})
			}
		}
	}
	found := map[place]string{}
	for part := range slices.Chunk(places, most) {
		command := []string{"check", "--rules", "none", "--fail-on", "never"}
		named := map[string]place{}
		times := map[string]int{}
		for _, p := range part {
			rule := thresholds[p.threshold].rule
			chosen := slices.Clone(unchanged)
			chosen[p.threshold] = p.value
			argument := ruleArguments(thresholds, chosen)
			if p.value == present {
				argument = []string{"--rule", strings.TrimSuffix(rule+":"+strings.Join(thresholds[p.threshold].set, ","), ":")}
			}
			command = append(command, argument...)
			name := rule
			if times[rule]++; times[rule] > 1 {
				name = fmt.Sprintf("%s_%d", rule, times[rule])
			}
			named[name] = p
		}
		d, err := b.diagnosis(run, command...)
		if err != nil {
			return nil, err
		}
		for _, f := range d.Findings {
			p, known := named[f.Configuration]
			if !known {
				return nil, fmt.Errorf("a finding of configuration %q, which nobody asked for", f.Configuration)
			}
			found[p] += fmt.Sprintln(f.Check, f.Subject, f.Severity, f.CauseClass, f.Mode, f.Step, f.Muted)
		}
	}
	now := 0 // the first threshold of the rule at hand
	for i, t := range thresholds {
		if thresholds[now].rule != t.rule {
			now = i
		}
		for _, value := range otherValues {
			by[i][value] = t.values[value] != "" && found[place{i, value}] != found[place{now, present}]
		}
	}
	return by, nil
}

// leftOut is one kind of programs and how it fares when the thresholds are
// chosen without it.
type leftOut struct {
	name          string
	chosen        []int // index into the values of each threshold
	before, after []verdict
}

// chooseWithout picks for every threshold by itself the value that is best on all
// programs but those of one family. The present value stays where none is better.
func chooseWithout(trials []trial, without string, thresholds int) []int {
	chosen := make([]int, thresholds)
	for i := range chosen {
		best, most := present, 0
		for n, value := range []int{present, otherValues[0], otherValues[1]} {
			score := 0
			for _, t := range trials {
				if t.present.Program.Family != without {
					score += worth(t.under(i, value))
				}
			}
			if n == 0 || score > most {
				best, most = value, score
			}
		}
		chosen[i] = best
	}
	return chosen
}

// worth is what a verdict counts when thresholds are chosen.
func worth(v verdict) int {
	switch {
	case v.Program.Healthy() && v.Alarmed():
		return -falseAlarmCosts
	case !v.Program.Healthy() && v.Right:
		return 1
	}
	return 0
}

func verdicts(trials []trial) []verdict {
	var l []verdict
	for _, t := range trials {
		l = append(l, t.present)
	}
	return l
}

// counted are the recognised faults and the false alarms among verdicts.
func counted(list []verdict) (faulty, right, sound, alarms int) {
	for _, v := range list {
		switch {
		case v.Program.Healthy() && v.Alarmed():
			sound, alarms = sound+1, alarms+1
		case v.Program.Healthy():
			sound++
		case v.Right:
			faulty, right = faulty+1, right+1
		default:
			faulty++
		}
	}
	return
}

// leaveOutReport is the result in Markdown.
func leaveOutReport(thresholds []threshold, trials []trial, families []leftOut) string {
	var w strings.Builder
	w.WriteString("# Thresholds chosen without a family\n\n")
	fmt.Fprintf(&w, "Every threshold of the default rules is halved and doubled by itself, and the value that is best on all other families is taken; a false alarm outweighs %d recognised faults, and the present value stays where none is better. The family is then judged with all that was chosen without it.\n\n", falseAlarmCosts)
	w.WriteString("| family | chosen without it | faulty | right cause first, present | right, chosen without it | healthy | false alarms, present | false alarms, chosen without it |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	var before, after []verdict
	for _, f := range families {
		var other []string
		for i, c := range f.chosen {
			if c != present {
				other = append(other, fmt.Sprintf("`%s` = %s", thresholds[i].name(), thresholds[i].values[c]))
			}
		}
		row(&w, f.name, strings.Join(other, ", "), f.before, f.after)
		before, after = append(before, f.before...), append(after, f.after...)
	}
	row(&w, "**all**", "", before, after)
	w.WriteString("\n## Each threshold by itself\n\nRight cause first and false alarms over all families.\n\n| threshold | half | present | double | right: half, present, double | false alarms |\n| --- | --- | --- | --- | --- | --- |\n")
	for i, t := range thresholds {
		var right, alarms [3]int
		for value := range right {
			var list []verdict
			for _, trial := range trials {
				list = append(list, trial.under(i, value))
			}
			_, right[value], _, alarms[value] = counted(list)
		}
		fmt.Fprintf(&w, "| `%s` | %s | %s | %s | %d, %d, %d | %d, %d, %d |\n", t.name(), t.values[0], t.values[1], t.values[2],
			right[0], right[1], right[2], alarms[0], alarms[1], alarms[2])
	}
	return w.String()
}

func row(w *strings.Builder, name, chosen string, before, after []verdict) {
	faulty, right, sound, alarms := counted(before)
	_, rightAfter, _, alarmsAfter := counted(after)
	fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %d | %d | %d |\n", name, chosen, faulty, right, rightAfter, sound, alarms, alarmsAfter)
}

// each does n things, jobs at a time, and says how far it is.
func each(n, jobs int, what string, do func(int)) {
	next := make(chan int)
	var lock sync.Mutex
	var group sync.WaitGroup
	done := 0
	for range max(1, jobs) {
		group.Go(func() {
			for i := range next {
				do(i)
				lock.Lock()
				if done++; done%20 == 0 || done == n {
					fmt.Fprintf(os.Stderr, "%d of %d runs %s\n", done, n, what)
				}
				lock.Unlock()
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}
