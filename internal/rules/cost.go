package rules

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/plan"
)

// Cost says in words what needs cost: the training process, the agent and the
// disk. It follows from what is asked for; how much it is depends on the sizes
// and the number of the tensors, and `vigil show RUN` has the share of the step
// time that was measured.
func Cost(needs []plan.Need) []string {
	if len(needs) == 0 {
		return []string{"nothing is captured for it"}
	}
	var want plan.Want
	var pairs, units, quantiles int
	var readings []string
	fixed := false
	for _, n := range needs {
		want |= n.Want
		pairs, units, quantiles = max(pairs, len(n.Pairs)), max(units, len(n.Units)), max(quantiles, len(n.Quantiles))
		for _, r := range n.Readings {
			if t := plan.ReadingText(r); !slices.Contains(readings, t) {
				readings = append(readings, t)
			}
		}
		for _, s := range n.Schedule {
			fixed = fixed || !s.Off && s.Every != plan.Auto || len(s.Steps) > 0
		}
	}
	training := "in training: one copy of each of these tensors at each of these steps"
	if fixed {
		training += ", also where that is more than the overhead budget"
	} else {
		training += ", as often as the overhead budget allows"
	}
	agent := "in the agent: one pass over each copy"
	if pairs > 0 {
		agent += "; the values of earlier steps are kept in a file as large as the tensors"
		if pairs > 1 {
			agent += fmt.Sprintf(", up to %d times", pairs)
		}
	}
	if units > 0 {
		agent += "; a count for each unit"
	}
	if quantiles > 0 {
		agent += fmt.Sprintf("; %s, for which the values are put in order", number(quantiles, "quantile"))
	}
	if want&plan.Median != 0 {
		agent += "; the median, for which the values are put in order (of more than a million: counted)"
	}
	if want&plan.Prod != 0 {
		agent += "; the product"
	}
	for _, r := range readings {
		agent += "; " + r
	}
	stored := "on disk: some 60 bytes and the name for the statistics of each tensor at each step"
	if want&plan.Hist != 0 {
		stored += ", its histogram besides (two bytes for each power of two in use)"
	}
	if pairs+units+quantiles+len(readings) > 0 || want&plan.Computed != 0 {
		stored += ", and a number of 8 bytes with its name for each thing computed"
	}
	if want&plan.Raw != 0 {
		stored += "; all values, in the tensor's own type"
	} else {
		stored += "; no values"
	}
	return []string{training, agent, stored}
}

func number(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
