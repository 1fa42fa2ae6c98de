package record

// Series of how many samples the loss of an evaluation step is of. A step has one of
// them where that is known.
const (
	SamplesMean = "samples/mean" // it is their mean
	SamplesSum  = "samples/sum"  // it is their sum
)

// PassMean is what a pass of evaluation comes to: the mean of the values of its steps.
// A value counts as often as it has samples; where that is not known of all of them,
// each counts once.
type PassMean struct {
	Steps   int64  `json:"steps,omitempty"`
	Plain   Number `json:"plain,omitempty"`   // the values' sum
	Sum     Number `json:"sum,omitempty"`     // of values by their samples
	Samples Number `json:"samples,omitempty"` // of all values
	Unknown bool   `json:"unknown,omitempty"` // the samples of a value are not known
}

// Add takes the value of a step. samples: that it is of; 0 where that is not known.
// sums: it is a sum over them, not a mean.
func (m *PassMean) Add(value, samples float64, sums bool) {
	m.Steps++
	m.Plain += Number(value)
	m.Unknown = m.Unknown || !(samples > 0)
	m.Samples += Number(samples)
	if !sums {
		value *= samples
	}
	m.Sum += Number(value)
}

// Value is the mean so far; NaN of nothing.
func (m *PassMean) Value() float64 {
	if m.Unknown {
		return float64(m.Plain) / float64(m.Steps)
	}
	return float64(m.Sum) / float64(m.Samples)
}

// Evaluates reports whether the values of a mode are those of passes.
func (m Mode) Evaluates() bool { return m == Eval || m == Predict }

// Samples is how many samples the loss of a step is of, 0 where that is not known, and
// whether it is their sum.
func (s *Step) Samples() (n float64, sums bool) {
	for i := range s.Scalars {
		switch s.Scalars[i].Name {
		case SamplesMean:
			return s.Scalars[i].Value, false
		case SamplesSum:
			return s.Scalars[i].Value, true
		}
	}
	return 0, false
}
