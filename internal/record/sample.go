package record

import (
	"math"
	"slices"
	"time"
)

// Sample is what one host's machine metrics were at one instant. A metric that
// could not be read is not in it.
type Sample struct {
	Host   string
	Time   time.Time // never before that of the sample before it, whatever the clock did
	Values []Scalar  // by the names of the machine's series, such as "cpu/total"
}

// Figures of machine metrics are kept to the coarser of two steps: 1/128, which
// is finer than a hundredth of a point, and 13 significant bits, one part in
// 8,192. More would be noise, and take room on the disk.
const (
	sampleStep = 128
	sampleBits = 13
)

// RoundMetric is a figure of a machine metric as it is stored. What is rounded
// stays as it is.
func RoundMetric(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v + 0 // no negative zero
	}
	_, exponent := math.Frexp(v)
	step := math.Ldexp(1, max(exponent-sampleBits, 1-sampleBits))
	step = max(step, 1.0/sampleStep)
	return math.RoundToEven(v/step)*step + 0
}

// Rounded is the sample as it is stored: figures by RoundMetric, without those
// that are no numbers, the time in whole microseconds. Who judges samples live
// takes these, so that a replay sees the same.
func (s Sample) Rounded() Sample {
	s.Time = s.Time.UTC().Truncate(time.Microsecond)
	s.Values = slices.Clone(s.Values)
	kept := s.Values[:0]
	for _, v := range s.Values {
		if v.Value = RoundMetric(v.Value); !math.IsNaN(v.Value) && !math.IsInf(v.Value, 0) {
			kept = append(kept, v)
		}
	}
	s.Values = kept
	return s
}
