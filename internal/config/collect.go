package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/pyre"
	"github.com/vigil-ml/vigil/internal/record"
)

var (
	collectKeys  = []string{"every", "start", "end", "steps", "mode", "regex", "raw", "stats", "hist", "median", "prod"}
	collectWords = []string{"raw", "stats", "hist", "median", "prod"}
)

// ParseCollect reads a --collect SPEC. by says who asked, for `vigil show`:
// "--collect". What is not said is left to the plan: the interval to --every or
// the budget, what is kept to statistics with histogram.
//
// start and end bound the interval (end exclusive); steps are due besides, or
// alone when neither every nor start nor end is given. mode=train/eval restricts
// all of them to these modes. end=0 switches the collection off.
func ParseCollect(spec, by string) (plan.Collection, error) {
	name, rest, params := strings.Cut(spec, ":")
	name = strings.TrimSpace(name)
	if name == "" {
		return plan.Collection{}, &UsageError{Message: fmt.Sprintf("%q does not name a collection", spec), What: spec, Hint: "write NAME or NAME:every=N,regex=RE,raw"}
	}
	d := collection{Collection: plan.Collection{Name: name, By: []string{by}}}
	if params && strings.TrimSpace(rest) != "" {
		s := scanner{spec: spec, rest: rest, keys: collectKeys, words: collectWords, repeat: []string{"regex"}}
		kv, err := s.pairs()
		if err != nil {
			return plan.Collection{}, err
		}
		for _, p := range kv {
			if err := d.set(p.Key, p.Value); err != nil {
				return plan.Collection{}, s.fail(hintOf(err), "%s", err.Error())
			}
		}
	}
	if err := d.finish(); err != nil {
		return plan.Collection{}, &UsageError{Message: fmt.Sprintf("%s in %q", err, spec), What: spec}
	}
	return d.Collection, nil
}

// collection is one that is being read.
type collection struct {
	plan.Collection
	schedule plan.ModeSchedule
	modes    []record.Mode // empty: all
	endSet   bool
}

func (d *collection) set(key, value string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", key, err)
		}
	}()
	switch key {
	case "every":
		d.schedule.Every, err = parseInt(value, 1)
	case "start":
		d.schedule.Start, err = parseInt(value, 0)
	case "end":
		d.endSet = true
		d.schedule.End, err = parseInt(value, 0)
	case "steps":
		for _, s := range split(value, "/,") {
			n, err := parseInt(s, 0)
			if err != nil {
				return err
			}
			d.schedule.Steps = append(d.schedule.Steps, n)
		}
		slices.Sort(d.schedule.Steps)
		d.schedule.Steps = slices.Compact(d.schedule.Steps)
	case "mode":
		for _, s := range split(value, "/,") {
			m, err := record.ParseMode(s)
			if err != nil {
				names := []string{"train", "eval", "predict", "global"}
				return &hinted{fmt.Errorf("%q is not a mode", s), Suggest(s, names)}
			}
			d.modes = append(d.modes, m)
		}
	case "regex":
		if err := checkRegex(value); err != nil {
			return err
		}
		d.Regex = append(d.Regex, value)
	case "raw":
		return d.want(plan.Raw, value)
	case "stats":
		return d.want(plan.Stats, value)
	case "hist":
		return d.want(plan.Hist|plan.Stats, value)
	case "median":
		return d.want(plan.Median, value)
	case "prod":
		return d.want(plan.Prod, value)
	}
	return err
}

func (d *collection) want(w plan.Want, value string) error {
	on, err := parseBool(value)
	if on {
		d.Want |= w
	}
	return err
}

// finish makes the schedule of all modes from what was said.
func (d *collection) finish() error {
	s := d.schedule
	if d.endSet && s.End > 0 && s.Start >= s.End {
		return fmt.Errorf("start %d is not below end %d", s.Start, s.End)
	}
	alone := len(s.Steps) > 0 && s.Every == plan.Auto && s.Start == 0 && !d.endSet
	if d.endSet && s.End == 0 || alone {
		s.Off = true
	}
	for m := range d.Schedule {
		d.Schedule[m] = s
		if len(d.modes) > 0 && !slices.Contains(d.modes, record.Mode(m)) {
			d.Schedule[m] = plan.ModeSchedule{Off: true}
		}
	}
	return nil
}

func split(s, separators string) []string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(separators, r) })
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// hinted is an error with advice.
type hinted struct {
	error
	hint string
}

func hintOf(err error) string {
	var h *hinted
	if errors.As(err, &h) {
		return h.hint
	}
	return ""
}

func checkRegex(s string) error {
	_, err := pyre.Compile(s)
	var e *pyre.Error
	if errors.As(err, &e) {
		return &hinted{fmt.Errorf("%q is not a regular expression: %s", s, e.Text()), "patterns are those of Python's re module"}
	}
	return err
}

// checkCollections refuses collections that select nothing.
func checkCollections(all []plan.Collection) error {
	for _, c := range all {
		if slices.Contains(plan.Names(), c.Name) && c.Name != plan.Default {
			continue
		}
		selects := slices.ContainsFunc(all, func(o plan.Collection) bool {
			return o.Name == c.Name && len(o.Regex)+len(o.Names)+len(o.ModuleTypes)+len(o.Collections) > 0
		})
		if !selects {
			hint := "give it a pattern: " + c.Name + ":regex=RE"
			if n := Nearest(c.Name, plan.Names()); n != "" && c.Name != plan.Default {
				hint = fmt.Sprintf("did you mean %q? Else %s", n, hint)
			}
			msg := fmt.Sprintf("%s: collection %q is not built in and has no pattern", strings.Join(c.By, ", "), c.Name)
			return &UsageError{Message: msg, What: c.Name, Hint: hint}
		}
	}
	return nil
}
