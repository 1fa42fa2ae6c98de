package builtin

import (
	"fmt"
	"math"

	"github.com/vigil-ml/vigil/rule"
)

const (
	// aloneLive is after how many losses a verdict comes while the job goes on;
	// before, only what nothing healthy does: no bit changes, or aloneLeap.
	aloneLive = 1000
	// aloneLeap is how many times its beginning a loss is when it runs away.
	aloneLeap = 3
	// aloneRise is the least rise, as a share of the first losses.
	aloneRise = 0.05
	// aloneSure is the fall over the whole job, as a share of the loss, that its
	// noise must not be able to hide.
	aloneSure = 0.15
)

// lossAlone judges a loss that comes without the gradients and the facts which a
// framework's hook gives, as one that a loop of the script's own logs. Nothing
// else says there whether anything is learnt.
//
// A loss that is the same to the last bit is reported after plateau_steps, and so
// is one three times as high as it began. Everything else waits for the end of the
// job, or a thousand losses: many trainings begin slowly.
type lossAlone struct {
	Curve lossCurve `json:"curve"`
	// Other: there is more to judge by than the loss.
	Other  bool `json:"other,omitempty"`
	Odd    bool `json:"odd,omitempty"`    // a value was not finite
	Varies bool `json:"varies,omitempty"` // not all losses are the same
	Fired  bool `json:"fired,omitempty"`
	// Inspected is how many of the losses count as judged.
	Inspected int64 `json:"inspected,omitempty"`
}

// facts reports whether a framework's hook watches the training.
func (l *lossAlone) facts(f *rule.Facts) {
	l.Other = l.Other || f.Updates != nil || f.Boosting != nil || len(f.Optimisers) > 1
}

// step takes the losses of a step of a training of which only losses are known.
func (l *lossAlone) step(v *rule.View, losses []rule.Item, gradients bool) {
	if l.Other = gradients; l.Other {
		return
	}
	x, ok := l.Curve.step(v.ModeStep, losses)
	switch {
	case ok:
		l.Varies = l.Varies || x != l.Curve.First[0]
	case !finite(x):
		l.Odd = true
	}
}

// judges reports whether it is for the loss alone to say whether anything is learnt.
func (l *lossAlone) judges() bool { return !l.Other && !l.Fired && !l.Odd && l.Curve.usable() }

// look judges while the job goes on.
func (l *lossAlone) look(p rule.Params, rep *rule.Report) {
	n, least := l.Curve.N, p.Int("plateau_steps")
	if !l.judges() || n < least || n%50 != 0 {
		return
	}
	switch last := l.Curve.tail(firstKept); {
	case !l.Varies || median(last) >= aloneLeap*l.Curve.begin() && l.Curve.begin() > 0:
		l.judge(p, rep)
	case n >= aloneLive && n%100 == 0:
		l.judge(p, rep)
	}
}

// finish judges a shorter job, or says why it cannot.
func (l *lossAlone) finish(p rule.Params, rep *rule.Report) {
	c, least := &l.Curve, p.Int("plateau_steps")/2
	switch {
	case l.Other || l.Fired || l.Odd || c.N == 0:
	case c.unusable() != "":
		rep.NotJudged(c.unusable())
	case c.N < least:
		rep.NotJudged(fmt.Sprintf("%s captured; it takes %d", losses64(c.N), least))
	case rep.Cut:
		if l.Inspected == 0 {
			rep.NotJudged("the job did not come to its end")
		}
	case l.judge(p, rep) || !l.unsure():
	default:
		rep.NotJudged(fmt.Sprintf("the noise of the loss would hide a fall by %s %%", num(100*aloneSure)))
	}
}

func losses64(n int64) string {
	if n == 1 {
		return "1 loss was"
	}
	return fmt.Sprintf("%d losses were", n)
}

func (l *lossAlone) judge(p rule.Params, rep *rule.Report) bool {
	rep.Inspect(int(l.Curve.N - l.Inspected))
	l.Inspected = l.Curve.N
	for _, v := range rule.First(aloneChecks, l, p) {
		l.Fired = true
		rep.Violate(v)
	}
	return l.Fired
}

// rose reports whether the loss lies above where it began, beyond its noise.
func (l *lossAlone) rose() bool {
	first, last := l.Curve.ends()
	if len(first) < 2 || !l.Varies {
		return false
	}
	level, _ := moments(first)
	margin := aloneRise * math.Abs(level)
	begin := max(level, l.Curve.begin())
	change, se := l.Curve.trend()
	ranAway := begin > 0 && median(last) >= aloneLeap*begin
	return median(last) > begin+margin && mean(last) > begin+margin && (ranAway || fell(last, first) && change > 2*se)
}

// fell reports whether the loss was ever below where it began, beyond its noise:
// at the end, on the way, or on the whole.
func (l *lossAlone) fell() bool {
	first, last := l.Curve.ends()
	level, variance := moments(first)
	end, noise := moments(last)
	if l.Curve.begin()-end > max(noiseFactor*math.Sqrt(noise), aloneRise*math.Abs(end)) || fell(first, last) {
		return true
	}
	n := max(1, l.Curve.N/8)
	low, _ := l.Curve.lowest(n)
	if low < level-max(4*math.Sqrt(max(variance, noise)/float64(n)), aloneRise*math.Abs(level)) {
		return true
	}
	change, se := l.Curve.trend()
	return change < -2*se
}

// unsure reports whether the noise could hide a fall that matters.
func (l *lossAlone) unsure() bool {
	_, se := l.Curve.trend()
	return l.Varies && !l.fell() && 2*se > aloneSure*math.Abs(l.Curve.share(0, 1))
}

// trend is how far the loss comes over the whole job on a straight line through
// all of it, and the standard error of that.
func (c *lossCurve) trend() (change, se float64) {
	buckets := c.Buckets
	if n := len(buckets); n > 8 && buckets[n-1].N < c.Width {
		buckets = buckets[:n-1]
	}
	n := float64(len(buckets))
	if n < 3 {
		return 0, math.Inf(1)
	}
	most, mid := 0.0, (n-1)/2
	for _, b := range buckets {
		most = max(most, math.Abs(b.mean()))
	}
	if most == 0 {
		return 0, 0
	}
	middle, along, across := 0.0, 0.0, 0.0
	for _, b := range buckets {
		middle += b.mean() / most / n
	}
	for i, b := range buckets {
		x := float64(i) - mid
		along, across = along+x*(b.mean()/most-middle), across+x*x
	}
	slope, left := along/across, 0.0
	for i, b := range buckets {
		d := b.mean()/most - middle - slope*(float64(i)-mid)
		left += d * d
	}
	return slope * (n - 1) * most, math.Sqrt(left/(n-2)/across) * (n - 1) * most
}
