package cli

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/internal/source"
)

// The rule and the check that --max-slower is about.
const (
	slowTraining     = "slow_training"
	slowerThanBefore = "slower_than_before"
)

// maxSlower is a --max-slower: "5%" or "5".
func maxSlower(text string) (percent float64, err error) {
	percent, err = strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err != nil || math.IsNaN(percent) || math.IsInf(percent, 0) || percent < 0 {
		return 0, &usage{Message: fmt.Sprintf("--max-slower %q is not a percentage", text), What: "--max-slower", Hint: "give by how much a step may take longer than in earlier runs, such as 5%"}
	}
	return percent, nil
}

// noSlower lets the rule of slow trainings fail runs that were slower than earlier ones
// by more than a percentage. It is added where it is not among the rules.
func noSlower(list []rules.Config, percent float64) []rules.Config {
	limit := map[string]string{"max_slower": strconv.FormatFloat(percent, 'g', -1, 64), "slower_fails": "True"}
	out, there := []rules.Config(nil), false
	for _, c := range list {
		if d, ok := rules.Lookup(c.Rule); ok && d.Name == slowTraining {
			params := maps.Clone(c.Params)
			if params == nil {
				params = map[string]string{}
			}
			maps.Copy(params, limit)
			c.Params, there = params, true
		}
		out = append(out, c)
	}
	if !there {
		out = append(out, rules.Config{Rule: slowTraining, Params: limit})
	}
	return out
}

// slower reports whether the run is one that --max-slower is to fail.
func (j *judged) slower(asked string) bool {
	return asked != "" && slices.ContainsFunc(j.All, func(f record.Finding) bool { return !f.Muted && f.Rule == slowTraining && f.Check == slowerThanBefore })
}

// notCompared says why a run cannot be compared with earlier ones; "" when it can.
func notCompared(t source.Run) string {
	if m, ok := t.(source.Metrics); ok {
		events, err := m.Events(time.Time{}, time.Time{})
		if err != nil {
			return "its events cannot be read: " + err.Error()
		}
		for i := range events {
			if events[i].Kind == record.EarlierRunsEvent {
				return ""
			}
		}
	}
	return "when it began there was no earlier run here of the same script on this machine, completed after 10 seconds and 20 steps or more, with the same batch size and number of parameters"
}
