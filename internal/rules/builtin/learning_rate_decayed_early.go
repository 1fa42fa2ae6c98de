package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

const (
	goneRatio = 1e-3 // of the largest movement in 50 steps
	goneSteps = 200  // least length of a training
	goneLive  = 1000 // steps after which the verdict does not wait for the end
	goneLevel = 0.3  // share of the first loss that is left at least
)

// gone looks for a rate that is lowered to nothing soon after the beginning: a
// schedule that was made for epochs and steps with each batch. The weights moved
// and stop, for half of the training and more, while gradients still ask for
// movement and the loss is still high. A schedule that ends with the training,
// and one that waits for a plateau, comes later.
func (r *rateJudge) gone(rep *rule.Report) {
	c, m := &r.state.Curve, &r.state.Motion
	if r.state.Said || c.N < goneSteps || len(m.Spans) < 4 || m.Pull < aliveGradient || m.Half || m.idle() {
		return
	}
	most := 0.0
	for _, s := range m.Spans {
		most = max(most, s.Ratio)
	}
	moving := 0 // spans up to the last one that moved
	for i, s := range m.Spans {
		if s.Ratio >= goneRatio*most {
			moving = i + 1
		}
	}
	stopped := m.Spans[min(moving, len(m.Spans)-1)].Step - plateauEvery
	if len(m.Spans)-moving < 3 || moving > 3 && 5*stopped > c.N || 2*stopped > c.N || most < r.small*plateauEvery {
		return
	}
	begin, level := r.start(), mean(c.tail(highWait))
	if begin <= 0 || level < goneLevel*begin {
		return
	}
	last := m.Spans[len(m.Spans)-1].Ratio
	r.state.Said = true
	rep.Violate(rule.Violation{
		Check: "decayed_early", Subject: c.Name, Observed: last / most, Threshold: goneRatio, Comparator: "<", Severity: rule.Warning, Steps: int(c.N - stopped),
		Cause:  "a schedule that decays too fast: made for epochs, but stepped with every batch",
		Remedy: "call scheduler.step() once per epoch, or set its steps and decay in batches; log the learning rate",
		Asks:   []rule.Advice{rule.RaiseLearningRate},
		Message: fmt.Sprintf("The learning rate decays to almost zero too early: the weights changed by %s %% in 50 steps, since step %d by less than a thousandth of that. Gradients are not small, and the %s is %s, initially %s.",
			num(100*most), stopped, called("loss", c.Name), meanOfLast(level, int64(len(c.tail(highWait)))), r.began()),
		Context: map[string]any{"most": most, "last": last, "stopped": stopped, "gradient_to_weight": m.Pull, "first": begin, "last_mean": level},
	})
}
