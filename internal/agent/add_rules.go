package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/rules"
)

// rulesState keeps the rules that were added while the job runs for the next
// agent.
const rulesState = "rules"

// join adds rules that judge from the next step on, all or none of them; added
// is how they are to be known from now on. Whoever calls it holds j.asking.
func (j *job) join(list []capture.RuleRequest) (added []capture.RuleRequest, needs []plan.Need, err error) {
	j.mu.Lock()
	n := len(j.set.Config.Rule) + len(j.joined) + len(list)
	j.mu.Unlock()
	if n > config.MaxRules {
		return nil, nil, fmt.Errorf("with these, %d rules would run; the limit is %d", n, config.MaxRules)
	}
	err = errors.New("the run has ended")
	j.eval.in.call(func() {
		err = nil
		for _, r := range list {
			c, more, e := j.eval.engine.Join(rules.Config{Rule: r.Rule, Configuration: r.Configuration, Params: r.Params})
			if err = e; err != nil {
				j.drop(added)
				return
			}
			added = append(added, capture.RuleRequest{Rule: c.Rule, Configuration: c.Configuration, Params: c.Params})
			needs = append(needs, more...)
		}
		j.eval.behind = true // what judges the run from now on is on record, too
	})
	if err != nil {
		return nil, nil, err
	}
	return added, needs, nil
}

// leave takes back what join did.
func (j *job) leave(added []capture.RuleRequest) {
	if len(added) > 0 {
		j.eval.in.call(func() { j.drop(added) })
	}
}

func (j *job) drop(added []capture.RuleRequest) {
	for _, r := range added {
		j.eval.engine.Leave(r.Configuration)
	}
}

// restoreRules gives the rules that an earlier agent was asked for, with the
// steps from which they judge.
func (j *job) restoreRules() []rules.Config {
	b, err := j.store.LoadState(rulesState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nobody asked for any
	}
	var joined []capture.RuleRequest
	if err == nil {
		err = json.Unmarshal(b, &joined)
	}
	if err != nil {
		j.events.notice("warning", fmt.Sprintf("the rules that were added while the job ran cannot be read: %v", err), "add them again with `vigil plan`")
		return nil
	}
	j.mu.Lock()
	j.joined = joined
	j.mu.Unlock()
	var out []rules.Config
	for _, r := range joined {
		out = append(out, rules.Named(rules.Config{Rule: r.Rule, Configuration: r.Configuration, Params: r.Params}))
	}
	return out
}
