package rules_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// phrases of remedies, and what they ask for.
var phrases = []struct {
	words *regexp.Regexp
	asks  rule.Advice
}{
	{regexp.MustCompile(`train (for )?longer`), rule.TrainLonger},
	{regexp.MustCompile(`(^|; )stop early`), rule.StopEarly},
	{regexp.MustCompile(`raise the learning rate|learning rate above 0`), rule.RaiseLearningRate},
	{regexp.MustCompile(`lower the learning rate`), rule.LowerLearningRate},
	{regexp.MustCompile(`add dropout|\bregularise\b`), rule.RegulariseMore},
	{regexp.MustCompile(`lower the (weight decay|dropout)|less regularisation`), rule.RegulariseLess},
	{regexp.MustCompile(`clip gradients`), rule.ClipMore},
	{regexp.MustCompile(`raise (max_norm|the limit)`), rule.ClipLess},
	{regexp.MustCompile(`larger model`), rule.LargerModel},
	{regexp.MustCompile(`smaller model`), rule.SmallerModel},
}

// asksOtherwise says where the words of a remedy and what it is said to ask for
// differ.
func asksOtherwise(remedy string, asks []rule.Advice) (wrong []string) {
	for _, p := range phrases {
		if p.words.MatchString(remedy) && !slices.Contains(asks, p.asks) {
			wrong = append(wrong, fmt.Sprintf("it does not say that it asks for %s", p.asks))
		}
	}
	return wrong
}

// What a definition's remedies ask for is said next to them. Findings are held
// to the same by the harness of these tests.
func TestRemediesSayWhatTheyAskFor(t *testing.T) {
	for _, d := range rules.Catalogue() {
		for _, wrong := range asksOtherwise(strings.Join(d.Remedies, "; "), d.Asks) {
			t.Errorf("%s: %s", d.Name, wrong)
		}
	}
}

// Of findings that ask for opposite things the one with more evidence is
// advice: the more serious one, of equals the earlier one. The other is kept
// below it.
func TestOppositeAdvice(t *testing.T) {
	finding := func(name, check string, s record.Severity, step int64, asks ...record.Advice) record.Finding {
		return record.Finding{Rule: name, Configuration: name, Check: check, CauseClass: name, Severity: s, Step: step, Remedy: "r", Asks: asks}
	}
	longer := func(s record.Severity, step int64) record.Finding {
		return finding("too_few_updates", "still_falling", s, step, record.TrainLonger, record.RaiseLearningRate)
	}
	early := func(s record.Severity, step int64) record.Finding {
		return finding("overfit", "memorised", s, step, record.StopEarly, record.RegulariseMore)
	}
	for name, c := range map[string]struct {
		findings []record.Finding
		want     string
	}{
		"severity decides":     {[]record.Finding{longer(record.Info, 5), early(record.Warning, 50)}, "overfit > too_few_updates by overfit/memorised"},
		"then the step":        {[]record.Finding{early(record.Warning, 50), longer(record.Warning, 5)}, "too_few_updates > overfit by too_few_updates/still_falling"},
		"learning rates":       {[]record.Finding{longer(record.Info, 5), finding("high", "c", record.Error, 9, record.LowerLearningRate)}, "high > too_few_updates by high/c"},
		"regularisation":       {[]record.Finding{early(record.Warning, 9), finding("strong", "c", record.Error, 9, record.RegulariseLess)}, "strong > overfit by strong/c"},
		"clipping":             {[]record.Finding{finding("a", "c", record.Warning, 1, record.ClipMore), finding("b", "c", record.Warning, 2, record.ClipLess)}, "a > b by a/c"},
		"sizes":                {[]record.Finding{finding("a", "c", record.Warning, 1, record.LargerModel), finding("b", "c", record.Warning, 2, record.SmallerModel)}, "a > b by a/c"},
		"no opposites":         {[]record.Finding{early(record.Warning, 1), finding("high", "c", record.Error, 9, record.LowerLearningRate)}, "high\noverfit"},
		"outweighed no longer": {[]record.Finding{finding("a", "c", record.Error, 1, record.ClipMore), finding("b", "c", record.Warning, 2, record.ClipLess, record.StopEarly), finding("c", "c", record.Info, 3, record.TrainLonger)}, "a > b by a/c\nc"},
	} {
		var got []string
		for _, g := range rules.GroupFindings(c.findings) {
			s := g.Root.Rule
			if g.Root.OutweighedBy != "" {
				t.Errorf("%s: the root %s is outweighed by %s", name, s, g.Root.OutweighedBy)
			}
			for _, o := range g.Outweighed {
				s += " > " + o.Rule + " by " + o.OutweighedBy
				if o.Advised() == o.Remedy {
					t.Errorf("%s: %s is still advice", name, o.Rule)
				}
			}
			got = append(got, s)
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%s: groups are\n%s\nwant\n%s", name, s, c.want)
		}
	}
}

// A finding whose opposite has come before, with as much evidence, is no advice
// from the moment in which it comes.
func TestOppositeAdviceAtOnce(t *testing.T) {
	advises := func(name string, at int64, s rule.Severity, asks rule.Advice) *rule.Definition {
		return &rule.Definition{
			Name: name, Class: name, Severity: s, CauseClass: name, Remedies: []string{"r"}, Asks: []rule.Advice{asks}, Needs: func(rule.Params) []rule.Need { return nil },
			New: func(rule.Params) (rule.Rule, error) { return &adviser{at: at}, nil },
		}
	}
	for name, c := range map[string]struct {
		defs []*rule.Definition
		want string
	}{
		"the weaker one later":    {[]*rule.Definition{advises("a", 1, rule.Error, rule.StopEarly), advises("b", 2, rule.Warning, rule.TrainLonger)}, "a b<a/c"},
		"the stronger one later":  {[]*rule.Definition{advises("a", 1, rule.Warning, rule.StopEarly), advises("b", 2, rule.Error, rule.TrainLonger)}, "a b"},
		"nothing of the opposite": {[]*rule.Definition{advises("a", 1, rule.Error, rule.StopEarly), advises("b", 2, rule.Warning, rule.ClipMore)}, "a b"},
	} {
		j := newJobWith(t, func(o *rules.Options) { o.Definitions = c.defs }, config("a"), config("b"))
		j.feed(scalarsAt("loss", 1, 1, 1, 1)...)
		var got []string
		for _, f := range j.found {
			s := f.Rule
			if f.OutweighedBy != "" {
				s += "<" + f.OutweighedBy
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: findings are %q, want %q", name, s, c.want)
		}
		if g := j.engine.Groups(); strings.Contains(c.want, "b<") && (len(g) != 1 || len(g[0].Outweighed) != 1) {
			t.Errorf("%s: groups are %s", name, asJSON(t, g))
		}
	}
}

// adviser objects to one step.
type adviser struct {
	rule.Rule
	at int64
}

func (a *adviser) Select() []rule.Selector { return []rule.Selector{{Collections: []string{"losses"}}} }
func (a *adviser) Step(v *rule.View, r *rule.Report) {
	if v.Step == a.at {
		r.Violate(rule.Violation{Check: "c", Subject: "s", Steps: 2})
	}
}

// No program of the accuracy suite gets opposite advice: of each, the findings
// were recorded, those that are alike once.
func TestNoOppositeAdviceInTheSuite(t *testing.T) {
	programs, before, after := 0, 0, 0
	for _, p := range suitePrograms(t) {
		programs += p.Runs
		if opposite(p.Findings) {
			before += p.Runs
		}
		var roots []record.Finding
		for _, g := range rules.GroupFindings(p.Findings) {
			roots = append(roots, g.Root)
		}
		if opposite(roots) {
			after += p.Runs
			t.Errorf("opposite advice: %s", asJSON(t, roots))
		}
	}
	t.Logf("%d programs: findings of %d ask for opposite things, roots of %d", programs, before, after)
	if programs < 2000 || before == 0 {
		t.Errorf("the record has %d programs, %d with findings that ask for opposite things", programs, before)
	}
}

func opposite(findings []record.Finding) bool {
	for i := range findings {
		for j := range i {
			if rules.Opposed(&findings[i], &findings[j]) {
				return true
			}
		}
	}
	return false
}
