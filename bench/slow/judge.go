package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// slowRules are the rules that are judged here.
var slowRules = []string{"slow_training", "memory_growth"}

type judging struct {
	python, vigil, dir string
	times              map[string]timed
	again              bool // the runs are there
}

// score counts what the goals are about.
type score struct {
	first, causes   int // right cause first, of all pairs that are slow
	shares, shared  int // share within 5 points
	holds, near     int // gain at least the measured one, and at most half again as much
	gains           int
	alarms, silents int // on mended and healthy ones
}

func (j judging) all(pairs []pair, sound []healthy) error {
	var s score
	fmt.Print("| program | cause | first finding | share | measured | gain | measured | verdict |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, p := range pairs {
		if err := j.pair(p, &s); err != nil {
			return err
		}
	}
	for _, h := range sound {
		if err := j.silent(h.Name, h.Name+"-healthy", h.script(), &s); err != nil {
			return err
		}
	}
	fmt.Printf("\nright cause first: %d of %d (goal 0.8)\n", s.first, s.causes)
	fmt.Printf("alarms on mended and healthy programs: %d of %d (goal: at most 1)\n", s.alarms, s.silents)
	fmt.Printf("share within 5 points: %d of %d\n", s.shares, s.shared)
	fmt.Printf("gain at least the measured speed-up: %d of %d (goal 0.95); at most half again as much: %d (goal 0.7)\n", s.holds, s.gains, s.near)
	return nil
}

func (j judging) pair(p pair, s *score) error {
	root := p.Name
	if p.Earlier { // it is known by earlier runs of one script
		for i := range 3 {
			if _, err := j.findings(root, fmt.Sprintf("earlier-%d", i), p, "mended"); err != nil {
				return err
			}
		}
	}
	found, err := j.findings(root, "slow", p, "slow")
	if err != nil {
		return err
	}
	t, measured := j.times[p.Name]
	row := []string{p.Name, p.Cause, "none", "", "", "", "", "missed"}
	if measured && !p.memory() {
		row[4], row[6] = fmt.Sprintf("%.0f %%", 100*t.share()), fmt.Sprintf("%.2f", t.faster())
	}
	s.causes++
	if len(found) > 0 {
		f := found[0]
		row[2], row[7] = f.Rule+"/"+f.Check, "another cause: "+f.CauseClass
		if p.right(f.CauseClass) || p.Earlier && f.Check == "slower_than_before" {
			s.first++
			row[7] = "right"
			if f.Share > 0 {
				row[3] = fmt.Sprintf("%.0f %%", 100*f.Share)
			}
			if f.Gain > 0 {
				row[5] = fmt.Sprintf("%.2f", f.Gain)
			}
			if measured && !p.memory() {
				s.shared++
				if math.Abs(f.Share-t.share()) <= 0.05 {
					s.shares++
				}
				if f.Gain > 0 {
					s.gains++
					if f.Gain >= t.faster() {
						s.holds++
					}
					if f.Gain <= 1.5*t.faster() {
						s.near++
					}
				}
			}
		}
	}
	fmt.Println("| " + strings.Join(row, " | ") + " |")
	return j.silent(p.Name+", mended", p.Name+"-mended", p.script("mended"), s)
}

// silent runs a program on which there must be no alarm.
func (j judging) silent(name, root, script string, s *score) error {
	found, err := j.watch(root, "run", script)
	if err != nil {
		return err
	}
	s.silents++
	said := "silent"
	if len(found) > 0 {
		said = fmt.Sprintf("%s/%s (%s)", found[0].Rule, found[0].Check, found[0].Severity)
		if found[0].Severity != record.Info {
			s.alarms++
			said += ", an alarm"
		}
	}
	fmt.Printf("| %s | | %s | | | | | |\n", name, said)
	return nil
}

// findings runs one of a pair under the name train.py, so that both count as one script.
func (j judging) findings(root, name string, p pair, of string) ([]record.Finding, error) {
	dir := filepath.Join(j.dir, "scripts", p.Name)
	b, err := os.ReadFile(p.script(of))
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	script := filepath.Join(dir, "train.py")
	if err == nil {
		err = os.WriteFile(script, b, 0o644)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", p.Name, err)
	}
	return j.watch(root, name, script)
}

// watch runs a script under vigil run and gives what the rules of slowness found, as
// they are shown: alarms before hints, those with the largest gain first.
func (j judging) watch(root, name, script string) ([]record.Finding, error) {
	runs, err := filepath.Abs(filepath.Join(j.dir, root))
	if err == nil {
		script, err = filepath.Abs(script)
	}
	work := filepath.Join(runs, "work")
	if err == nil {
		err = os.MkdirAll(work, 0o755)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", root, err)
	}
	fmt.Fprintf(os.Stderr, "\r\033[K%s", root)
	if j.again {
		return j.findingsOf(root, "check", filepath.Join(runs, name))
	}
	cmd := exec.Command(j.vigil, "run", "--quiet", "--dir", runs, "--name", name, "--", j.python, script)
	cmd.Dir = work
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("run %q: %w\n%s", script, err, out[max(0, len(out)-2000):])
	}
	return j.findingsOf(root, "findings", filepath.Join(runs, name))
}

// findingsOf are the findings of a run, as a command of vigil gives them.
func (j judging) findingsOf(root, command, run string) ([]record.Finding, error) {
	out, err := exec.Command(j.vigil, command, run, "--json").Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == 2 {
		err = nil // findings
	}
	fmt.Fprint(os.Stderr, "\r\033[K")
	if err != nil {
		return nil, fmt.Errorf("read the findings of %q: %w", root, err)
	}
	var all struct {
		Findings []record.Finding `json:"findings"`
	}
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, fmt.Errorf("read the findings of %q: %w", root, err)
	}
	found := slices.DeleteFunc(all.Findings, func(f record.Finding) bool {
		return f.Muted || f.Experimental || !slices.Contains(slowRules, f.Rule)
	})
	slices.SortStableFunc(found, func(a, b record.Finding) int {
		if a.Severity != b.Severity {
			return rank(a.Severity) - rank(b.Severity)
		}
		return cmp.Compare(b.Gain, a.Gain)
	})
	return found, nil
}

func rank(s record.Severity) int {
	return slices.Index([]record.Severity{record.Error, record.Warning, record.Info}, s)
}
