package cli

import (
	"fmt"
	"maps"
	"strings"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/view"
)

// captured is what was computed at capture because rules asked for it: it
// cannot be made up for later, unlike what statistics tell.
type captured map[string]bool

// storedValues stands for raw values among what was captured.
const storedValues = "raw"

func (c captured) add(s *record.Complete) {
	for _, p := range s.Parts {
		for i := range p.Derived {
			c[keyOf(p.Derived[i].Stat)] = true
		}
		if len(p.Raw) > 0 {
			c[storedValues] = true
		}
	}
}

// keyOf is the key of a derived number without its quantity.
func keyOf(stat string) string {
	if i := strings.LastIndex(stat, "]."); i >= 0 {
		return stat[:i+1]
	}
	return stat
}

// lacks says what of a need was not captured, "" when all of it was.
func (c captured) lacks(n plan.Need) string {
	missing := plan.Need{}
	for _, p := range n.Pairs {
		if !c[p.Key(n.Schedule)] {
			missing.Pairs = append(missing.Pairs, p)
		}
	}
	for _, u := range n.Units {
		if !c[u.Key()] {
			missing.Units = append(missing.Units, u)
		}
	}
	for _, q := range n.Quantiles {
		if !c[plan.QuantileKey(q)] {
			missing.Quantiles = append(missing.Quantiles, q)
		}
	}
	for _, r := range n.Readings {
		if !c[r.Key()] {
			missing.Readings = append(missing.Readings, r)
		}
	}
	if n.Want&plan.Raw != 0 && !c[storedValues] {
		missing.Want = plan.Raw
	}
	if n.Want&plan.Median != 0 && !c[plan.MedianKey] {
		missing.Want |= plan.Median
	}
	if n.Want&plan.Prod != 0 && !c[plan.ProdSignKey] {
		missing.Want |= plan.Prod
	}
	if missing.Want == 0 && len(missing.Pairs)+len(missing.Units)+len(missing.Quantiles)+len(missing.Readings) == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s, %s", view.Want(missing), plain(view.SelectorText(n.Selector)), view.Schedule(n.Schedule))
}

// explain adds to the statuses of rules that did not judge the run live what
// they would have needed of its capture.
func (c captured) explain(statuses, live []record.RuleStatus, needs []plan.Need) {
	judgedLive := func(s record.RuleStatus) bool {
		for _, l := range live {
			if l.Rule == s.Rule && maps.Equal(l.Parameters, s.Parameters) {
				return true
			}
		}
		return false
	}
	for i := range statuses {
		s := &statuses[i]
		if s.Status == rules.StatusError || judgedLive(*s) {
			continue
		}
		for _, n := range needs {
			if n.By != s.Configuration {
				continue
			}
			if what := c.lacks(n); what != "" {
				s.Details = strings.TrimPrefix(s.Details+"\nnot captured in this run: "+what+"; start a run with this rule to capture it", "\n")
			}
		}
	}
}
