package view

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

// Schedule spells a schedule: "every 500 steps", "TRAIN: by the budget".
func Schedule(s plan.Schedule) string {
	texts := map[string][]string{}
	var order []string
	for m := range s {
		t := modeScheduleText(s[m])
		if texts[t] == nil {
			order = append(order, t)
		}
		texts[t] = append(texts[t], record.Mode(m).String())
	}
	if len(order) == 1 {
		return order[0]
	}
	var parts []string
	for _, t := range order {
		if t != "never" {
			parts = append(parts, strings.Join(texts[t], " and ")+" "+t)
		}
	}
	return strings.Join(parts, "; ")
}

func modeScheduleText(s plan.ModeSchedule) string {
	text := ""
	switch {
	case s.Off && len(s.Steps) == 0:
		return "never"
	case s.Off:
	case s.Every == plan.Auto:
		text = "at the interval that holds the budget"
	case s.Every == 1:
		text = "every step"
	default:
		text = fmt.Sprintf("every %d steps", s.Every)
	}
	if s.Start > 0 {
		text += fmt.Sprintf(" from %d", s.Start)
	}
	if s.End > 0 {
		text += fmt.Sprintf(" up to %d", s.End)
	}
	if len(s.Steps) > 0 {
		at := "at steps "
		if text != "" {
			at = " and at step "
			if len(s.Steps) > 1 {
				at = " and at steps "
			}
		}
		text += at + stepsText(s.Steps)
	}
	return text
}

// mostSteps is how many steps of a schedule are listed; of more, the first and the last.
const mostSteps = 16

func stepsText(steps []int64) string {
	spell := func(part []int64) string { return strings.Trim(fmt.Sprint(part), "[]") }
	if n := len(steps); n > mostSteps {
		return spell(steps[:6]) + " … " + spell(steps[n-2:])
	}
	return spell(steps)
}

// Want says what of tensors is captured.
func Want(n plan.Need) string {
	var parts []string
	if n.Want&plan.Stats != 0 {
		parts = append(parts, "statistics")
	}
	if n.Want&plan.Hist != 0 {
		parts = append(parts, "histograms")
	}
	if n.Want&plan.Raw != 0 {
		parts = append(parts, "raw values")
	}
	if n.Want&plan.Median != 0 {
		parts = append(parts, "median")
	}
	if n.Want&plan.Prod != 0 {
		parts = append(parts, "product")
	}
	if len(n.Pairs) > 0 {
		parts = append(parts, "changes since an earlier step")
	}
	if len(n.Units) > 0 {
		parts = append(parts, "activity of each unit")
	}
	if len(n.Quantiles) > 0 {
		parts = append(parts, "quantiles")
	}
	for _, r := range n.Readings {
		parts = append(parts, plan.ReadingText(r))
	}
	if len(parts) == 0 {
		parts = []string{"values"}
	}
	return strings.Join(parts, ", ")
}
