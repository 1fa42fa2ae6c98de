package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/view"
)

// mostFound bounds the checks that a row names, longest a text of it.
const (
	mostFound      = 100
	mostParameters = 200
	longest        = 300 // bytes
)

// rowOf describes a run that lies in a directory of this name, without its details.
func rowOf(t source.Run, run record.Run, name string) Row {
	r := Row{
		Name: name, Path: t.Path(), Framework: run.Framework, Status: run.Status, Started: run.Started, Ended: run.Ended,
		Steps: run.Steps, Host: run.Host, Tags: run.Tags, Note: run.Note,
		Machine: machineOf(run), Progress: progressOf(run), User: owner(t.Path()),
	}
	if run.Name != name {
		r.Title = run.Name
	}
	if r.Steps == nil {
		r.Steps = map[string]int64{}
	}
	if share, ok := run.Overhead.Steady(); ok {
		r.Overhead = &share
	}
	if share, ok := view.LostShare(run.Time); ok {
		r.Lost = &share
	}
	f := view.Findings{All: t.Findings(), Groups: t.Groups(), Rules: t.Statuses()}
	r.found(f.All, f.Groups)
	r.Verdict = view.VerdictOf(run, f.Judged())
	return r
}

// readDetail reads the larger part of a row.
func (r *Row) readDetail(t source.Run, run record.Run) error {
	outline, err := view.OutlineOf(t)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read run %q: %w", r.Name, err)
	}
	if err != nil {
		r.Damaged = cut(err.Error())
	}
	r.Outline, r.Parameters = outline, short(view.Parameters(run))
	return r.pack()
}

// damage says what is damaged of a run.
func (r *Row) damage(t source.Run) {
	if list := t.Damage(); len(list) > 0 {
		r.Damaged = cut(list[0].File + ": " + list[0].Reason)
	}
}

// found counts what was found, as `vigil ls` does.
func (r *Row) found(findings []record.Finding, groups []record.Group) {
	type kind struct {
		rule, check string
		severity    record.Severity
	}
	r.Findings = map[string]int{"error": 0, "warning": 0, "info": 0}
	r.Found = []Found{}
	place := map[kind]int{}
	for i := range findings {
		f := &findings[i]
		if f.Muted {
			continue
		}
		r.Findings[string(f.Severity)]++
		k := kind{f.Rule, f.Check, f.Severity}
		at, known := place[k]
		if !known {
			at = len(r.Found)
			place[k] = at
			r.Found = append(r.Found, Found{Rule: f.Rule, Check: f.Check, Former: record.FormerChecks(f.Rule, f.Check), Severity: f.Severity})
		}
		r.Found[at].Count++
	}
	r.Roots = map[string]int{"error": 0, "warning": 0, "info": 0}
	tally := record.Count(groups)
	for s, n := range tally.Roots {
		r.Roots[string(s)] = n
	}
	r.Symptoms = tally.Symptoms
	for i := range groups {
		root := &groups[i].Root
		if at, known := place[kind{root.Rule, root.Check, root.Severity}]; known {
			r.Found[at].Root = true
		}
	}
	if len(groups) == 0 { // not grouped yet, or never
		for s, n := range r.Findings {
			r.Roots[s] = n
		}
		for i := range r.Found {
			r.Found[i].Root = true
		}
	}
	weight := map[record.Severity]int{record.Error: 0, record.Warning: 1, record.Info: 2}
	slices.SortStableFunc(r.Found, func(a, b Found) int {
		if d := cmp.Compare(weight[a.Severity], weight[b.Severity]); d != 0 {
			return d
		}
		if a.Root != b.Root {
			if a.Root {
				return -1
			}
			return 1
		}
		return 0
	})
	r.Found = r.Found[:min(len(r.Found), mostFound)]
}

// progressOf is how many updates were made, of how many.
func progressOf(run record.Run) *Progress {
	step := run.Steps[record.Train.String()] + run.Steps[record.Global.String()]
	if step == 0 {
		return nil
	}
	p := &Progress{Step: step}
	if e := run.Clock().Epochs; e != nil && e.Total > 0 {
		p.Of = e.Total
		fraction := min(float64(step)/float64(e.Total), 1)
		p.Fraction = &fraction
	}
	return p
}

func machineOf(run record.Run) Machine {
	m := Machine{GPUs: []string{}}
	if p := run.Provenance; p != nil {
		if p.Machine != nil {
			m.CPUs, m.Memory = p.Machine.Cores, p.Machine.Memory
		}
		for _, d := range p.Devices {
			if d.Type != "cpu" {
				m.GPUs = append(m.GPUs, cut(cmp.Or(d.Name, fmt.Sprintf("%s:%d", d.Type, d.Index))))
			}
		}
	}
	if run.Time != nil && run.Time.Machine != nil {
		use := run.Time.Machine
		m.CPUs, m.Memory = cmp.Or(m.CPUs, use.Cores), cmp.Or(m.Memory, use.Memory)
		for _, g := range use.GPUs[min(len(m.GPUs), len(use.GPUs)):] {
			m.GPUs = append(m.GPUs, fmt.Sprintf("GPU %d", g.Number))
		}
	}
	return m
}

// unread is the row of a run of which nothing can be read.
func unread(root, name string, err error) Row {
	return Row{
		Name: name, Path: filepath.Join(root, name), Status: record.Lost, Steps: map[string]int64{},
		Findings: map[string]int{"error": 0, "warning": 0, "info": 0}, Roots: map[string]int{"error": 0, "warning": 0, "info": 0},
		Found: []Found{}, Machine: Machine{GPUs: []string{}}, Damaged: cut(err.Error()),
		Verdict: view.VerdictOf(record.Run{Status: record.Lost}, view.Judged{}),
	}
}
