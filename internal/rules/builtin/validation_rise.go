package builtin

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// validationRise looks for the turn of a validation loss: it was falling, and
// rises now while the training loss still falls. It looks also for a training
// set that was learnt by heart: its loss is a twentieth of the validation loss,
// which has come down by less than half and no longer falls; and, at the end, for
// one of which nothing was learnt that holds for other data. A validation loss that
// was never better than that of a constant prediction has no turn, and only the last
// of them is asked.
type validationRise struct {
	sel      rule.Selector
	rise     float64
	patience int
	state    struct {
		Losses twoLosses           `json:"losses"`
		Pairs  map[string]*turning `json:"pairs"`
		Odd    bool                `json:"odd"` // several optimisers
		Kind   lossKind            `json:"kind"`
		// Of a batch that is made again at every step, and is the same each time, the samples; else 0.
		OneBatch int64 `json:"one_batch,omitempty"`
		// Unstopped is the parameter that was to stop the training early, where nothing uses it.
		Unstopped string `json:"unstopped,omitempty"`
		// Watched is what early stopping watches, where that is the training data.
		Watched string `json:"watched,omitempty"`
	}
}

// turning is one pair of losses.
type turning struct {
	N          int               `json:"n"`
	First      float64           `json:"first"` // validation
	FirstTrain float64           `json:"first_train"`
	Best       evaluationPoint   `json:"best"`
	BestAt     int               `json:"best_at"` // evaluation at which it last fell by more than bestBy
	Mark       float64           `json:"mark"`    // to which value
	Above      int               `json:"above"`   // evaluations in a row
	Curve      []evaluationPoint `json:"curve"`   // the last 50
	Fired      bool              `json:"fired"`
	// Comparable: at one of the first evaluations the two losses were at one scale.
	Comparable bool `json:"comparable,omitempty"`
	// Partner is the training loss, where it has a name of its own.
	Partner string `json:"partner,omitempty"`
	// Told says what the values of the last evaluation are.
	Told string `json:"told,omitempty"`
}

const (
	sameScale   = 3    // validation and training loss are within this factor
	sameWithin  = 3    // at one of so many first evaluations
	riseOfFirst = 0.05 // least rise, as a share of the first validation loss
	trainFell   = 0.03 // least fall of the training loss since the best
	heartPasses = 5    // evaluations without a fall
	heartShare  = 0.05 // training loss to validation loss
	heartLeft   = 0.5  // validation loss to its first value
	bestBy      = 0.02 // a fall below this is none
	noisyBy     = 4    // deviations of its noise that a rise has to exceed; the best is two below the mean already
)

func newValidationRise(p rule.Params) *validationRise {
	r := &validationRise{sel: pairedLosses(p), rise: p.Float("rise"), patience: int(p.Int("patience"))}
	r.state.Losses, r.state.Pairs = twoLosses{}, map[string]*turning{}
	return r
}

func (r *validationRise) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *validationRise) Save() ([]byte, error)   { return save(&r.state) }
func (r *validationRise) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *validationRise) Facts(f *rule.Facts, rep *rule.Report) {
	r.state.Odd = len(f.Optimisers) > 1
	r.state.OneBatch, r.state.Kind = oneBatchMadeAnew(f), kindOfLoss(f)
	if f.Boosting != nil {
		unused := unusedOf(f.Boosting)
		r.state.Unstopped = unused.stopping()
	}
	if b := f.Boosting; b != nil && b.EarlyStopping != nil && b.EarlyStopping.Training {
		r.state.Watched = b.EarlyStopping.Name
	}
}

// tell adds to what overfits that there was one batch to learn from, or that
// early stopping looks at the training data, which is then why.
func (r *validationRise) tell(v rule.Violation, rep *rule.Report) {
	if n := r.state.OneBatch; n > 0 {
		v.CauseClass = sameBatches.CauseClass
		v.Cause = "a batch drawn with the same seed, or with an index that does not advance, at every step"
		v.Remedy = "seed once, before the loop, and check how the samples of a batch are chosen"
		v.Message += fmt.Sprintf(" A batch of %d samples is drawn at each step, but it is always the same one: there is nothing else to learn from.", n)
		v.Context["one_batch"] = n
	}
	if name := r.state.Watched; name != "" && name != v.Subject {
		v.Cause = "early stopping that monitors the training data"
		v.Remedy = "let early stopping monitor the validation data: put it last in evals, or name it (data_name)"
		v.Asks = []rule.Advice{rule.StopEarly}
		v.Message += fmt.Sprintf(" Early stopping monitors %s, which is the training data, so it does not notice.", name)
		v.Context["early_stopping_watches"] = name
	}
	if name := r.state.Unstopped; name != "" {
		v.Cause = "early stopping is given among the parameters of the booster, where XGBoost does not use it"
		v.Remedy = "give it to xgboost.train: early_stopping_rounds=…, with the validation data last in evals"
		v.Asks = []rule.Advice{rule.StopEarly}
		v.Message += fmt.Sprintf(" Early stopping did not work: %s is not a parameter of the booster, so it was ignored.", name)
		v.Context["unused"] = name
	}
	rep.Violate(v)
}

func (r *validationRise) Step(v *rule.View, rep *rule.Report) {
	r.judge(r.state.Losses.step(v, meanLosses(v, 0)), rep)
}

// Finish judges the pass that the job ended with.
func (r *validationRise) Finish(rep *rule.Report) {
	r.judge(r.state.Losses.close(), rep)
	r.never(rep)
	r.elsewhere(rep)
}

func (r *validationRise) judge(events []lossEvent, rep *rule.Report) {
	for _, e := range events {
		if !e.evaluation || !e.known || !finite(e.validation) || !finite(e.train) {
			continue
		}
		rep.Inspect(1)
		p := r.state.Pairs[e.pair]
		if p == nil {
			p = &turning{Partner: e.partner}
			r.state.Pairs[e.pair] = p
		}
		if !p.Fired && !r.state.Odd {
			r.add(p, e, rep)
		}
	}
}

func (r *validationRise) add(p *turning, e lossEvent, rep *rule.Report) {
	_, step := e.place()
	now := evaluationPoint{step, rule.Number(e.train), rule.Number(e.validation)}
	p.Curve = lastOf(append(p.Curve, now), 50)
	p.N++
	p.Told = e.told()
	if p.N <= sameWithin && e.validation <= sameScale*e.train && e.train <= sameScale*e.validation {
		p.Comparable = true
	}
	if p.N == 1 {
		p.First, p.FirstTrain, p.Best, p.Mark, p.BestAt = e.validation, e.train, now, e.validation, 1
		return
	}
	if e.validation <= float64(p.Best.Validation) {
		if e.validation <= (1-bestBy)*p.Mark {
			p.Mark, p.BestAt = e.validation, p.N
		}
		p.Best, p.Above = now, 0
	}
	if r.byHeart(p, e, rep); p.Fired || p.Best == now || r.constant(p) {
		return
	}
	best := float64(p.Best.Validation)
	margin := max(r.rise*best, noisyBy*noiseOf(p.Curve), riseOfFirst*p.First)
	if best <= 0 || e.validation-best < margin || e.train > (1-trainFell)*float64(p.Best.Train) {
		p.Above = 0
		return
	}
	if p.Above++; p.Above < r.patience || !p.comparable() {
		return
	}
	r.report(p, e, margin, rep)
}

// byHeart judges a pair whose validation loss stands still.
func (r *validationRise) byHeart(p *turning, e lossEvent, rep *rule.Report) {
	if p.N < 2*heartPasses || p.N-p.BestAt < heartPasses || e.train > heartShare*e.validation || e.validation < heartLeft*p.First || !p.comparable() || r.constant(p) {
		return
	}
	p.Fired = true
	r.tell(rule.Violation{
		Check: "memorised", Subject: e.pair, Observed: e.train / e.validation, Threshold: heartShare, Comparator: "<=", Severity: rule.Warning, Steps: p.N - p.BestAt,
		Message: fmt.Sprintf("The model overfits: it has memorised the training set (%s %s), while the validation %s is %s and has not fallen by 2 %% in %d evaluations (%s initially, %s at best).%s",
			called("loss", cmp.Or(e.partner, e.pair)), num(e.train), called("loss", e.pair), num(e.validation), p.N-p.BestAt, num(p.First), num(float64(p.Best.Validation)), p.Told),
		Context: map[string]any{"first_validation": p.First, "validation": e.validation, "training": e.train, "curve": slices.Clone(p.Curve)},
	}, rep)
}

func (r *validationRise) report(p *turning, e lossEvent, margin float64, rep *rule.Report) {
	best := float64(p.Best.Validation)
	word, _ := e.place()
	p.Fired = true
	r.tell(rule.Violation{
		Check: "validation_rises", Subject: e.pair, Observed: e.validation/best - 1, Threshold: r.rise, Comparator: ">", Severity: rule.Warning, Steps: p.Above,
		Message: fmt.Sprintf("The model overfits: the validation %s rose from its best (%s, %s step %d) to %s, while the training %s fell from %s to %s.%s",
			called("loss", e.pair), num(best), word, p.Best.Step, num(e.validation), called("loss", cmp.Or(e.partner, e.pair)), num(float64(p.Best.Train)), num(e.train), p.Told),
		Context: map[string]any{"best": best, "best_step": p.Best.Step, "validation": e.validation, "training": e.train, "margin": margin, "in_a_row": p.Above, "curve": slices.Clone(p.Curve)},
	}, rep)
}

// constant reports whether the validation loss is known never to have been better
// than that of a constant prediction.
func (r *validationRise) constant(p *turning) bool {
	k := &r.state.Kind
	return k.Guess > 0 && k.Certain && !k.summed() && !k.Divided && !k.Pairs && !k.Beside && k.Elements >= 100 && float64(p.Best.Validation) >= k.Guess
}

// comparable: the two losses are of one kind, they begin at the same scale. The mean of the
// training before the first evaluation can lie far above it, where most is learnt in that time.
func (p *turning) comparable() bool { return p.Comparable }

// noiseOf estimates the deviation of a validation loss without its trend, from
// how much each value differs from the middle of its neighbours.
func noiseOf(curve []evaluationPoint) float64 {
	var d []float64
	for i := 1; i+1 < len(curve); i++ {
		d = append(d, math.Abs(float64(curve[i+1].Validation-2*curve[i].Validation+curve[i-1].Validation)))
	}
	if len(d) == 0 {
		return 0
	}
	return 1.4826 * median(d) / math.Sqrt(6)
}
