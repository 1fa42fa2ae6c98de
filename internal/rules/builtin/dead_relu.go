package builtin

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/vigil-ml/vigil/rule"
)

// reluOutput is SageMaker Debugger's pattern for outputs of ReLU layers.
const reluOutput = ".*relu_output"

// deadRelu judges the share of rectified units of a layer that are active in
// almost no sample.
var deadRelu = rule.Definition{
	Name: "dead_relu", Class: "DeadRelu", Family: rule.Tensors, Severity: rule.Error,
	Checks:     deadReluChecks,
	Summary:    "Too many units of a ReLU layer are dead: they always output 0.",
	Why:        "A unit that outputs 0 for every input has no gradient and cannot recover.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "tensor_regex", Type: rule.List, Default: reluOutput, Meaning: "outputs of ReLU layers; unless changed, outputs of modules of type ReLU and ReLU6 count too"},
		{Name: "threshold_inactivity", Type: rule.Float, Default: "1.0", Range: rule.Between(0, 100), Unit: "percent", Meaning: "a unit active in less than this share of samples is dead"},
		{Name: "threshold_layer", Type: rule.Float, Default: "50.0", Range: rule.Between(0, 100), Unit: "percent", Meaning: "a layer fires when more than this share of its units is dead"},
		{Name: "window_steps", Type: rule.Int, Default: "1", Range: rule.AtLeast(1), Unit: "analysed steps", Meaning: "samples of this many steps are pooled"},
		{Name: "unit", Type: rule.String, Default: "element", Choices: []string{"element", "channel"}, Meaning: "what one unit is: a position, or a channel (axis 1) from rank 3 on"},
		every("500"),
		{Name: "confirm", Type: rule.Int, Default: "1", Range: rule.AtLeast(1), Unit: "analysed steps", Meaning: "how many in a row have to agree; a layer is then reported once, until it recovers"},
		{Name: "min_samples", Type: rule.Int, Default: "1", Range: rule.AtLeast(1), Unit: "samples", Meaning: "least number of samples per unit"},
		{Name: "least_rise", Type: rule.Float, Default: "0", Range: rule.Between(0, 100), Unit: "percent", Meaning: "when above 0, this share of the units must have died since the layer was first examined, unless significantly more than half (four standard deviations) are dead"},
		{Name: "learnt", Type: rule.Float, Default: "0", Range: rule.Between(0, 1), Unit: "ratio", Meaning: "when above 0, nothing is reported while the loss is below this share of its initial value, or is falling, and at the end it is information only"},
		{Name: "large_update", Type: rule.Float, Default: "0", Range: rule.AtLeast(0), Unit: "ratio", Meaning: "when above 0, units that are dead after an update changed the weights by this share of their size were killed by the learning rate, and the finding says so; ten times as much within 50 steps counts too"},
	},
	CauseClass: "activation",
	Lacks:      "no output of a ReLU layer was captured",
	Causes:     []string{"a learning rate that is too high, so one update pushed the units below zero for every input", "a large negative bias", "input that is not normalised"},
	Remedies:   []string{"lower the learning rate", "use LeakyReLU or GELU", "use He initialisation and biases of zero", "normalise the input, or add batch normalisation"},
	Asks:       []rule.Advice{rule.LowerLearningRate},
	Explains:   []string{"loss_flat", "too_few_updates", "loss_not_decreasing", "unchanged_tensor", "weight_update_ratio"},
	// What dead units do to gradients may be noticed first.
	ExplainsAlways: []string{"vanishing_gradient", "all_zero"},
	Default: &rule.Preset{
		Params: map[string]string{"threshold_inactivity": "0.1", "threshold_layer": "70", "window_steps": "4", "unit": "channel", "every": "25", "confirm": "3", "min_samples": "32", "least_rise": "15", "learnt": "0.25", "large_update": "0.1"},
		Why: "Sparse layers are healthy, and a large learning rate may cost half of the units without harm. So a unit counts as dead only when it is active in less than one of a thousand samples, pooled over " +
			"four steps and over the positions of its channel; 70 per cent of a layer have to be, with 32 samples for each, at three analysed steps in a row, 25 steps apart. Deep and narrow networks begin with many dead units and learn all the same: 15 per cent have to have died since the first look, unless more are dead than the half that chance leaves at the end of a deep network, by four standard deviations. A network whose loss is at a quarter of where it began learns without them: that is reported at the end, as information; and so of one whose loss has come to four fifths and still falls, unless nearly all of a layer are dead, and six tenths are left at the end. " +
			"Units that are dead after the weights changed by a tenth in one update, or by all of their size in 50, were thrown by the learning rate.",
	},
	Needs: func(p rule.Params) []rule.Need {
		s := layers(p.Int("every"))
		if p.Int("confirm") > 1 {
			s = rule.TrainOnly(p.Int("every"))
		}
		return append(reluHarmNeeds(p), rule.Need{Selector: reluSelector(p), Schedule: s, Want: rule.WantStats, Units: []rule.Units{reluUnits(p)}})
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &relu{
			sel: reluSelector(p), key: reluUnits(p).Key(), layer: p.Float("threshold_layer"),
			rise: p.Float("least_rise"), confirm: int(p.Int("confirm")), samples: float64(p.Int("min_samples")),
		}
		r.state.Layers, r.state.Harm = map[string]*reluState{}, newReluHarm(p)
		return r, nil
	},
}

func reluSelector(p rule.Params) rule.Selector {
	s := rule.Selector{Regex: p.List("tensor_regex"), Side: rule.Output}
	if len(s.Regex) == 1 && s.Regex[0] == reluOutput {
		s.ModuleTypes = []string{"ReLU", "ReLU6"}
	}
	return s
}

func reluUnits(p rule.Params) rule.Units {
	return rule.Units{
		Channel: p.String("unit") == "channel", Above: 0, Below: math.Inf(1),
		Inactivity: p.Float("threshold_inactivity"), Window: p.Int("window_steps"),
	}
}

type relu struct {
	sel     rule.Selector
	key     string
	layer   float64
	rise    float64
	confirm int
	samples float64
	places  places[reluState]
	said    oncePerStep
	state   struct {
		Layers map[string]*reluState `json:"layers"` // by worker, mode and tensor
		Harm   *reluHarm             `json:"harm,omitempty"`
		// Said is the output of each module that was reported, by worker and module: a
		// module that is called several times in a step is reported once.
		Said map[string]string `json:"said,omitempty"`
		// Lived is the share of zeros, in per cent, that each activation gave in a forward
		// of the first steps, by module: no more of its units were dead then, and where
		// all are zeros all were.
		Lived map[string]float64 `json:"lived,omitempty"`
		// Loaded: weights come from an earlier training.
		Loaded bool `json:"loaded,omitempty"`
	}
}

type reluState struct {
	Shares []rule.Number `json:"shares"`          // the last 20
	First  *rule.Number  `json:"first,omitempty"` // the first of all
	From   int64         `json:"from"`            // mode step of the first look
	Later  string        `json:"later,omitempty"` // the mode of that look, where updates came before
	Streak int           `json:"streak"`
	Since  int64         `json:"since"` // mode step at which the streak began
	Alive  bool          `json:"alive"` // was below the threshold once, or above it by chance
	// Over is the mode step from which on all looks were above the threshold, whether
	// chance explains it or not; nil: the last was not. Below: one was not.
	Over  *int64 `json:"over,omitempty"`
	Below bool   `json:"below,omitempty"`
	// Held: it was found, and not said, because the training learns all the same.
	Held bool `json:"held,omitempty"`
	// Last is the evidence at the last look that counted, until it is said.
	Last *deadLayer `json:"last,omitempty"`
}

// since is the first of the looks, without one in between, that were above the threshold.
func (s *reluState) since() int64 {
	if s.Over == nil { // of a state of an earlier version
		return s.Since
	}
	return *s.Over
}

// deadLayer is a layer at one look.
type deadLayer struct {
	Worker  string      `json:"worker"`
	Name    string      `json:"name"`
	Module  string      `json:"module"`
	Type    string      `json:"type"`
	Units   rule.Number `json:"units"`
	Dead    rule.Number `json:"dead"`
	Samples rule.Number `json:"samples"`
}

func (l *deadLayer) key() string { return l.Worker + "\x00" + cmp.Or(l.Module, l.Name) }

const (
	nearlyAll = 95 // percent of units that are dead: it does not matter since when
	unlikely  = 4  // standard deviations
)

// byChance reports whether so many units may be dead since the weights were drawn. At
// the end of a deep network samples look alike, so that a unit is dead as often as not.
func byChance(share, units float64) bool {
	return share < nearlyAll && (share/100-0.5)*2*math.Sqrt(units) < unlikely
}

func (r *relu) Select() []rule.Selector {
	if r.state.Harm == nil {
		return []rule.Selector{r.sel}
	}
	return []rule.Selector{r.sel, {Collections: []string{"losses"}}, {Collections: []string{"weights"}}}
}

func (r *relu) Facts(f *rule.Facts, _ *rule.Report) {
	if r.state.Harm != nil {
		r.state.Harm.Kind = kindOfLoss(f)
	}
	r.state.Loaded = someLoaded(f)
	if f.Network == nil {
		return
	}
	r.state.Lived = map[string]float64{}
	for i := range f.Network.Modules {
		m := &f.Network.Modules[i]
		if m.Calls == 1 && m.Output != nil && m.Output.Values != nil && m.Output.Values.NonFinite == 0 && m.Output.Values.Elements == elementsOf(m.Output.Shape) {
			r.state.Lived[m.Path] = 100 * float64(m.Output.Values.Zeros)
		}
	}
}

// Finish judges layers of a short job that were dead whenever they were looked
// at, twice at least, and says of those that did no harm that they are dead.
func (r *relu) Finish(rep *rule.Report) {
	r.unjudged(rep)
	for _, k := range slices.Sorted(maps.Keys(r.state.Layers)) {
		s := r.state.Layers[k]
		short := r.confirm > 2 && s.Last != nil && !s.Alive && s.Streak >= 2 && s.Streak < r.confirm
		if !short && !s.Held {
			continue
		}
		v := r.violation(s)
		if r.state.Harm.none() || s.Held && r.state.Harm.below(fallenTo) {
			v.Severity = rule.Info
			v.Message += " The training still makes progress."
		}
		r.say(rep, v, s)
	}
}

// say reports a layer, unless another output of its module was: ever, or at this look
// where none has to be confirmed.
func (r *relu) say(rep *rule.Report, v rule.Violation, s *reluState) {
	if r.confirm <= 1 && !r.said.key(s.Last.key()) {
		return
	}
	if key := s.Last.key(); r.confirm > 1 {
		if of, ok := r.state.Said[key]; ok && of != s.Last.Name {
			return
		}
		if r.state.Said == nil {
			r.state.Said = map[string]string{}
		}
		r.state.Said[key] = s.Last.Name
	}
	rep.Violate(v)
}

// unjudged says that no layer was looked at twice: what it takes at the end of a job.
func (r *relu) unjudged(rep *rule.Report) {
	most := 0
	for _, s := range r.state.Layers {
		most = max(most, len(s.Shares))
	}
	if most == 1 && r.confirm > 1 {
		rep.NotJudged("the outputs of ReLU were captured at 1 step; it takes 2")
	}
}

func (r *relu) Save() ([]byte, error) { return save(r.state) }
func (r *relu) Restore(b []byte) error {
	r.places = places[reluState]{}
	return restore(b, &r.state)
}

func (r *relu) Step(v *rule.View, rep *rule.Report) {
	r.state.Harm.step(v)
	r.said.begin()
	for i, it := range v.Tensors(0) {
		units, _, ok := it.Find(r.key, rule.UnitsTotal)
		if !ok || !(units > 0) {
			if it.Stats != nil && it.Stats.Count == 0 {
				rep.Skip(rule.SkipEmpty)
			}
			continue
		}
		if it.Info.Shape != nil && len(it.Info.Shape) == 0 {
			rep.Skip(rule.SkipRank)
			continue
		}
		r.judge(i, it, units, v, rep)
	}
}

func (r *relu) judge(at int, it rule.Item, units float64, v *rule.View, rep *rule.Report) {
	dead, _, _ := it.Find(r.key, rule.UnitsInactive)
	samples, _, _ := it.Find(r.key, rule.UnitsSamples)
	if n, _, ok := it.Find(r.key, rule.UnitsNegative); ok && n > 0 {
		rep.Note(fmt.Sprintf("%s has negative values, so it is not the output of a ReLU; narrow tensor_regex", it.Info.Name))
	}
	if samples < r.samples {
		rep.Skip("too_few_samples")
		return
	}
	if samples < 32 {
		rep.Note(fmt.Sprintf("%s was judged on %s samples per unit: shares are coarse", it.Info.Name, num(samples)))
	}
	share := 100 * dead / units
	if math.IsNaN(share) { // counts that were damaged on their way
		return
	}
	rep.Inspect(1)
	s := r.places.state(r.state.Layers, at, &it, v.Mode)
	if s.Shares = append(s.Shares, rule.Number(share)); len(s.Shares) > 20 {
		s.Shares = append(s.Shares[:0], s.Shares[1:]...)
	}
	if s.First == nil {
		first := rule.Number(share)
		s.First, s.From = &first, v.ModeStep
		if v.Step > 0 && (v.ModeStep > 0 || !training(v.Mode)) {
			s.Later = v.Mode.String()
		}
	}
	if share <= r.layer {
		s.Over, s.Below = nil, true
	} else if s.Over == nil {
		at := v.ModeStep
		s.Over = &at
	}
	last := &deadLayer{it.Worker, it.Info.Name, it.Info.Module, it.Info.ModuleType, rule.Number(units), rule.Number(dead), rule.Number(samples)}
	if share <= r.layer || r.rise > 0 && share-float64(*s.First) < r.rise && byChance(share, units) {
		s.Streak, s.Alive, s.Last, s.Held = 0, true, nil, false
		if r.state.Said[last.key()] == last.Name {
			delete(r.state.Said, last.key())
		}
		return
	}
	if s.Streak == 0 {
		s.Since = v.ModeStep
	}
	s.Streak++
	s.Last = last
	if s.Streak < r.confirm || (r.confirm > 1 && s.Streak > r.confirm && !s.Held) {
		return
	}
	if s.Held = r.state.Harm.none() || share < nearlyAll && r.state.Harm.falls(); s.Held {
		return
	}
	r.say(rep, r.violation(s), s)
}

// diedEarly reports whether units of a layer that were dead when it was first looked at
// closely lived in the first steps.
func (r *relu) diedEarly(s *reluState) bool {
	zeros, known := r.state.Lived[s.Last.Module]
	return known && s.From > 0 && zeros <= r.layer
}

// deadFirst reports whether the units of a layer gave nothing but zeros in the first steps.
func (r *relu) deadFirst(s *reluState) bool {
	zeros, known := r.state.Lived[s.Last.Module]
	return known && zeros >= 100
}

// violation says what the last look at a layer found.
func (r *relu) violation(s *reluState) rule.Violation {
	l := s.Last
	share := float64(100 * l.Dead / l.Units)
	early, first := !s.Alive && r.diedEarly(s), !s.Alive && r.deadFirst(s)
	class, asks := "", []rule.Advice(nil)
	before, cause := "from the start", "a large negative bias, or input that is not normalised: the units were dead from the start"
	remedy := "initialise biases with zero and weights with He initialisation; normalise the input or add batch normalisation; or use LeakyReLU or GELU"
	switch {
	case s.Below:
		before, cause, remedy = fmt.Sprintf("since step %d; before, the layer was alive", s.since()), "", ""
	case s.Alive:
		before, cause, remedy = fmt.Sprintf("since step %d, the first one examined, and more of them since then", s.since()), "", ""
	case early:
		before = fmt.Sprintf("at step %d already, the first one examined closely; at most %s %% of them were dead in the first forward passes", s.From, num(math.Round(r.state.Lived[l.Module])))
		cause, remedy = "a learning rate that is too high: the units died within the first updates", "lower the learning rate, or warm it up; use LeakyReLU or GELU"
	case r.state.Loaded && (s.Later == "" || first):
		cause = "the loaded weights do not fit the input: the units were dead from the start"
		remedy = "scale the input as it was when these weights were trained; use LeakyReLU or GELU"
	case s.Later != "" && !first: // updates came before
		before, cause, remedy = fmt.Sprintf("at %s step %d already, the first one examined", s.Later, s.From), "", ""
	}
	if early {
		asks = []rule.Advice{rule.LowerLearningRate}
	}
	if why := r.state.Harm.thrown(s.Since); why != "" && !first {
		class, cause, remedy = "learning-rate", "a learning rate that is too high, so one update pushed the units below zero for every input: "+why,
			"lower the learning rate by a factor of ten, or warm it up; clip gradients by norm; use LeakyReLU or GELU"
		asks = []rule.Advice{rule.LowerLearningRate, rule.ClipMore}
	}
	return rule.Violation{
		CauseClass: class,
		Check:      "layer", Subject: l.Name, Worker: l.Worker, Observed: share, Threshold: r.layer, Comparator: ">", Steps: s.Streak, Cause: cause, Remedy: remedy, Asks: asks,
		Message: fmt.Sprintf("%s %% of the %s of %s are dead: they output 0 for almost every sample and get no gradient (%s).", num(math.Round(share*10)/10), plural(int(l.Units), "unit"), l.Name, before),
		Context: map[string]any{
			"units": float64(l.Units), "dead": float64(l.Dead), "samples_per_unit": float64(l.Samples), "shares": append([]rule.Number(nil), s.Shares...),
			"alive_before": s.Below, "since_mode_step": s.since(), "module": l.Module, "module_type": l.Type,
		},
	}
}
