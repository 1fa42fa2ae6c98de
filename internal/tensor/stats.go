package tensor

import "math"

// Stats are the numbers computed from one tensor in one pass.
//
// Min, Max, Mean, M2 and L1 are taken over the finite elements only, in
// float64 (complex numbers by magnitude), so that a tensor with one NaN still
// shows the range of the rest. The methods that give one number each are
// strict instead: with any element that is not finite they are NaN.
type Stats struct {
	Count  int64 // all elements
	NaN    int64
	PosInf int64
	NegInf int64
	Zeros  int64 // both signs of zero

	Min, Max float64 // over finite elements; NaN when there is none
	Mean     float64
	M2       float64 // sum of squared distances from the mean
	L1       float64 // sum of magnitudes

	Hist *Histogram // nil when not asked for
}

// Finite is the number of finite elements.
func (s *Stats) Finite() int64 { return s.Count - s.NaN - s.PosInf - s.NegInf }

// NonFinite reports whether any element is NaN or infinite.
func (s *Stats) NonFinite() bool { return s.NaN+s.PosInf+s.NegInf > 0 }

func (s *Stats) strict(v float64) float64 {
	if s.Count == 0 || s.NonFinite() {
		return math.NaN()
	}
	return v
}

// AbsMean is the mean of magnitudes.
func (s *Stats) AbsMean() float64 { return s.strict(s.L1 / float64(s.Count)) }

// MeanValue is the mean.
func (s *Stats) MeanValue() float64 { return s.strict(s.Mean) }

// Variance is the population variance (ddof 0).
func (s *Stats) Variance() float64 { return s.strict(s.M2 / float64(s.Count)) }

// Std is the population standard deviation.
func (s *Stats) Std() float64 { return math.Sqrt(s.Variance()) }

// L2 is the Euclidean norm over all elements.
func (s *Stats) L2() float64 {
	return s.strict(math.Sqrt(s.M2 + s.Mean*s.Mean*float64(s.Count)))
}

// Sum is the sum of all elements.
func (s *Stats) Sum() float64 { return s.strict(s.Mean * float64(s.Count)) }

// AbsMax is the largest magnitude.
func (s *Stats) AbsMax() float64 { return s.strict(math.Max(math.Abs(s.Min), math.Abs(s.Max))) }

// Histogram counts finite, non-zero elements by sign and floor(log2|x|).
// Exponents below MinExp are counted in MinExp, above MaxExp in MaxExp; it
// needs no range, so it is filled in the same pass as the moments.
type Histogram struct {
	Neg, Pos [MaxExp - MinExp + 1]int64
}

// The exponents a Histogram tells apart.
const (
	MinExp = -149
	MaxExp = 127
)
