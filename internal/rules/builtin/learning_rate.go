package builtin

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// learningRate judges loss and weights together: a rate that is too high makes
// both jump, one that is too low leaves both where they were.
var learningRate = rule.Definition{
	Name: "learning_rate", Class: "LearningRate", Family: rule.Tensors, Severity: rule.Error,
	Checks:     slices.Concat(learningRateChecks, rule.Index(courseChecks)),
	Summary:    "The learning rate is far too high or far too low.",
	Why:        "A rate that is too high moves the weights to where nothing can be learnt, often within the first updates; one that is too low leaves them where they started.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "explosion", Type: rule.Float, Default: "10", Range: rule.Above(1), Unit: "ratio", Meaning: "a loss of this many times its first values has exploded"},
		{Name: "large_update", Type: rule.Float, Default: "0.1", Range: rule.Above(0), Unit: "ratio", Meaning: "single updates that change the weights by this share of their size are large"},
		{Name: "large_growth", Type: rule.Float, Default: "3", Range: rule.Above(1), Unit: "ratio", Meaning: "weights that have become this many times as large were moved too far"},
		{Name: "least_fall", Type: rule.Float, Default: "0.03", Range: rule.Between(0, 1), Unit: "ratio", Meaning: "a loss that fell by less than this share since the start did not fall"},
		{Name: "small_update", Type: rule.Float, Default: "0.0001", Range: rule.Above(0), Unit: "ratio", Meaning: "weights that move by less than this share of their size in a step, on average over 50 steps, hardly move"},
		{Name: "min_steps", Type: rule.Int, Default: "200", Range: rule.AtLeast(50), Unit: "mode steps", Meaning: "how long the loss has to be flat before the rate counts as too low; half of it at the end of the job"},
	},
	CauseClass: "learning-rate",
	Causes:     []string{"a learning rate that is too high, or has no warm-up", "a learning rate that is too low", "input or labels whose scale does not fit the rate"},
	Remedies:   []string{"change the learning rate by factors of ten", "warm it up, and clip gradients by norm", "scale input and labels to a std of 1"},
	Asks:       []rule.Advice{rule.ClipMore},
	// What a rate that is too high does to the network may be noticed first.
	ExplainsAlways: []string{"exploding_tensor", "dead_relu", "vanishing_gradient", "all_zero", "loss_spike", "loss_flat", "saturated_activation", "too_few_updates"},
	Explains:       []string{"not_finite"},
	Default: &rule.Preset{
		Params: map[string]string{},
		Why: "No sign counts by itself. Too high: the loss explodes (ten times its first values) and does not come back within 20 steps, or explodes (or stands at three times its first values for ten steps) and then stays flat at or above the level where it began, or comes back to a third of that level from a tenth of it, or has been at twenty times its first values and comes no lower than half of them within a hundred steps; " +
			"and besides, single updates change the weights by a tenth of their size or the weights have tripled. A falling loss silences it: warm-ups, " +
			"catapults and small initial weights recover. Too low: after 200 steps the loss has not fallen by three per cent, and every weight moves by less than a ten-thousandth of its size per step, at an even " +
			"pace, while the gradients are alive; and the loss still stands where a network begins that knows nothing, or the weights drift one way, or are within a hundredth of where an initialiser put them. Fine-tuning begins below that level, a warm-up speeds up, the end of a schedule comes after a fall. " +
			"Lowered to nothing: within 150 steps or a fifth of the job the weights come to move by less than a thousandth of what they did, and so for half of the job and more, while the loss has a third of its first value left and gradients are alive; or the optimiser's own rates show it, which are below a thousandth of the highest for more than the last fifth of the job, or exactly 0 whatever the loss is, as long as the weights stay flat meanwhile. " +
			"Lowered the wrong way: ReduceLROnPlateau lowers it for the first time right after a metric that was better than all before, that is a share of a number of samples and rises above a half of them while the mode is min, or that falls below seven tenths of its first value while the mode is max. " +
			"Still warming up: at the end the rate has risen throughout to less than a fifth of what it is to reach, and the loss is about where it began, or to less than a fiftieth and the loss has six tenths of its first value. Too short: with an optimiser of Adam's kind and random weights, all updates together (50 at least, at a rate that does not rise to the end) move the weights by less than a hundredth of their std, and the loss is about where it began; or by less than a twentieth, and the loss has not fallen by as much; or by less than a fifth, and a classifier has no less than the loss of the label-frequency baseline. Scattered: weights on the usual scale moved by three times their size within 50 steps and are four times as large, and half of the baseline loss is left; or they moved by five times, and not the least gradient is left; or the baseline loss is left, and they are far larger than layers are made for, or eight times as large and not far below that. Strides: with an optimiser of Adam's kind and an even rate that is twice the std of the initial weights, half of the baseline loss is left and falls no more; or the rate of one group of several is that, and nearly all of the baseline loss is left; or a rate that is warmed up, or lowered again, is five times the std at its peak, three quarters of the baseline loss are there meanwhile and do not fall, and half of it is left at the end. " +
			"Unlearnt: a classifier had four fifths of the baseline loss over 50 steps, and for 150 steps (50 at the end of the job) it is at chance level again.",
	},
	Needs: func(p rule.Params) []rule.Need {
		return append(motionNeeds(),
			rule.Need{Selector: rule.Selector{Collections: []string{"losses"}}, Schedule: rule.TrainOnly(1), Want: rule.WantStats},
			rule.Need{Selector: rule.Selector{Collections: []string{"weights"}}, Schedule: rule.TrainOnly(plateauFar), Want: rule.WantStats, Pairs: []rule.Pair{{Lag: 1}}})
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &rateJudge{
			explosion: p.Float("explosion"), update: p.Float("large_update"), growth: p.Float("large_growth"),
			fall: p.Float("least_fall"), small: p.Float("small_update"), steps: p.Int("min_steps"),
		}
		r.state.Motion = newWeightMotion()
		return r, nil
	},
}

type rateJudge struct {
	explosion, update, growth float64
	fall, small               float64
	steps                     int64
	ending                    bool // nothing more will come
	state                     struct {
		Curve  lossCurve    `json:"curve"`
		Motion weightMotion `json:"motion"`
		Kind   lossKind     `json:"kind"`
		Own    ownData      `json:"own"`
		// Far is how far the weights got in the last 200 steps, summed over
		// weights, in units of Near, the same over the last 50 of these.
		Far      float64             `json:"far"`
		Schedule *rule.ScheduleFacts `json:"schedule,omitempty"`
		Fresh    bool                `json:"fresh"` // weights began as an initialiser leaves them
		Fired    bool                `json:"fired"` // an error: nothing more to say
		Said     bool                `json:"said"`  // a warning
		Stride   float64             `json:"stride,omitempty"`
		Reach    float64             `json:"reach,omitempty"`
		Slope    float64             `json:"slope,omitempty"`
		Peak     float64             `json:"peak,omitempty"`
		Chosen   bool                `json:"chosen,omitempty"` // the loss is a policy's, and tells little

		GroupStride float64 `json:"group_stride,omitempty"`
		GroupRate   float64 `json:"group_rate,omitempty"`
	}
}

func (r *rateJudge) Select() []rule.Selector {
	return []rule.Selector{{Collections: []string{"losses"}}, {Collections: []string{"weights"}}, {Collections: []string{"gradients"}}}
}

func (r *rateJudge) Save() ([]byte, error)  { return save(&r.state) }
func (r *rateJudge) Restore(b []byte) error { return restore(b, &r.state) }

func (r *rateJudge) Facts(f *rule.Facts, rep *rule.Report) {
	r.state.Kind, r.state.Fresh, r.state.Schedule = kindOfLoss(f), false, f.Schedule
	r.state.Own.facts(f)
	r.wrongWay(f, rep)
	if f.Parameters == nil {
		return
	}
	var ps []*rule.ParameterFact
	for i := range f.Parameters.List {
		ps = append(ps, &f.Parameters.List[i])
	}
	r.state.Fresh = age(ps) == fresh
	r.state.Stride, r.state.GroupStride, r.state.GroupRate, r.state.Peak = strideOf(f)
	r.state.Reach, r.state.Slope = reachOf(f)
	r.state.Chosen = f.Graph != nil && f.Graph.Policy != nil
}

func (r *rateJudge) Step(v *rule.View, rep *rule.Report) {
	if !training(v.Mode) || r.state.Fired {
		return
	}
	r.state.Own.step(v)
	if _, ok := r.state.Curve.step(v.ModeStep, v.Scalars(0)); ok {
		rep.Inspect(1)
	}
	items := v.Tensors(1)
	weighed := r.state.Motion.weights(v, items)
	r.state.Motion.gradients(v, v.Tensors(2))
	r.drift(items)
	switch n := r.state.Curve.N; {
	case !r.state.Curve.one() || r.state.Kind.Optimisers > 1:
	case weighed || n%10 == 0:
		if r.judgeable() && !r.state.Own.made() {
			r.tooHigh(rep)
		}
		if n >= r.steps && len(r.state.Motion.Spans) > 0 && v.ModeStep%plateauEvery == 0 {
			r.tooLow(rep)
		}
		if n >= goneLive && r.judgeable() && v.ModeStep%plateauEvery == 0 {
			r.gone(rep)
		}
	}
}

// Finish judges with half the evidence: nothing more will come.
func (r *rateJudge) Finish(rep *rule.Report) {
	if r.state.Fired {
		return
	}
	if !r.state.Curve.one() || r.state.Kind.Optimisers > 1 {
		if r.state.Curve.N > 0 {
			rep.NotJudged(cmp.Or(r.state.Curve.unusable(), rivals))
		}
		return
	}
	if r.state.Own.made() {
		if r.judgeable() && !rep.Cut {
			r.gone(rep) // what a policy has come to is seen without its loss
		}
		if !r.state.Fired && !r.state.Said {
			rep.NotJudged(whyOwnData)
		}
		return
	}
	if r.ending = !rep.Cut; r.judgeable() {
		r.tooHigh(rep)
	}
	if r.judgeable() && !rep.Cut {
		r.schedule(rep)
	}
	if !rep.Cut {
		r.course(rep)
	}
	if check, message := r.scattered(); check != "" && !r.state.Said {
		r.report(rep, rule.Warning, check, r.state.Motion.Grown, scatteredGrowth, int(r.state.Curve.N), message)
	}
	if r.judgeable() && !rep.Cut {
		r.strides(rep)
	}
	if r.state.Curve.N >= r.steps/2 && !rep.Cut {
		r.tooLow(rep)
	}
	if r.judgeable() && !rep.Cut {
		r.outOfReach(rep)
	}
	if r.judgeable() && !rep.Cut {
		r.gone(rep)
	}
}

// judgeable: there is one loss, whose levels compare.
func (r *rateJudge) judgeable() bool {
	return r.state.Curve.usable() && r.state.Kind.Optimisers <= 1
}

// drift compares how far the weights got in 200 steps with what they did in 50.
func (r *rateJudge) drift(items []rule.Item) {
	near, far := 0.0, 0.0
	for i := range items {
		it := &items[i]
		d, from, ok := it.Find(rule.Pair{Lag: 1}.Key(rule.TrainOnly(plateauFar)), rule.PairMeanAbsDiff)
		e, also, near50 := it.Find(spanKey, rule.PairMeanAbsDiff)
		old, _, _ := it.Find(spanKey, rule.PairMeanAbsFrom)
		if it.Info.Frozen || !ok || !near50 || from < 0 || also < 0 || old <= 0 {
			continue
		}
		near, far = near+e/old, far+d/old
	}
	if near > 0 && finite(far/near) {
		r.state.Far = far / near
	}
}

// start is the level at which the loss began, or that of a guess, whichever is
// higher: a lucky first batch is no reason. Where a batch is a sample or a few,
// any may be lucky.
func (r *rateJudge) start() float64 {
	l := r.state.Curve.begin()
	if k := &r.state.Kind; k.Samples > 0 && k.Samples <= fewSamples {
		l = max(l, slices.Max(r.state.Curve.First[:min(highSteps, len(r.state.Curve.First))]))
	}
	if k := &r.state.Kind; k.Function == "mse_loss" && !k.summed() {
		l = max(l, k.Guess)
	}
	if r.state.Kind.classifies() && !r.state.Kind.summed() {
		l = max(l, r.state.Kind.Uniform)
	}
	return l
}

// began spells that level.
func (r *rateJudge) began() string {
	c, k, l := &r.state.Curve, &r.state.Kind, r.start()
	switch {
	case l == c.begin():
		return c.began()
	case k.Samples > 0 && k.Samples <= fewSamples && slices.Contains(c.First[:min(highSteps, len(c.First))], l):
		return fmt.Sprintf("%s (the highest of the first %d steps)", num(l), min(highSteps, len(c.First)))
	}
	return fmt.Sprintf("chance level (%s; %s)", num(l), c.began())
}

// fewSamples is the most samples of a batch of which the loss is mostly noise.
const fewSamples = 4

// thrown reports whether updates are so large that the weights do not stay where
// they were.
func (r *rateJudge) thrown() bool {
	m := &r.state.Motion
	return m.largest().Ratio >= r.update || m.Grown >= r.growth || m.Odd
}

const (
	// leastSteady is how straight the way of the weights has to be: noise
	// alone gives a seventh, and a half with momentum.
	leastSteady = 0.7

	highSteps = 20 // losses that have to agree when the loss has exploded
	highWait  = 50 // steps after the explosion, when it stands still
)

func (r *rateJudge) tooHigh(rep *rule.Report) {
	c, m := &r.state.Curve, &r.state.Motion
	if c.N < highSteps+5 {
		return
	}
	start := r.start()
	if r.unlearnt(rep) {
		return
	}
	if !r.thrown() {
		return
	}
	last := c.tail(highSteps)
	level := median(last)
	half := len(last) / 2
	falling := median(last[half:]) < 0.7*median(last[:half])
	switch {
	case start <= 0:
	case level >= r.explosion*start && least(last) >= 2*start && !falling:
		r.report(rep, rule.Error, "exploded", level/start, r.explosion, highSteps,
			fmt.Sprintf("The learning rate is too high: the %s exploded from %s to %s and does not recover", called("loss", c.Name), r.began(), c.lately(highSteps)))
	case c.N < highWait+5:
	case c.Peak >= r.explosion*start && c.N-c.PeakAt > highWait && r.stands(start):
		r.report(rep, rule.Error, "loss_stuck_high", c.Peak/start, r.explosion, highWait,
			fmt.Sprintf("The learning rate is too high: at step %d the %s jumped to %s from %s and is stuck at %s",
				c.at(c.PeakAt), called("loss", c.Name), num(c.Peak), r.began(), c.lately(highWait)))
	case c.N >= 2*highWait && r.stands(start) && r.stayedUp(start):
		up, to := c.highest(highSteps / 2)
		r.report(rep, rule.Error, "loss_stuck_high", up/start, stayedUp, highWait,
			fmt.Sprintf("The learning rate is too high: up to step %d the %s rose from %s to %s and is stuck at %s",
				c.at(to), called("loss", c.Name), r.began(), meanOfSome(up, highSteps/2), c.lately(highWait)))
	case c.N >= 2*highWait && r.stands(start) && m.Grown >= r.growth && m.Scale >= 3:
		r.report(rep, rule.Error, "stuck", m.Grown, r.growth, highWait,
			fmt.Sprintf("The learning rate is too high: after %d steps the weights are %s times as large as initially, and the %s, now %s, is no lower than at the start: %s",
				c.N, times(m.Grown), called("loss", c.Name), c.lately(highWait), r.began()))
	case !r.state.Said && c.Peak >= 2*r.explosion*start && c.N-c.PeakAt >= 2*highWait && median(c.tail(highWait)) >= halfWay*start && levelled(c.tail(highWait)):
		r.report(rep, rule.Warning, "loss_recovered_partly", c.Peak/start, 2*r.explosion, highWait,
			fmt.Sprintf("The learning rate is too high: at step %d the %s jumped to %s from %s, recovered only to %s and is stuck there",
				c.at(c.PeakAt), called("loss", c.Name), num(c.Peak), r.began(), c.lately(highWait)))
	case !r.state.Said && c.N >= 2*highWait && r.lost(start):
		low, to := c.lowest(highSteps)
		r.report(rep, rule.Warning, "loss_rose_again", median(c.tail(highWait))/low, lostLevel, highWait,
			fmt.Sprintf("The learning rate is too high: up to step %d the %s had fallen from %s to %s, and now it is back at %s",
				c.at(to), called("loss", c.Name), r.began(), meanOfSome(low, highSteps), c.lately(highWait)))
	}
}

// halfWay is the share of the first loss that is left after it has exploded.
const halfWay = 0.5

// levelled reports whether losses fall no more.
func levelled(last []float64) bool {
	half := len(last) / 2
	return median(last[half:]) > 0.95*median(last[:half])
}

// stayedUp is how many times its first value the loss has to be for ten steps
// to have been thrown, too.
const stayedUp = 3

// stayedUp reports whether the loss was far above its beginning for a while, and
// has been down again for another.
func (r *rateJudge) stayedUp(start float64) bool {
	up, to := r.state.Curve.highest(highSteps / 2)
	return up >= stayedUp*start && r.state.Curve.N-to > highWait
}

const (
	lostLevel = 10  // times the lowest level: what was learnt is lost
	lostShare = 0.3 // of the level at which the loss began, at least
)

// lost reports whether the last losses are far above the lowest level there was,
// and not on their way back.
func (r *rateJudge) lost(start float64) bool {
	low, _ := r.state.Curve.lowest(highSteps)
	last := r.state.Curve.tail(highWait)
	half := len(last) / 2
	return median(last) >= max(lostLevel*low, lostShare*start) && median(last[half:]) > 0.8*median(last[:half])
}

// stands reports whether the last losses are no lower than where they began, and
// no lower than those before.
func (r *rateJudge) stands(start float64) bool {
	last := r.state.Curve.tail(highWait)
	half := len(last) / 2
	return median(last) >= 0.9*start && median(last[half:]) > 0.95*median(last[:half])
}

func least(x []float64) float64 {
	m := x[0]
	for _, v := range x {
		m = min(m, v)
	}
	return m
}

func (r *rateJudge) report(rep *rule.Report, s rule.Severity, check string, observed, threshold float64, steps int, message string) {
	m := &r.state.Motion
	r.state.Said = true
	r.state.Fired = s == rule.Error
	u := m.largest()
	why := fmt.Sprintf("one update changes the weights by %s %% of their size", num(math.Round(100*u.Ratio)))
	if u.Ratio < r.update {
		why = fmt.Sprintf("the weights are %s times as large as initially", times(m.Grown))
	}
	rep.Violate(rule.Violation{
		Check: check, Subject: r.state.Curve.Name, Observed: observed, Threshold: threshold, Comparator: ">=", Severity: s, Steps: steps,
		Cause:   "a learning rate that is too high: " + why,
		Remedy:  "lower the learning rate by a factor of ten, or warm it up; clip gradients by norm; check that input and labels are scaled",
		Asks:    []rule.Advice{rule.LowerLearningRate, rule.ClipMore},
		Message: message + "; " + why + ".",
		Context: map[string]any{
			"start": r.start(), "peak": r.state.Curve.Peak, "peak_at": r.state.Curve.PeakAt, "largest_update": u.Ratio, "largest_update_step": u.Step,
			"growth": m.Grown, "grown_most": m.Where, "last_values": append([]float64(nil), r.state.Curve.tail(20)...),
		},
	})
}

// tooLow looks for a training that is on its way but will never arrive.
func (r *rateJudge) tooLow(rep *rule.Report) {
	c, m := &r.state.Curve, &r.state.Motion
	if r.state.Said || len(m.Spans) < 2 || m.Pull < aliveGradient || m.Half || m.idle() {
		return // the rounding of 16 bits takes small updates away, whatever the rate, and an overflow all of one
	}
	fastest := m.Fast / plateauEvery
	first, last := m.Spans[0].Ratio, m.Spans[len(m.Spans)-1].Ratio
	still := m.Slow < m.Fast/1e4 && fastest >= r.small/50 // below that, rounding alone keeps some where they are
	if fastest >= r.small || still || last > 1.5*first || last < first/3 {
		return // too fast, or some not at all, or warming up, or at the end of a schedule
	}
	a, b := c.ends()
	before, after := mean(a), mean(b)
	fall := (before - after) / math.Abs(before)
	if before == 0 || !r.drifting(before, after) && !r.nearby() {
		return
	}
	// A loss with much noise may be off by more than that and stand still all the same.
	noise := r.nearby() && math.Abs(fall) < 10*r.fall && !fell(a, b) && !fell(b, a)
	if math.Abs(fall) >= r.fall && !noise {
		return
	}
	r.state.Said = true
	rep.Violate(rule.Violation{
		Check: "too_low", Subject: c.Name, Observed: fastest, Threshold: r.small, Comparator: "<", Severity: rule.Warning, Steps: int(c.N),
		Cause:  "a learning rate that is too low",
		Remedy: "raise the learning rate by factors of ten until the loss moves; check that a scheduler does not lower it too early",
		Asks:   []rule.Advice{rule.RaiseLearningRate},
		Message: fmt.Sprintf("The learning rate is too low: in %d steps the %s went from %s to %s; weights change by at most %s of their size per step.",
			c.N, called("loss", c.Name), meanOfFirst(before, len(a)), meanOfLast(after, int64(len(b))), num(fastest)),
		Context: map[string]any{"first_mean": before, "last_mean": after, "fell": fall, "largest_update": fastest, "gradient_to_weight": m.Pull, "drift": r.state.Far, "guess": r.state.Kind.Guess},
	})
}

// nearby reports whether the weights are next to where an initialiser put them:
// whatever the loss is, a network like that has learnt nothing.
func (r *rateJudge) nearby() bool {
	const share = 0.01 // of their size that they may have come
	return r.state.Fresh && r.state.Motion.Fast/plateauEvery*float64(r.state.Curve.N) < share
}

// drifting reports whether the weights are on a long way, and the loss is that of
// a network that knows nothing.
func (r *rateJudge) drifting(before, after float64) bool {
	steady := r.state.Motion.steady()
	if steady > 0 && steady < leastSteady || steady == 0 && r.state.Far <= driftRatio {
		return false
	}
	return before > 0 && !r.state.Curve.Negative && r.knowsNothing(after)
}

// knowsNothing reports whether a loss is that of a network that has learnt
// nothing: it lies where a guess lies, or, when that is not known, the weights
// drift one way, as they do on the way down and not at the floor.
func (r *rateJudge) knowsNothing(loss float64) bool {
	drifts := r.state.Far > driftRatio
	if k := &r.state.Kind; k.Guess > 0 && !k.summed() {
		return loss >= 0.9*k.Guess && (drifts || r.state.Far == 0)
	}
	return drifts
}

func mean(x []float64) float64 {
	m, _ := moments(x)
	return m
}
