package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/trial"
)

// statuses of a run, what goes on first.
var statuses = []string{record.Running, record.Failed, record.Stopped, record.Lost, record.Ended, record.Completed}

// filter is what the flags leave of the runs.
func (c lsCmd) filter(now time.Time) (func(*listed) bool, error) {
	for _, s := range c.Status {
		if !contains(statuses, s) {
			return nil, &usage{Message: fmt.Sprintf("unknown status %q", s), What: "--status", Hint: nearest(s, statuses, "known: "+strings.Join(statuses, ", "))}
		}
	}
	var since time.Time
	if c.Since != "" {
		var err error
		if since, err = parseSince(c.Since, now); err != nil {
			return nil, err
		}
	}
	for _, text := range c.Tag {
		if key, _, _ := strings.Cut(text, "="); strings.TrimSpace(key) == "" {
			return nil, &usage{Message: fmt.Sprintf("%q is not a tag", text), What: "--tag", Hint: "write KEY=VALUE, or KEY for any value"}
		}
	}
	asked := c.findings()
	return func(l *listed) bool {
		return (len(c.Status) == 0 || contains(c.Status, l.Status)) &&
			(since.IsZero() || !l.Started.Before(since)) &&
			strings.Contains(strings.ToLower(l.Name), strings.ToLower(c.Name)) &&
			(len(asked) == 0 || slices.ContainsFunc(asked, func(f string) bool { return l.found[f] > 0 || l.Findings[f] > 0 })) &&
			!slices.ContainsFunc(c.Tag, func(text string) bool {
				key, value, valued := strings.Cut(text, "=")
				got, has := l.Tags[key]
				return !has || valued && got != value
			})
	}, nil
}

// findings are the names of --finding as findings have them: a rule may be spelt in
// any of its ways.
func (c lsCmd) findings() []string {
	var list []string
	for _, f := range c.Finding {
		name, check, one := strings.Cut(f, "/")
		if d, ok := rules.Lookup(name); ok {
			name = d.Name
		}
		if one {
			name += "/" + record.CheckNow(name, check)
		}
		list = append(list, name)
	}
	return list
}

// known refuses a --finding that no rule and no finding has, since that no run has it
// says nothing then.
func (c lsCmd) known(entries []trial.Entry) error {
	names := map[string]bool{"error": true, "warning": true, "info": true}
	for _, d := range rules.Catalogue() {
		names[d.Name] = true
		for _, check := range d.Checks {
			names[check.ID] = true
		}
	}
	for _, e := range entries {
		for name := range e.Found {
			names[name] = true
		}
	}
	for i, f := range c.findings() {
		if !names[f] {
			return &usage{Message: fmt.Sprintf("no rule, check or severity is called %q", c.Finding[i]), What: "--finding",
				Hint: nearest(f, slices.Sorted(maps.Keys(names)), "`vigil rules list` lists the rules")}
		}
	}
	return nil
}

// parseSince reads an age, a date, or a time, all of this machine's clock.
func parseSince(text string, now time.Time) (time.Time, error) {
	if age, err := config.ParseAge(text); err == nil {
		return now.Add(-age), nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", time.DateTime, "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	return time.Time{}, &usage{Message: fmt.Sprintf("cannot read the time %q", text), What: "--since", Hint: "write an age (30m, 12h, 7d, 4w), a date (2026-11-20), or both (2026-11-20T15:04)"}
}

// sorts are the fields of --sort, and how they compare; equal runs stay newest first.
var sorts = map[string]func(a, b *listed) int{
	"started": func(a, b *listed) int { return b.Started.Compare(a.Started) },
	"name":    func(a, b *listed) int { return strings.Compare(a.Name, b.Name) },
	"status": func(a, b *listed) int {
		return cmp.Compare(slices.Index(statuses, a.Status), slices.Index(statuses, b.Status))
	},
	"duration": func(a, b *listed) int { return cmp.Compare(b.duration(time.Now()), a.duration(time.Now())) },
	"steps":    func(a, b *listed) int { return cmp.Compare(b.trained(), a.trained()) },
	"findings": func(a, b *listed) int {
		for _, s := range []string{"error", "warning", "info"} {
			if d := cmp.Compare(b.Findings[s], a.Findings[s]); d != 0 {
				return d
			}
		}
		return 0
	},
}

// order sorts as --sort says.
func (c lsCmd) order() (func([]listed), error) {
	by, ok := sorts[c.Sort]
	if !ok {
		known := slices.Sorted(maps.Keys(sorts))
		return nil, &usage{Message: fmt.Sprintf("unknown sort field %q", c.Sort), What: "--sort", Hint: nearest(c.Sort, known, "known: "+strings.Join(known, ", "))}
	}
	return func(runs []listed) {
		slices.SortStableFunc(runs, func(a, b listed) int { return by(&a, &b) })
		if c.Reverse {
			slices.Reverse(runs)
		}
	}, nil
}

// trained counts the steps that a run is about: updates, or what a script counted
// itself.
func (l *listed) trained() int64 {
	return l.Steps[record.Train.String()] + l.Steps[record.Global.String()]
}

// duration is how long a run took, or takes until now; 0 where that is not known.
func (l *listed) duration(now time.Time) time.Duration {
	switch {
	case l.Ended != nil:
		return l.Ended.Sub(l.Started)
	case l.Status == record.Running:
		return now.Sub(l.Started)
	}
	return 0
}
