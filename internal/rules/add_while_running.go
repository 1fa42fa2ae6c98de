package rules

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

// TakenError says that a configuration judges the run already.
type TakenError struct{ Configuration string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("add rule: %q already runs; to run it a second time, give it another name: configuration=%s_2", e.Configuration, e.Configuration)
}

// Join lets a further configuration judge from the next step on, as though it
// had been there from the beginning with that step as its start_step. This is
// how it is given back, so that whoever judges the run again, from its
// beginning, finds the same. needs is what it asks of capture. After an error
// everything is as before; it is as those of Resolve, or a *TakenError.
func (e *Engine) Join(c Config) (joined Config, needs []plan.Need, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return c, nil, fmt.Errorf("add rule %q: the rules have ended", c.Rule)
	}
	d, err := resolve(c, e.defs)
	if err != nil {
		return c, nil, err
	}
	p, err := d.Parse(c.Params)
	if err != nil {
		return c, nil, err
	}
	if c.Configuration == "" {
		c.Configuration = d.Name
	}
	if slices.ContainsFunc(e.runs, func(in *instance) bool { return in.name == c.Configuration }) {
		return c, nil, &TakenError{c.Configuration}
	}
	c = Named(c)
	c.Rule, c.Params = d.Name, maps.Clone(c.Params)
	if c.Params == nil {
		c.Params = map[string]string{}
	}
	first := max(e.here.Step+1, p.Int("start_step"))
	c.Params["start_step"] = strconv.FormatInt(first, 10)
	in := e.start(c)
	if _, reads := in.rule.(rule.WindowReader); reads && first == 0 && e.windows > 0 {
		// From step 0 on it would judge what was before the first step, too.
		c.Params["start_step"] = "1"
		in = e.start(c)
	}
	if in.broken() {
		if in.apart != nil {
			in.apart.Close()
		}
		return c, nil, fmt.Errorf("add rule %q: %s", c.Configuration, in.failure)
	}
	if in.apart != nil {
		var all []record.TensorInfo
		for id, info := range e.tensors.infos {
			if e.tensors.told[id] {
				all = append(all, *info)
			}
		}
		in.apart.Announce(all)
	}
	e.runs = append(e.runs, in)
	e.turn = 0 // it has not been told of any facts
	return c, in.needs(), nil
}

// Leave takes back what Join did, before the next step.
func (e *Engine) Leave(configuration string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.runs = slices.DeleteFunc(e.runs, func(in *instance) bool {
		if in.name != configuration {
			return false
		}
		if in.apart != nil {
			in.apart.Close()
		}
		return true
	})
}
