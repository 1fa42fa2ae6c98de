package rules

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// renew lets the rules of the default set begin again where a further training of
// the job begins (the next fold, the next member of an ensemble): its loss starts
// where a loss starts, and is no relapse of the one before. What was found
// stays found. Rules that were asked for by name are defined over the run and go
// on. last is the step that was judged last.
func (e *Engine) renew(last int64) {
	if e.facts == nil {
		return
	}
	n := e.facts.Begun(e.here.Step)
	if n <= e.phase {
		return
	}
	e.phase = n
	known := e.facts.Until(last)
	for _, in := range e.runs {
		if in.apart != nil || !in.live() || !in.preset() {
			continue
		}
		in.sels = nil
		if err := in.make(e); err != nil {
			in.fail(fmt.Errorf("restart rule %s: %w", in.name, err))
			continue
		}
		// What it said of these facts before is not said again.
		if r, ok := in.rule.(rule.FactReader); ok && in.told > 0 {
			var unheard rule.Report
			if err := guard(func() { r.Facts(known, &unheard) }); err != nil {
				in.fail(fmt.Errorf("restart rule %s: %w", in.name, err))
			}
		}
	}
}
