package view

import "github.com/vigil-ml/vigil/internal/record"

// Unjudged is a rule that saw too little of the job to judge it, and why.
type Unjudged struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

// NotJudged are the rules whose silence says nothing.
func NotJudged(rules []record.RuleStatus) []Unjudged {
	out := []Unjudged{}
	for _, r := range rules {
		if r.NotJudged != "" {
			out = append(out, Unjudged{r.Configuration, r.NotJudged})
		}
	}
	return out
}
