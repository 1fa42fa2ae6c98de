package slow

import "github.com/vigil-ml/vigil/rule"

// inPart keeps the stacks of the main thread in one part of the step.
func inPart(p rule.StepPart) func(*rule.StackShare) bool {
	return func(s *rule.StackShare) bool { return s.Thread == "main" && s.Part == p.String() }
}

// place is the line of the user's code that takes at least a share of a part's
// time; nil where no such line is known.
func (c *Case) place(p rule.StepPart, share float64) *rule.Where {
	if !c.Lines.Enough() {
		return nil
	}
	return heaviest(c.Lines.Lines(inPart(p)), share)
}

func heaviest(lines []Line, share float64) *rule.Where {
	if len(lines) == 0 || lines[0].Share < share {
		return nil
	}
	return &rule.Where{File: lines[0].File, Line: lines[0].Frame.Line}
}
