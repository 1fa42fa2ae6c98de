package slow

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// What one operation of a network costs besides its arithmetic: the way through
// Python and the framework, there and back in the backward pass. Measured with
// PyTorch 1.13 to 2.15 on processors from 2 to 4 GHz it is 10 to 30 microseconds.
// Threads that wait for arithmetic keep cores busy meanwhile.
const (
	perOperation  = 30e-6
	fewOperations = 300 // in the graph of a network that calls each layer once
	shortestTime  = 45e-6
)

// overhead is what the calls of operations cost in the forward and backward passes
// of a span, and the time of both; ok is false where the arithmetic dominates.
func overhead(c *Case, s *Span) (cost, time, operations float64, ok bool) {
	if c.Facts == nil || c.Facts.Graph == nil || s.Steps == 0 {
		return 0, 0, 0, false
	}
	m := s.Modes[rule.Train]
	if m == nil {
		return 0, 0, 0, false
	}
	operations = float64(c.Facts.Graph.Nodes)
	time = m.Parts[rule.Forward] + m.Parts[rule.Backward]
	cost = min(time, operations*perOperation*float64(m.Steps))
	return cost, time, operations, operations > 0 && time/float64(m.Steps)/operations < shortestTime
}

// pythonLoop: the network is called piece by piece, sample by sample or time step by
// time step, so that each operation does little.
var pythonLoop = check{
	Check: rule.Check{
		ID: "slow_training/python_loop", Files: []string{"slow/small_operations.go"}, Severity: rule.Warning, CauseClass: "python-loop", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "A step is made of hundreds of operations that take microseconds each, called by a loop in Python.",
		Evidence:        "calls of small operations: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "a loop in Python calls the network for each sample or time step",
		Remedy:          "give the whole batch or sequence to one call (a batched operation, nn.LSTM instead of a loop over its cell)",
	},
	claim: func(c *Case, s *Span) *Claim {
		cost, _, operations, ok := overhead(c, s)
		if !ok || operations < fewOperations {
			return nil
		}
		return &Claim{Seconds: cost, CPU: cost, Takes: rule.Forward, Subject: "forward pass", Unbound: true, Where: c.place(rule.Forward, 0.2),
			Message: fmt.Sprintf("Calls of small operations take %%s of the time: %.0f of them in each step", operations), Context: map[string]any{"operations": operations}}
	},
	needs: func(c *Case) bool {
		_, _, operations, ok := overhead(c, c.All)
		return ok && operations >= fewOperations
	},
}

// batch is how many samples an update gets: what its loader says, or the first
// dimension of its labels or predictions; 0 where that is not known.
func (c *Case) batch() int64 {
	switch {
	case c.Loader != nil && c.Loader.Batch > 0:
		return int64(c.Loader.Batch)
	case c.Facts == nil:
		return 0
	case c.Facts.Labels != nil && len(c.Facts.Labels.Shape) > 0:
		return c.Facts.Labels.Shape[0]
	case c.Facts.Predictions != nil && len(c.Facts.Predictions.Shape) > 0:
		return c.Facts.Predictions.Shape[0]
	}
	return 0
}

// smallBatch: a step does so little that its fixed costs dominate.
var smallBatch = check{
	Check: rule.Check{
		ID: "slow_training/small_batch", Files: []string{"slow/small_operations.go"}, Severity: rule.Warning, CauseClass: "small-batch", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "A batch has few samples, and a step's operations take microseconds each, so that its fixed costs dominate.",
		Evidence:        "fixed costs of the steps: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "the batches are so small that a step costs nearly the same with many more samples",
		Remedy:          "use larger batches, and adapt the learning rate",
	},
	claim: func(c *Case, s *Span) *Claim {
		cost, _, operations, ok := overhead(c, s)
		m := s.Modes[rule.Train]
		batch := c.batch()
		if !ok || operations >= fewOperations || batch <= 0 || batch > 64 {
			return nil
		}
		fixed := cost + m.Parts[rule.Optimizer]
		return &Claim{Seconds: fixed, CPU: fixed, Takes: rule.Forward, Subject: "batch size", Unbound: true, Hint: true,
			Message: fmt.Sprintf("The fixed costs of a step take %%s of the time, with %s in a batch", count(batch, "sample")), Context: map[string]any{"batch": batch, "operations": operations}}
	},
}
