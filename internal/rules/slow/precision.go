package slow

import (
	"fmt"
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/rule"
)

const (
	doubleType = "F64" // in facts
	// doubleCosts is what arithmetic on 64-bit numbers costs beyond that on 32-bit ones,
	// as a share: half as many fit into a register, a cache or a transfer. On a GPU that
	// is built for 32 bits it is more.
	doubleCosts    = 0.5
	mostParameters = 0.9 // share of their elements
)

// layerKinds are kinds of modules whose arithmetic has the type of what they give.
var layerKinds = []string{record.LinearModule, record.ConvModule, record.RecurrentModule, record.AttentionModule}

// inDouble reports whether the forward and backward passes compute in double precision:
// nearly all parameters have it, and every layer whose output is known gives it.
func inDouble(f *rule.Facts) bool {
	var wide, all float64
	if f.Parameters != nil {
		for i := range f.Parameters.List {
			p := &f.Parameters.List[i]
			n := elementsOf(p.Shape)
			all += n
			if p.DType == doubleType {
				wide += n
			}
		}
	}
	if wide < mostParameters*all {
		return false
	}
	known := wide > 0
	if f.Network != nil {
		for i := range f.Network.Modules {
			m := &f.Network.Modules[i]
			if m.Output == nil || !slices.Contains(layerKinds, m.Kind) {
				continue
			}
			if m.Output.DType != doubleType {
				return false
			}
			known = true
		}
	}
	return known
}

// searchesLine reports whether an optimiser compares losses that differ in their last digits.
func searchesLine(f *rule.Facts) bool {
	return slices.ContainsFunc(f.Optimisers, func(o rule.OptimiserFacts) bool { return o.Class == "LBFGS" })
}

func elementsOf(shape []int64) float64 {
	n := 1.0
	for _, d := range shape {
		n *= float64(d)
	}
	return n
}

// inUpdates is the time of parts of the steps that end in an update, in seconds.
func inUpdates(s *Span, parts ...rule.StepPart) (seconds float64) {
	for _, mode := range []rule.Mode{rule.Train, rule.Global} {
		if m := s.Modes[mode]; m != nil {
			for _, p := range parts {
				seconds += m.Parts[p]
			}
		}
	}
	return seconds
}

// precision: the network computes in double precision.
var precision = check{
	Check: rule.Check{
		ID: "slow_training/precision", Status: rule.Experimental, Files: []string{"slow/precision.go"}, Severity: rule.Warning, CauseClass: "precision", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The forward and backward passes take at least half of the time and compute in double precision, in operations whose arithmetic dominates.",
		Evidence:        "double precision: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "the parameters are float64: by .double(), torch.set_default_dtype, or from data that NumPy made without a dtype",
		Remedy:          "train in float32 unless the numbers need more digits: model.float(), and the data as float32",
	},
	claim: func(c *Case, s *Span) *Claim {
		if c.Facts == nil || c.Facts.Graph == nil || !inDouble(c.Facts) || searchesLine(c.Facts) {
			return nil
		}
		if _, _, _, calls := overhead(c, s); calls {
			return nil // a call costs the same for any type
		}
		passes := inUpdates(s, rule.Forward, rule.Backward)
		if passes < 0.5*s.Seconds {
			return nil
		}
		return &Claim{
			Seconds: doubleCosts * passes, Device: true, Takes: rule.Forward, Subject: "precision", Unbound: true,
			Message: fmt.Sprintf("The forward and backward passes take %.0f %%%% of the time and compute in double precision (float64), which costs about twice as much as float32: %%s of the training's time", 100*passes/s.Seconds),
			Context: map[string]any{"passes_seconds": passes},
		}
	},
}
