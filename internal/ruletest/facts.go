package ruletest

import (
	"bytes"
	"encoding/json"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// readFacts takes facts as they are written, under the names of their record. A
// name that is not in it is refused: whoever misspells it would test nothing.
func readFacts(written any) (*record.Facts, error) {
	if written == nil {
		return nil, nil
	}
	b, err := json.Marshal(written)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var f record.Facts
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	return &f, nil
}

// lone judges facts that stand alone in a test: one step, the first from which
// on all of them are known.
func (t *test) lone(engine *rules.Engine) {
	if len(t.Series)+len(t.Tensors) > 0 || t.facts == nil {
		return
	}
	step := int64(0)
	for next := t.facts.After(-1); next < far; next = t.facts.After(next) {
		step = next
	}
	engine.Observe(rules.NewComplete([]*record.Step{{Worker: "worker_0", Step: step, ModeStep: step, Time: epoch}}))
}
